package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

// TestMeasure: words and sentences are counted in comments, and only words elsewhere.
func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		text text
		want figures
	}{
		{text{words: " It holds 3 rows. They are sorted", comment: true}, figures{words: 6, phrases: 1, commentWords: 6, commentStops: 2}},
		{text{words: "unknown column."}, figures{words: 2, phrases: 1}},
		{text{words: "// 3", comment: true}, figures{phrases: 1}},
	} {
		if got := c.text.measure(1); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.text.words, got, c.want)
		}
	}
	if got := (figures{words: 4, phrases: 2}).rate(); got != 500 {
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
			content: "// Package a is `code`.\n//\n//\tcode\n//go:embed x\npackage a\n\nvar x = f(errors.Errorf(\"no %s\"+\n\t\" here\", name), \"not read\")\nvar c = Command{Short: \"does it\"}\nfunc init() { c.Flags().StringVar(&y, \"name\", \"\", \"a name\") }\n",
			want: []text{
				{line: 1, words: " Package a is       .\n\n\n", comment: true}, {line: 7, words: "no %s"}, {line: 8, words: " here"},
				{line: 9, words: "does it"}, {line: 10, words: "a name"},
			},
		},
		"a.md": {
			content: "# Title\n\nOne\ntwo.\n- three\n\n| table |\n```\ncode\n```\nlast [link](target)",
			want: []text{
				{line: 1, words: "# Title"}, {line: 3, words: "One\ntwo."}, {line: 5, words: "- three"}, {line: 11, words: "last [link         "},
			},
		},
		"a.ipynb": {
			content: "\"cell_type\": \"markdown\",\n\"source\": [\n\"a \\\"word\\\"\\n\",\n\"| table\"\n]\n\"cell_type\": \"code\",\n\"source\": [\n\"code\"\n]",
			want:    []text{{line: 3, words: "a \"word\""}},
		},
		"a.py": {
			content: "\"\"\"It does.\n\nMore.\"\"\"\nx = \"#no\" # why\n# one\n# two\n\"\"\"Short.\"\"\"\n",
			want: []text{
				{line: 1, words: "It does.", comment: true}, {line: 3, words: "More.", comment: true}, {line: 4, words: "why", comment: true},
				{line: 5, words: "one\ntwo", comment: true}, {line: 7, words: "Short.", comment: true},
			},
		},
		"Makefile": {
			content: "a: b ## build a\n\tgo build\n",
			want:    []text{{line: 1, words: "build a", comment: true}},
		},
	} {
		got, err := readerOf(path)(c.content)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", path, got, err, c.want)
		}
	}
	for _, path := range []string{"a.csv", "testdata/a.py"} {
		if readerOf(path) != nil {
			t.Errorf("%s is read", path)
		}
	}
}

// TestRun: a folder above the limit fails, even where the whole repository is below it.
func TestRun(t *testing.T) {
	root := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, words string) {
		must(os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
		must(os.WriteFile(filepath.Join(root, path), []byte(words), 0o644))
	}
	write("good/a.md", strings.Repeat("word ", 2000))
	write("bad/a.md", strings.Repeat("word ", 600))
	write("untracked/a.md", strings.Repeat("those of ", 600))
	must(exec.Command("git", "init", "-q", root).Run())
	must(exec.Command("git", "-C", root, "add", "good", "bad").Run())
	var out strings.Builder
	must(run(&out, root, false, 2))
	if strings.Contains(out.String(), "bad/a.md") {
		t.Errorf("a file is listed without need: %s", out.String())
	}

	write("bad/a.md", strings.Repeat("word ", 600)+"those of what it is")
	out.Reset()
	if err := run(&out, root, true, 2); err == nil || !strings.Contains(err.Error(), "bad has 3.31 hard phrases") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{"bad/a.md:1: ", "   2 bad/a.md\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
}
