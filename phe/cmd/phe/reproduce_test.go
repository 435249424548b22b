package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
		code, stdout, stderr := finish(t, c, func() {
			for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				if _, err := os.Stat(second); err == nil {
					break
				}
			}
			_ = c.Process.Signal(os.Interrupt)
		})
		if code != exitInterrupted || !strings.Contains(stderr, "stopped; the same command continues from "+out+"/adult-online.json\n") || strings.Contains(stderr, "--resume") {
			t.Fatalf("session %d: exit code %d, want %d\nstdout %s\nstderr %s", session, code, exitInterrupted, stdout, stderr)
		}
		if !strings.HasPrefix(stdout, "two-items ") || strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, "peak memory") {
			t.Errorf("session %d: stdout %q", session, stdout)
		}
		info := filetest.Must(os.Stat(first))(t)
		if session == 0 {
			before = info
		} else if !os.SameFile(before, info) {
			t.Error("the finished result was written again")
		}
	}
}

// --list runs nothing, and lists the finished results.
func TestReproduceList(t *testing.T) {
	out := t.TempDir()
	if code, _, stderr := call(t, "", "run", "two-items", "--out", out, "--backend", "go"); code != 0 {
		t.Fatal(stderr)
	}
	code, stdout, stderr := call(t, "", "reproduce", "--list", "classification", "--out", out)
	if lines := strings.Split(stdout, "\n"); code != 0 || !strings.HasPrefix(lines[0], "classification   two-items                  complete ") ||
		lines[1] != "classification   adult-online               not there" || !strings.Contains(stdout, "in all") || strings.Contains(stdout, "retail") {
		t.Errorf("exit code %d, stderr %s, stdout\n%s", code, stderr, stdout)
	}
	if code, stdout, _ := call(t, "", "reproduce", "--list", "--out", out); code != 0 || !strings.Contains(stdout, "retail           retail-phe") {
		t.Errorf("all studies: exit code %d\n%s", code, stdout)
	}
	if code, _, stderr := call(t, "", "reproduce", "--list", "regression", "--out", out); code != exitError || !strings.Contains(stderr, `"regression"`) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
