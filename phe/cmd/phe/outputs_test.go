package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/phe/cmd/phe/study"
	"gophe/phe/disk/filetest"
	"gophe/phe/disk/outfile"
)

// Each place that writes leaves alone a file of another kind: itself, a hard link to it, a symbolic link, and a file beside the segments
// of a journal. No error advises what would destroy it.
func TestOutputsReplaceTheirKind(t *testing.T) {
	table := "c,p,y\n" + strings.Repeat("a,1,no\nb,2,yes\nc,1,no\n", 40)
	kinds := map[string]string{"m.phe": "gophe checkpoint 1\n{}", "journal": "gophe journal 1 ", "x.series": "gophe series 2\n(\xb5/\xfd",
		"x.json": `{"schema": 2, "name": "x", "status": "complete"}`, "spec.json": `{"name": "x", "title": "a spec"}`, "in.csv": table,
		"notes": "years of work\n",
		"x.gob": "gophe run state 4\n\x00\x01"}
	source := write(t, "in.csv", []byte(table))
	in, own := filepath.Join(source, "in.csv"), filepath.Join(source, "own.phe")
	run := func(args ...string) error {
		c := command()
		c.SetArgs(args)
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		return c.Execute()
	}
	learn := []string{"stream", in, "--target", "y", "--memory", "16K", "--model"}
	filetest.Check(t, run(append(learn, own)...))
	whole := func(kind outfile.Kind) func(path string) error {
		return func(path string) error { return result.WriteWhole(path, kind, []byte("new")) }
	}
	places := map[string]func(path string) error{
		"f.csv": func(to string) error { return run("predict", own, in, "--to", to, "--overwrite") },
		"new.csv": func(to string) error {
			return run(append(learn, filepath.Join(source, "n.phe"), "--predictions", to, "--overwrite")...)
		},
		"force.csv": func(to string) error {
			return run(append(learn, own, "--force", "--predictions", to, "--overwrite")...)
		},
		"model.phe":              func(to string) error { return run(append(learn, to, "--force")...) },
		"e.csv":                  func(to string) error { return run("data", "export", "mushroom", "--to", to, "--overwrite") },
		"fig02-encoder.svg":      func(to string) error { return run("figure", "2", "--to", filepath.Dir(to)) },
		"two-items.json":         func(to string) error { return run("run", "two-items", "--force", "--out", filepath.Dir(to)) },
		"two-items.series.new":   func(to string) error { return run("run", "two-items", "--out", filepath.Dir(to)) },
		"two-items.partial.json": func(to string) error { return run("run", "two-items", "--refresh", "--out", filepath.Dir(to)) },
		"REPRODUCTION.md":        whole(study.Page), "array.bin": whole(outfile.Numbers),
	}
	forms := []func(from, to string) error{os.Rename, os.Link, os.Symlink, os.Rename} // the last in the folder of a journal
	tried := 0
	for name, place := range places {
		for kind, content := range kinds {
			for i, form := range forms {
				if tried++; name == "model.phe" && kind == "m.phe" || name == "two-items.series.new" && kind == "x.series" {
					continue // its own kind
				}
				if !filetest.Long() && tried%16 > 0 {
					continue
				}
				top := filetest.Folder(t)
				folder := filepath.Join(top, "m.phe.journal")
				filetest.Check(t, os.Mkdir(folder, 0o755))
				thing := filepath.Join(top, "thing")
				filetest.Check(t, os.WriteFile(thing, []byte(content), 0o644))
				if i == 3 {
					filetest.Check(t, os.WriteFile(filepath.Join(folder, "00000000000000000001.journal"), nil, 0o644))
				}
				filetest.Check(t, form(thing, filepath.Join(folder, name)))
				before := everything(t, top, false)
				what := fmt.Sprintf("%s over %s, form %d", name, kind, i)
				err := place(filepath.Join(folder, name))
				filetest.True(t, err != nil, "%s is no error", what)
				filetest.WantNone(t, fmt.Sprint(err), "--overwrite", "remove")
				filetest.Want(t, everything(t, top, false), before, "files after %s", what)
			}
		}
	}
}
