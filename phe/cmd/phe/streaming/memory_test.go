package streaming

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// More memory is advised after a run of the first rows in which it was better, and not where the items tell nothing of the target. A score
// as JSON advises nothing.
func TestMemoryIsAdvisedWhereItHelps(t *testing.T) {
	for _, helps := range []bool{true, false} {
		r, text := rand.New(rand.NewPCG(1, 2)), strings.Builder{}
		text.WriteString("item,y\n")
		for range 10_200 {
			item, y := r.IntN(200), r.IntN(2)
			if helps && r.IntN(10) > 0 {
				y = item * item % 7 % 2
			}
			fmt.Fprintf(&text, "i%d,%d\n", item, y)
		}
		path := write(t, t.TempDir(), "t.csv", text.String())
		args := []string{"eval", path, "--target", "y", "--memory", "1K"}
		const advice = "advice: --memory 16K is better for the first 1,020 rows: log-loss "
		out, _ := mustPhe(t, args...)
		filetest.Want(t, strings.Contains(out, advice), helps, "advice in %s", out)
		out, _ = mustPhe(t, append(args, "--json")...)
		filetest.WantNone(t, out, "advice")
	}
}
