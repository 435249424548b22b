package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gophe/experiments/bench"
	"gophe/phe/disk/filetest"
)

// A flag of one workload gives one line of JSON, and no file.
func TestBenchOneWorkload(t *testing.T) {
	code, stdout, stderr := call(t, "", "bench", "--task", "adult", "--seeds", "2", "--steps", "1", "--chunks", "1", "--backend", "go")
	var m bench.Measurement
	if err := json.Unmarshal([]byte(stdout), &m); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v, stdout %s, stderr %s", code, err, stdout, stderr)
	}
	if m.Framework != "gophe" || m.Task != "adult" || m.Seeds != 2 || m.Steps != 1 || m.Chunks != 1 || !(m.Seconds > 0) || !(m.Scores["accuracy"] > 0.1) {
		t.Errorf("%+v", m)
	}
}

// Ctrl-C ends the table with 130 and says how to go on. What was finished before is printed, and its file stays as it was.
func TestBenchInterrupted(t *testing.T) {
	out := t.TempDir()
	path := filepath.Join(out, "bench.jsonl")
	const other = `{"program":"gophe","work":"another version's","replicas":1}` + "\n"
	filetest.Check(t, os.WriteFile(path, []byte(other), 0o644))
	scratch := t.TempDir()
	c := program(t, "", "bench", "--backend", "go", "--python", "", "--out", out)
	c.Env = append(c.Env, "TMPDIR="+scratch)
	code, stdout, stderr := finish(t, c, func() {
		for began := time.Now(); len(filesIn(t, scratch)) == 0 && time.Since(began) < time.Minute; { // it has begun when its folder is there
			time.Sleep(10 * time.Millisecond)
		}
		_ = c.Process.Signal(os.Interrupt)
	})
	if code != exitInterrupted || stdout != "" || !strings.Contains(stderr, "stopped; "+path+" keeps the finished lines, and the same command continues\n") {
		t.Errorf("exit code %d, want %d\nstdout %s\nstderr %s", code, exitInterrupted, stdout, stderr)
	}
	if left := filesIn(t, scratch); len(left) > 0 {
		t.Errorf("%q stayed in the folder for temporary files", left)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != other {
		t.Errorf("the file holds %s, %v", content, err)
	}
}
