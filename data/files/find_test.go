package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/datatest"
)

func TestFindOrder(t *testing.T) {
	first, second, outside := t.TempDir(), t.TempDir(), t.TempDir()
	source := Source{Name: "toy", Folder: "uci", Files: []File{{Name: "toy.csv", Committed: "toy.csv.gz"}}}
	find := func(want string) {
		t.Helper()
		if got, err := source.Find(); err != nil || got != want {
			t.Errorf("Find() = %q, %v, want %q", got, err, want)
		}
	}
	datatest.Write(t, filepath.Join(outside, "go.mod"), "// ours\nmodule "+Module+" // comment\n")
	datatest.Write(t, filepath.Join(outside, "nested", "go.mod"), "module other\n")
	t.Chdir(filepath.Join(outside, "nested"))
	t.Setenv(PathVariable, strings.Join([]string{"", first, second}, string(os.PathListSeparator)))

	find(datatest.Write(t, filepath.Join(outside, "data", "uci", "toy.csv.gz"), "x"))
	find(datatest.Write(t, filepath.Join(second, "toy.csv.gz"), "x"))
	find(datatest.Write(t, filepath.Join(first, "toy.csv"), "x"))
	find(datatest.Write(t, filepath.Join(first, "toy.csv.gz"), "x"))
	find(datatest.Write(t, filepath.Join(first, "toy.csv.zst"), "x"))
}

func TestFindNamesEveryPlace(t *testing.T) {
	folder := t.TempDir()
	file := datatest.Write(t, filepath.Join(folder, "file.csv"), "x")
	absent := filepath.Join(folder, "absent")
	if err := os.Mkdir(filepath.Join(folder, "toy.csv"), 0o755); err != nil { // a folder with the file's name is not it
		t.Fatal(err)
	}
	t.Chdir(folder)
	t.Setenv(PathVariable, strings.Join([]string{absent, file, folder}, string(os.PathListSeparator)))
	_, err := Source{Name: "toy", Folder: "uci", Files: []File{{Name: "toy.csv", Committed: "toy.csv.gz"}}}.Find()
	if err == nil {
		t.Fatal("no error")
	}
	executable, _ := os.Executable()
	for _, want := range []string{
		"found none of toy.csv.zst, toy.csv.gz, toy.csv; looked in", absent + " (no such file or directory)", file + " (a file, not a folder)", "\t" + folder + "\n",
		filepath.Join(filepath.Dir(executable), "data", "uci"), PathVariable, "checkout of " + Module,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}
