package records

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// A line without quotes is read as the parser reads it: with a quoted field in every line, the parser must read the same records.
func TestBareLines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"", "a", "bc d", "é", "\xff", " ", "12.5", "-", strings.Repeat("x", 300)}
	for round := range 300 {
		var bare, quoted strings.Builder
		end := []string{"\n", "\r\n"}[round%2]
		for _, b := range []*strings.Builder{&bare, &quoted} {
			b.WriteString("one,two,three" + end)
		}
		for range 1 + random.IntN(30) {
			a, b, c := pieces[random.IntN(len(pieces))], pieces[random.IntN(len(pieces))], pieces[random.IntN(len(pieces))]
			if random.IntN(12) == 0 {
				c += ",four" // a field too many
			}
			if a == "" && random.IntN(9) == 0 {
				bare.WriteString(end)
				quoted.WriteString(end)
			}
			fmt.Fprintf(&bare, "%s,%s,%s%s", a, b, c, end)
			fmt.Fprintf(&quoted, "%s,\"%s\",%s%s", a, b, c, end)
		}
		got, want := told(t, bare.String()), told(t, quoted.String())
		if got != want {
			t.Fatalf("%q is read as\n%s\nwith quotes as\n%s", bare.String(), got, want)
		}
	}
}

// told returns the records of a table and the lines of its bad records.
func told(t *testing.T, table string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	filetest.Check(t, os.WriteFile(path, []byte(table), 0o600))
	r := filetest.Must(Open(path, Options{}))(t)
	defer r.Close()
	var all strings.Builder
	for {
		record, err := r.Read()
		if err == io.EOF {
			return all.String()
		}
		if bad, ok := err.(*RecordError); ok {
			fmt.Fprintf(&all, "line %d: %s\n", bad.Line, bad.Problem)
			continue
		}
		filetest.Check(t, err)
		fmt.Fprintf(&all, "%q at line %d\n", record, r.Position().Line)
	}
}
