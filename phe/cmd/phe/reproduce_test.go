package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// Ctrl-C ends a study with 130 and says that the same command resumes it. Finished results stay as they are.
func TestReproduceInterrupted(t *testing.T) {
	out := t.TempDir()
	first := filepath.Join(out, "two-items.json")      // of the study's specs the first, done at once
	second := filepath.Join(out, ".adult-online.lock") // of the one after it, there once it begins
	var before os.FileInfo
	for session := range 2 {
		_ = os.Remove(second)
		c := program(t, "", "reproduce", "classification", "--seeds", "1", "--backend", "go", "--out", out)
		r := interrupt(t, c, found(second)).ends(t, exitInterrupted, "stopped; the same command continues from "+out+"/adult-online.json\n")
		filetest.WantNone(t, r.stderr, "--resume")
		filetest.True(t, strings.HasPrefix(r.stdout, "two-items ") && strings.Count(r.stdout, "\n") == 1,
			"session %d: stdout %q", session, r.stdout)
		filetest.WantWords(t, r.stdout, "peak memory")
		info := filetest.Must(os.Stat(first))(t)
		filetest.True(t, session == 0 || os.SameFile(before, info), "the finished result was written again")
		before = info
	}
}

// --list runs nothing, and lists the finished results.
func TestReproduceList(t *testing.T) {
	out := t.TempDir()
	call(t, "", "run", "two-items", "--out", out, "--backend", "go").prints(t)
	list := call(t, "", "reproduce", "--list", "classification", "--out", out).prints(t, "in all").stdout
	first := "classification   two-items                  complete "
	filetest.True(t, strings.HasPrefix(list, first), "the list does not begin with %q: %s", first, list)
	filetest.Want(t, lines(list)[1], "classification   adult-online               not there", "second line")
	filetest.WantNone(t, list, "retail")
	call(t, "", "reproduce", "--list", "--out", out).prints(t, "retail           retail-phe")
}
