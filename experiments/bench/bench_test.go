package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gophe/experiments/result/resulttest"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// tiny returns a bench of a few steps of Adult's first rows, which does no other task.
func tiny(t *testing.T, folder string) *Bench {
	t.Helper()
	return &Bench{Backend: filetest.Must(backend.Open(backend.Go))(t), BackendName: "go", Version: "1", Machine: "this", Task: "adult",
		works: []work{{"Adult PHE", "adult", 2, 3}, {"Retail DKF", "dkf", 1, 1}}, Replicas: []int{1, 2, 3},
		limits: limits{seconds: 60}, File: filepath.Join(folder, "bench.jsonl"), AllowAltered: true,
		Say: func(note string) { t.Error(note) }, Progress: func(float64, string) {}}
}

// run returns the lines of a bench and the times when they were measured.
func (b *Bench) run(t *testing.T) (lines []Line, times []string) {
	t.Helper()
	lines = filetest.Must(b.Run(context.Background()))(t)
	for _, l := range lines {
		times = append(times, l.Time)
	}
	return lines, times
}

// Each line has the median of the calls that compiled nothing.
func TestBench(t *testing.T) {
	lines, _ := tiny(t, t.TempDir()).run(t)
	filetest.Want(t, len(lines), 3, "lines")
	for i, l := range lines {
		atLeast := 2*l.StepSeconds*calls/2 + 80*l.RowSeconds // half of the calls take at least the median, and so does a chunk of three
		filetest.Want(t, l.Replicas, i+1, "replicas of line %d", i)
		filetest.Want(t, l.Program, "gophe", "program of line %d", i)
		filetest.True(t, l.StepSeconds > 0 && l.RowSeconds > 0 && l.CompileSeconds > 0 && l.PeakBytes > 1e6,
			"line %d lacks a number: %+v", i, l)
		filetest.True(t, l.Seconds >= atLeast, "line %d took less than %g s: %+v", i, atLeast, l)
	}
	m := meter{each: []float64{9, 1, 2, 4}}
	filetest.Want(t, m.median(), 3, "median")
}

// A finished line is taken over. One that a kill has cut is measured again, and so is one of another program, machine, backend or setting.
func TestBenchTakesOver(t *testing.T) {
	folder := t.TempDir()
	two := func() *Bench {
		b := tiny(t, folder)
		b.Replicas = []int{1, 2}
		return b
	}
	_, first := two().run(t)
	_, again := two().run(t)
	filetest.Want(t, again, first, "times of finished lines")
	file := two().File
	content := filetest.Must(os.ReadFile(file))(t)
	filetest.Check(t, os.WriteFile(file, content[:len(content)-20], 0o644))
	_, again = two().run(t)
	filetest.Want(t, again[0], first[0], "time of the line before a cut one")
	filetest.True(t, again[1] != first[1], "a line that was cut is not measured again")
	filetest.Want(t, len(filetest.Must(readLines(file))(t)), 2, "lines in the file")
	for name, change := range map[string]func(*Bench){
		"version": func(b *Bench) { b.Version = "2" }, "machine": func(b *Bench) { b.Machine = "that" },
		"backend": func(b *Bench) { b.BackendName = "xla:cpu" }, "steps": func(b *Bench) { b.works[0].steps = 1 },
		"XLA_FLAGS": func(*Bench) { t.Setenv("XLA_FLAGS", "--other") },
	} {
		other := tiny(t, folder)
		other.Replicas = []int{1}
		if change(other); name == "version" {
			t.Setenv("XLA_FLAGS", "")
		}
		_, times := other.run(t)
		filetest.True(t, times[0] != first[0], "a line of another %s is taken over", name)
	}
}

// childFolder is the variable that makes this test program a bench to kill.
const childFolder = "GOPHE_TEST_BENCH_FOLDER"

