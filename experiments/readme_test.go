package experiments

import (
	"flag"
	"os"
	"regexp"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of README.md and REPRODUCTION.md from the result files in out")

// The pages show no number in a table of their own: each table between markers is what the named command prints.
func TestReadmeTables(t *testing.T) {
	for path, atLeast := range map[string]int{"../README.md": 3, "../REPRODUCTION.md": 12} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		marked := regexp.MustCompile(`(?s)<!-- phe table ([\w-]+)( --grid)? --out experiments/out -->\n(.*?)<!-- end -->`)
		if n := len(marked.FindAll(content, -1)); n < atLeast {
			t.Fatalf("%d marked tables in %s, want at least %d", n, path, atLeast)
		}
		fresh := marked.ReplaceAllFunc(content, func(block []byte) []byte {
			parts := marked.FindSubmatch(block)
			name, option := string(parts[1]), string(parts[2])
			table, err := Table(name, "out")
			if option != "" {
				var cells []Cell
				cells, err = TableCells(name, "out")
				table = Grid(cells)
			}
			if err != nil {
				t.Fatal(err)
			}
			return []byte("<!-- phe table " + name + option + " --out experiments/out -->\n" + table + "<!-- end -->")
		})
		if string(fresh) == string(content) {
			continue
		}
		if !*update {
			t.Errorf("%s differs from the result files; run `go test ./experiments -run TestReadmeTables -update`", path)
		} else if err := os.WriteFile(path, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
