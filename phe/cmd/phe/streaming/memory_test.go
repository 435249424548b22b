package streaming

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// More memory is advised after a run of the first rows in which it was better, and not where the items tell nothing of the target. A second
// run over the same file, and a score as JSON, advise nothing.
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
		folder := t.TempDir()
		path := write(t, folder, "t.csv", text.String())
		args := []string{"stream", path, "--target", "y", "--memory", "1K", "--model", filepath.Join(folder, "t.phe")}
		const advice = "advice: --memory 16K is better for the first 1,020 rows: log-loss "
		if out, _ := mustPhe(t, args...); strings.Contains(out, advice) != helps {
			t.Errorf("more memory helps: %t, and the command says\n%s", helps, out)
		}
		if out, _ := mustPhe(t, args...); strings.Contains(out, "advice") {
			t.Errorf("the second run says\n%s", out)
		}
		if out, _ := mustPhe(t, "eval", path, "--target", "y", "--memory", "1K", "--json"); strings.Contains(out, "advice") {
			t.Errorf("as JSON\n%s", out)
		}
	}
}
