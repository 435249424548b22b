package docs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

// within reports whether a package is in one of the folders.
func within(path string, folders ...string) bool {
	for _, folder := range folders {
		if path == folder || strings.HasPrefix(path, folder+"/") {
			return true
		}
	}
	return false
}

// mayUse is the rule of the architecture page for an import.
func mayUse(from, to string) bool {
	switch {
	case from == "phe/cmd/phe" || within(from, "phe/cmd/phe/study", "notebooks"):
		return true
	case within(from, "phe"):
		return within(to, "phe") && (within(from, "phe/cmd") || !within(to, "phe/cmd"))
	case within(from, "data"):
		return within(to, "data", "phe/records", "phe/remedy", "phe/disk/filetest")
	case within(from, "experiments"):
		return !within(to, "figures", "notebooks", "phe/cmd", "phe/live")
	case within(from, "figures"):
		return !within(to, "notebooks", "phe/cmd", "phe/live")
	}
	return true
}

// A driver, a server and the commands know no kind of source, store or place: these packages alone do.
func TestRooms(t *testing.T) {
	kind := regexp.MustCompile(`\.\(\*?(source|store|checkpoint)\.\w+\)|case \*?(source|store|checkpoint)\.\w+[:,]`)
	looked := 0
	filetest.Check(t, filepath.WalkDir("../phe", func(path string, _ fs.DirEntry, err error) error {
		if room := filepath.Base(filepath.Dir(path)); err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
			room == "source" || room == "store" {
			return err
		}
		looked++
		if found := kind.Find(filetest.Must(os.ReadFile(path))(t)); found != nil {
			t.Errorf("%s asks for a kind: %s", path, found)
		}
		return nil
	}))
	filetest.True(t, looked > 100 && kind.MatchString("d.store.(*store.NATS)") && kind.MatchString("case source.Early:"), "nothing is seen")
}

// Imports follow the page's floors, and those of the product's tests do too. The page names each folder of phe and experiments.
// `go doc ./phe` names files that are there.
func TestArchitecture(t *testing.T) {
	page := read(t, "architecture.md")
	sections := strings.Join(regexp.MustCompile(`(?m)^//\t.*$`).FindAllString(read(t, "../phe/doc.go"), -1), "")
	sections = strings.ReplaceAll(sections, "//", " ")
	for _, path := range regexp.MustCompile(`[a-z][a-z/]*(?:/|\.go)`).FindAllString(sections, -1) {
		_, err := os.Stat(filepath.Join("..", "phe", path))
		filetest.True(t, err == nil, "go doc ./phe: %v", err)
	}
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}{{"\n"}}`+
		`{{.ImportPath}} tests {{join .TestImports " "}} {{join .XTestImports " "}}`, "./...")
	list.Dir = ".."
	for line := range strings.Lines(string(filetest.Must(list.Output())(t))) {
		words := strings.Fields(line)
		opens := slices.Contains(words, "github.com/gomlx/compute/gobackend") && words[0] != files.Module+"/phe/learn/backend"
		filetest.True(t, !opens, "%s opens GoMLX's backend by itself, which can hang; backend.Open does not", words[0])
		if slices.Contains(words, "tests") && !strings.HasPrefix(line, files.Module+"/phe/") {
			continue // a test of the study may run the product
		}
		for i, w := range words {
			words[i] = strings.TrimPrefix(w, files.Module+"/")
			allowed := words[i] == w || i == 0 || mayUse(words[0], words[i])
			filetest.True(t, allowed, "%s imports %s; the architecture page has the rule", words[0], words[i])
		}
		parts := strings.Split(words[0], "/")
		if len(parts) > 1 && within(words[0], "phe", "experiments") {
			filetest.True(t, strings.Contains(page, parts[1]), "the page does not name %s", words[0])
		}
	}
}
