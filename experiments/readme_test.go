package experiments

import (
	"flag"
	"os"
	"regexp"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the README's tables from the result files in out")

// The README shows no number of its own: each table between markers is what the named command prints.
func TestReadmeTables(t *testing.T) {
	const path = "../README.md"
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	marked := regexp.MustCompile(`(?s)<!-- phe table ([\w-]+) --out experiments/out -->\n(.*?)<!-- end -->`)
	blocks := marked.FindAllSubmatch(content, -1)
	if len(blocks) < 4 {
		t.Fatalf("%d marked tables in %s, want tables 1, 4, schemes and speed", len(blocks), path)
	}
	fresh := marked.ReplaceAllFunc(content, func(block []byte) []byte {
		name := string(marked.FindSubmatch(block)[1])
		table, err := Table(name, "out")
		if err != nil {
			t.Fatal(err)
		}
		return []byte("<!-- phe table " + name + " --out experiments/out -->\n" + table + "<!-- end -->")
	})
	if string(fresh) == string(content) {
		return
	}
	if !*update {
		t.Fatalf("%s differs from the result files; run `go test ./experiments -run TestReadmeTables -update`", path)
	}
	if err := os.WriteFile(path, fresh, 0o644); err != nil {
		t.Fatal(err)
	}
}
