package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// TestPhrases: hard English is found on its line, and plain English passes.
func TestPhrases(t *testing.T) {
	for _, words := range []string{
		"extreme is that of the seeds' numbers", "what it is", "so many rows", "everything but for the last", "Likewise",
		"genreWidth is how many numbers say", "the one that found the rows", " Of these, two are kept.", "It is read. Of these, two are kept.", "of what it holds",
		"nothing need be learned", "nothing else is known", "the scores beside the paper's", "a run of which no file is left",
	} {
		if found := (text{words: words}).phrases(); len(found) != 1 {
			t.Errorf("%q: %v, want one phrase", words, found)
		}
	}
	for _, words := range []string{
		"What is an item?", "That, of course, is rare.", "Of course it fails.", "Of returns a metric.", "three files, of which one is empty", "each of which is read",
		"the number of rows", "besides", "all files but the last", "the one seed",
	} {
		if found := (text{words: words}).phrases(); len(found) != 0 {
			t.Errorf("%q: %v, want no phrase", words, found)
		}
	}
	if found := (text{line: 10, words: "one\ntwo\nthose\nof three"}).phrases(); len(found) != 1 || found[0].line != 12 {
		t.Errorf("%v, want a phrase in line 12", found)
	}
}

// TestCount: words are counted, and no numbers.
func TestCount(t *testing.T) {
	if got := (text{words: " It holds 3 rows. They are sorted // 3"}).count(); got != 6 {
		t.Errorf("%d words, want 6", got)
	}
	if got := (count{words: 4, phrases: 2}).rate(); got != 500 {
		t.Errorf("rate %v, want 500", got)
	}
}

// TestKinds: each kind of file gives its prose with lines, and no code.
func TestKinds(t *testing.T) {
	for path, c := range map[string]struct {
		content string
		want    []text
	}{
		"a.go": {
			content: "// Package a is `code`.\n//\n//\tcode\n//go:embed x\npackage a\n\nvar x = f(\"no %s is here\"+\n\t\" nor there either\", name, \"not read\")\n",
			want: []text{
				{line: 1, words: " Package a is       .\n\n\n"}, {line: 7, words: "no %s is here"}, {line: 8, words: " nor there either"},
			},
		},
		"a.md": {
			content: "One\ntwo `x`.\n\n| table |\n```\ncode\n```\nlast [link](target)",
			want:    []text{{line: 1, words: "One\ntwo    .\n\n         \n   \n    \n   \nlast [link         "}},
		},
		"a.ipynb": {
			content: `{"cells": [{"cell_type": "code", "source": ["x"]}, {"cell_type": "markdown", "source": ["a \"word\"\n", "b"]}]}`,
			want:    []text{{line: 2, words: "a \"word\"\nb"}},
		},
	} {
		got, err := readers[filepath.Ext(path)](path, c.content)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", path, got, err, c.want)
		}
	}
	if got, err := read(".", "testdata/a.md"); got != nil || err != nil {
		t.Errorf("test data is read: %v, %v", got, err)
	}
}

// TestRun: a folder above the limit fails, even where the whole repository is below it.
func TestRun(t *testing.T) {
	root := t.TempDir()
	write := func(path, words string) {
		filetest.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
		filetest.Check(t, os.WriteFile(filepath.Join(root, path), []byte(words), 0o644))
	}
	write("good/a.md", strings.Repeat("word ", 2000))
	write("bad/a.md", strings.Repeat("word ", 600))
	write("untracked/a.md", strings.Repeat("those of ", 600))
	filetest.Check(t, exec.Command("git", "init", "-q", root).Run())
	filetest.Check(t, exec.Command("git", "-C", root, "add", "good", "bad").Run())
	filetest.Check(t, run(io.Discard, root, false))

	write("bad/a.md", strings.Repeat("word ", 600)+"those of what it is")
	var out strings.Builder
	filetest.WantError(t, run(&out, root, true), "bad has 3.31 hard phrases")
	if !strings.Contains(out.String(), "bad/a.md:1: ") {
		t.Errorf("no phrase is listed: %s", out.String())
	}
}

// TestOrder: calls and methods are arrows, types and the standard library are none, and a fifth may run upwards.
func TestOrder(t *testing.T) {
	root := t.TempDir()
	write := func(name, content string) {
		filetest.Check(t, os.WriteFile(filepath.Join(root, name+".go"), []byte("package p\n"+content), 0o644))
	}
	write("ground", "import \"fmt\"\n\ntype T struct{ top U }\n\nfunc (T) method() { fmt.Println() }\n\nfunc function() {}")
	write("middle", "func between(t T) { t.method(); t.method(); function() }")
	write("top", "type U struct{}\n\nfunc reach(t T) { t.method(); between(t) }")
	doc := func(files string) (int, []arrow, error) {
		filetest.Check(t, os.WriteFile(filepath.Join(root, "doc.go"), []byte("// Package p is read.\n//\n"+files+"package p\n"), 0o644))
		return checkOrder(root, "doc.go")
	}
	if all, up, err := doc("// Files, lowest first: ground middle\n// top.\n"); all != 3 || up != nil || err != nil {
		t.Errorf("%d arrows, up %v, %v; want three, none of them upwards", all, up, err)
	}
	_, up, err := doc("// Files, lowest first: middle ground top.\n")
	filetest.WantError(t, err, "1 of 3 arrows between files run upwards")
	if !slices.Equal(up, []arrow{{"middle", "ground"}}) {
		t.Errorf("%v run upwards, want the one from middle to ground", up)
	}
	_, _, err = doc("// Files, lowest first: ground middle.\n")
	filetest.WantError(t, err, "names the files [ground middle], and the package has [ground middle top]")
	if all, _, err := doc(""); all != 0 || err != nil {
		t.Errorf("a package without an order has %d arrows, %v", all, err)
	}
}