// Whatever a kill interrupts, finished lines stay, and the next call measures the others.
func TestBenchKilled(t *testing.T) {
	if folder := os.Getenv(childFolder); folder != "" {
		b := tiny(t, folder)
		b.Progress = func(done float64, _ string) {
			if done > 0.5 { // two lines are finished, and the third is under way
				time.Sleep(time.Hour)
			}
		}
		b.run(t)
		return
	}
	folder := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=TestBenchKilled")
	child.Env = append(os.Environ(), childFolder+"="+folder, "TMPDIR="+t.TempDir())
	filetest.Check(t, child.Start())
	var finished []Line
	for began := time.Now(); len(finished) < 2 && time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
		finished, _ = readLines(tiny(t, folder).File)
	}
	filetest.Check(t, child.Process.Kill())
	_ = child.Wait()
	_, times := tiny(t, folder).run(t)
	filetest.Want(t, len(finished), 2, "lines that were finished before the kill")
	filetest.Want(t, len(times), 3, "lines after it")
	filetest.Want(t, times[:2], []string{finished[0].Time, finished[1].Time}, "times of the finished lines")
}

// What does not fit is left out. The first line is what estimates start from.
func TestBenchLeavesOut(t *testing.T) {
	b := tiny(t, t.TempDir())
	b.limits.bytes = 1
	lines, _ := b.run(t)
	filetest.True(t, lines[0].LeftOut == "" && lines[0].StepSeconds > 0, "the first line is left out: %+v", lines[0])
	for _, l := range lines[1:] {
		filetest.True(t, strings.HasPrefix(l.LeftOut, "left out: needs ") && strings.HasSuffix(l.LeftOut, " GiB"),
			"1 byte is enough for %+v", l)
		filetest.True(t, l.StepSeconds == 0 && l.RowSeconds == 0, "%+v was measured", l)
	}
}

// Without Python, or without its packages, one line says so, and the bench continues.
func TestBenchWithoutRivals(t *testing.T) {
	for python, want := range map[string]string{
		filepath.Join(t.TempDir(), "python3"):                          "no Python that works",
		fakePython(t, `echo '{"numpy": "", "jax": "", "torch": "9"}'`): "has no numpy, no jax;",
	} {
		var notes []string
		b := tiny(t, t.TempDir())
		b.Python, b.Replicas, b.Say = python, []int{1}, func(note string) { notes = append(notes, note) }
		lines, _ := b.run(t)
		filetest.Want(t, len(lines), 1, "lines")
		filetest.Want(t, len(notes), 1, "notes")
		filetest.WantWords(t, notes[0], want)
	}
}

// A rival gets the exported data and as many steps as ours, and its figures become lines. One that fails is named.
func TestBenchRival(t *testing.T) {
	b := tiny(t, t.TempDir())
	b.Python = fakePython(t, `
if [ "$1" = -c ]; then echo '{"numpy": "2", "jax": "1.2", "torch": ""}'; exit; fi
case "$*" in *"--seeds 3"*) echo "trace"; echo "ValueError: three" >&2; exit 1;; esac
case "$*" in *"/phe_jax.py --data "*"/adult --task adult --seeds "*" --steps 2 --repeat 6 --chunks 3 --device cpu") ;;
  *) echo "called with $*" >&2; exit 2;; esac
[ -f "$4/meta.json" ] || { echo "no data" >&2; exit 2; }
echo '{"framework": "jax", "steps": 12, "seconds": 24, "stream_seconds": 4, "step_median": 2, "row_median": 0.125, "compile_seconds": 3, "peak_host_mb": 5}'`)
	var notes []string
	b.Say = func(note string) { notes = append(notes, note) }
	lines, err := b.Run(context.Background())
	filetest.WantError(t, err, "failed, as said above: 1")
	filetest.Want(t, len(notes), 2, "notes")
	filetest.WantWords(t, notes[1], "jax failed on Adult PHE: ValueError: three")
	var order []string
	for _, l := range lines {
		if order = append(order, l.Program); l.Program == "jax" {
			got := []float64{l.StepSeconds, l.RowSeconds, l.Seconds, l.CompileSeconds, l.PeakBytes}
			filetest.Want(t, got, []float64{2, 0.125, 28, 3, 5e6}, "numbers of the rival's line")
			filetest.True(t, strings.HasSuffix(l.Version, " 1.2") && l.Backend == "cpu", "the rival's line is %+v", l)
		}
	}
	filetest.Want(t, strings.Join(order, " "), "gophe jax gophe jax gophe", "programs of the lines")
}

// fakePython writes a program that replaces Python.
func fakePython(t *testing.T, script string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "python3")
	filetest.Check(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	return path
}

func TestMain(m *testing.M) { os.Exit(resulttest.Main(m)) }
