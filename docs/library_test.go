package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// The program of library.md is whole: it builds in another module, which depends on this one as the page says. The long form runs it and
// compares its output.
func TestLibraryProgram(t *testing.T) {
	page, code, output := read(t, "library.md"), "", ""
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		switch {
		case m[1] == "go" && strings.Contains(m[2], "package main"):
			code = m[2]
		case m[1] == "text":
			output = m[2]
		}
	}
	folder, checkout := t.TempDir(), filetest.Must(filepath.Abs(".."))(t)
	module := strings.Replace(read(t, "../go.mod"), "module gophe\n", "module example.org/yours\nrequire gophe v0.0.0\nreplace gophe => "+checkout+"\n", 1)
	for name, content := range map[string]string{"go.mod": module, "go.sum": read(t, "../go.sum"), "main.go": code} {
		filetest.Check(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	args := []string{"vet", "-mod=mod", "."}
	if os.Getenv("GOPHE_TEST") == "long" {
		args = []string{"run", "-mod=mod", ".", filepath.Join(checkout, "phe/models/tabular/testdata/orders.csv")}
	}
	command := exec.Command("go", args...)
	command.Dir, command.Env = folder, append(os.Environ(), "CGO_ENABLED=0")
	got, err := command.CombinedOutput()
	if err != nil || code == "" || args[0] == "run" && string(got) != output {
		t.Errorf("%v: it says\n%s, and the page\n%s", err, got, output)
	}
}
