package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

func TestFindOrder(t *testing.T) {
	first, second, outside := t.TempDir(), t.TempDir(), t.TempDir()
	source := Source{Name: "toy", Folder: "uci", Files: []File{{Name: "toy.csv", Committed: "toy.csv.gz"}}}
	find := func(want string) {
		t.Helper()
		filetest.Want(t, filetest.Must(source.Find())(t), want, "what is found")
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
	filetest.Check(t, os.Mkdir(filepath.Join(folder, "toy.csv"), 0o755)) // a folder with the file's name is not it
	t.Chdir(folder)
	t.Setenv(PathVariable, strings.Join([]string{absent, file, folder}, string(os.PathListSeparator)))
	toy := Source{Name: "toy", Folder: "uci", Files: []File{{Name: "toy.csv", Committed: "toy.csv.gz"}}}
	executable, _ := os.Executable()
	filetest.WantError(t, filetest.Failure(toy.Find()), "found none of toy.csv.zst, toy.csv.gz, toy.csv; looked in",
		absent+" (no such file or directory)", file+" (a file, not a folder)", "\t"+folder+"\n",
		filepath.Join(filepath.Dir(executable), "data", "uci"), PathVariable, "checkout of "+Module)
}
