package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// The programs of the README and of library.md are whole: they build in another module, which depends on this one as the pages say. The
// long form runs them and compares their output.
func TestPrograms(t *testing.T) {
	checkout := filetest.Must(filepath.Abs(".."))(t)
	module := strings.Replace(read(t, "../go.mod"), "module gophe\n",
		"module example.org/yours\nrequire gophe v0.0.0\nreplace gophe => "+checkout+"\n", 1)
	for path, output := range map[string]string{"../README.md": `\[Ben yes\] 0\.9\d+ 19\n40 rows learned`, "library.md": ""} {
		code := ""
		for _, m := range fence.FindAllStringSubmatch(read(t, path), -1) {
			switch {
			case m[1] == "go" && strings.Contains(m[2], "package main"):
				code = m[2]
			case m[1] == "text" && path == "library.md":
				output = "^" + regexp.QuoteMeta(m[2]) + "$"
			}
		}
		filetest.True(t, !strings.Contains(code, "gobackend"), "%s: backend.Open opens one that does not hang", path)
		command := exec.Command("go", "vet", "-mod=mod", ".")
		if filetest.Long() {
			command = exec.Command("go", "run", "-mod=mod", ".", filepath.Join(checkout, "phe/models/tabular/testdata/orders.csv"))
		}
		command.Dir, command.Env = t.TempDir(), append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
		for name, content := range map[string]string{"go.mod": module, "go.sum": read(t, "../go.sum"), "main.go": code,
			"visits.csv": "customer,buys\n" + strings.Repeat("Ada,no\nBen,yes\n", 20)} {
			filetest.Check(t, os.WriteFile(filepath.Join(command.Dir, name), []byte(content), 0o644))
		}
		got, err := command.CombinedOutput()
		filetest.True(t, err == nil && code != "", "%s: %v: %s", path, err, got)
		says := !filetest.Long() || regexp.MustCompile(output).Match(got)
		filetest.True(t, says, "%s: it says\n%s, and the page\n%s", path, got, output)
	}
}
