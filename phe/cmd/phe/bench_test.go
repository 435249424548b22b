package main

import (
	"os"
	"path/filepath"
	"testing"

	"gophe/experiments/bench"
	"gophe/phe/disk/filetest"
)

// A flag of one workload gives one line of JSON, and no file.
func TestBenchOneWorkload(t *testing.T) {
	call := call(t, "", "bench", "--task", "adult", "--seeds", "2", "--steps", "1", "--chunks", "1", "--backend", "go")
	m := objects[bench.Measurement](t, call)[0]
	filetest.Want(t, m.Framework+" "+m.Task, "gophe adult", "framework and task")
	filetest.Want(t, []int{m.Seeds, m.Steps, m.Chunks}, []int{2, 1, 1}, "seeds, steps and chunks")
	filetest.True(t, m.Seconds > 0 && m.Scores["accuracy"] > 0.1, "%+v", m)
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
	r := interrupt(t, c, found(scratch, "*")) // it has begun when its folder is there
	r.ends(t, exitInterrupted, "stopped; "+path+" keeps the finished lines, and the same command continues\n")
	filetest.Want(t, r.stdout, "", "output")
	filetest.WantFiles(t, scratch)
	filetest.Want(t, string(filetest.Must(os.ReadFile(path))(t)), other, "the file of lines")
}
