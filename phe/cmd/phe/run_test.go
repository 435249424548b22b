package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

func TestRun(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	spec := specFile(t, smallSpec(t))
	r := call(t, "", "run", spec, "--out", out, "--backend", "auto") // no plugin: auto is go
	r.prints(t, "small on go in ", "small.json", "| PHE | local |", "| SlowAda (frozen) |")
	f := read(t, out)
	filetest.Want(t, f.Status, result.Complete, "status")
	filetest.Want(t, f.Manifest.DataVerified, true, "data verified")
	filetest.Want(t, len(f.Methods), 6, "methods")
	filetest.Want(t, len(f.Methods[0].Runs), 2, "runs")

	// From two seeds to three, and as JSON.
	cells := objects[report.Cell](t, call(t, "", "run", spec, "--out", out, "--backend", "go", "--resume", "--seeds", "3", "--json"))
	for _, cell := range cells {
		filetest.True(t, cell.Seeds == 3 && cell.Measured != nil, "%+v is not of three seeds", cell)
	}
	filetest.Want(t, len(cells), 12, "cells of 4 methods and 2 rivals by 2 metrics")
}

// An item never seen before is not an error: the paper is about such items.
func TestUnseenItem(t *testing.T) {
	t.Parallel()
	lines, changed := adultLines(t, 50000), 0
	for i := 20000; i < 24000; i++ {
		if replaced := strings.Replace(lines[i], ",Bachelors,", ",Wizardry,", 1); replaced != lines[i] {
			lines[i] = replaced
			changed++
		}
	}
	filetest.True(t, len(lines) == 48843 && changed >= 100, "%d lines, %d of them changed", len(lines), changed)
	folder, out := adultFolder(t, lines), t.TempDir()
	spec := smallSpec(t)
	spec.Protocol.ChunkRows = 1000 // thirty of them are most of the rows
	args := []string{"run", specFile(t, spec), "--out", out, "--backend", "go", "--quick"}
	call(t, folder, args...).ends(t, exitError, "altered", "--allow-altered")
	filetest.WantFiles(t, out)
	call(t, folder, append(args, "--allow-altered")...).prints(t, "small-quick")
	filetest.WantFiles(t, out, "small-quick.json", "small-quick.series")
	f := filetest.Must(result.Read(filepath.Join(out, "small-quick.json")))(t)
	filetest.Want(t, f.Status, result.Complete, "status")
	filetest.Want(t, f.Manifest.DataVerified, false, "data verified")
	filetest.Want(t, len(f.Methods[0].Runs[0].Rows), 3, "steps, of which the spec has but three")
}

// Ctrl-C ends with 130 and a valid partial result, from which --resume goes on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	spec, out := smallSpec(t), t.TempDir()
	spec.Seeds, spec.Protocol.MaxChunks = []int64{0, 1, 2}, 30
	args := []string{"run", specFile(t, spec), "--out", out, "--backend", "go"}
	begun := found(out, ".small.checkpoints", "*.gob") // the first checkpoint says that streams have begun
	r := interrupt(t, program(t, "", args...), begun).ends(t, exitInterrupted, "--resume", filepath.Join(out, "small.json"))
	filetest.Want(t, r.stdout, "", "output")
	partial := read(t, out)
	filetest.Want(t, partial.Status, result.Partial, "status of the stopped run")
	call(t, "", append(args, "--resume")...).prints(t)
	whole := read(t, out)
	filetest.Want(t, whole.Status, result.Complete, "status of the resumed run")
	for i, m := range partial.Methods {
		for _, run := range m.Runs {
			all := whole.Methods[i].Runs[run.Seed].LogLikelihood
			filetest.Want(t, all[:len(run.LogLikelihood)], run.LogLikelihood, "what was there before, %s, seed %d", m.Name, run.Seed)
		}
	}
	filetest.WantFiles(t, out, "small.json", "small.series")
}

// A finished result is left alone, and shown. --force computes it again; stopped, it leaves the finished one as it was.
func TestFinishedResultStays(t *testing.T) {
	t.Parallel()
	spec, out := specFile(t, smallSpec(t)), t.TempDir()
	args := []string{"run", spec, "--out", out, "--backend", "go"}
	call(t, "", args...).prints(t)
	before := contents(t, out)
	call(t, "", args...).prints(t, "small is already finished", "--force", "| PHE | local |")
	filetest.True(t, slices.Equal(contents(t, out), before), "the finished result was touched")

	args = append(args, "--seeds", "4")
	interrupt(t, program(t, "", append(args, "--force")...), found(out, ".small.checkpoints", "*.gob")).
		ends(t, exitInterrupted, "--resume continues from "+filepath.Join(out, "small.partial.json"))
	filetest.True(t, slices.Equal(contents(t, out), before), "the stopped run touched the finished result")
	call(t, "", append(args, "--resume")...).prints(t)
	filetest.Want(t, len(read(t, out).Methods[0].Runs), 4, "seeds")
	filetest.WantFiles(t, out, "small.json", "small.series")
}

// contents are both files of the small result.
func contents(t *testing.T, folder string) (all []string) {
	t.Helper()
	for _, name := range []string{"small.json", "small.series"} {
		all = append(all, string(filetest.Must(os.ReadFile(filepath.Join(folder, name)))(t)))
	}
	return all
}

// A run in which a seed diverged is complete, and ends with an exit code of its own.
func TestDivergedExitCode(t *testing.T) {
	t.Parallel()
	spec, out := smallSpec(t), t.TempDir()
	spec.Model.KLWeight = 1e300
	r := call(t, "", "run", specFile(t, spec), "--out", out, "--backend", "go").ends(t, exitDiverged, "a seed diverged")
	filetest.WantWords(t, r.stdout, "diverged at step")
	filetest.Want(t, read(t, out).Status, result.Complete, "status")
}

// A trace is there for those who ask.
func TestTrace(t *testing.T) {
	c := program(t, "", "run", "no-such")
	c.Env = append(c.Env, "GOPHE_TRACE=1")
	finish(t, c).ends(t, exitError, "decode.go:")
}

func read(t *testing.T, folder string) *result.File {
	t.Helper()
	return filetest.Must(result.Read(filepath.Join(folder, "small.json")))(t)
}

// filesIn lists everything in a folder, hidden or not.
func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	for _, e := range filetest.Must(os.ReadDir(folder))(t) {
		names = append(names, e.Name())
	}
	return names
}

// --force replaces a result, and not the spec in its place.
func TestForceKeepsSpec(t *testing.T) {
	content := filetest.Must(os.ReadFile(filepath.Join("..", "..", "..", "experiments", "spec", "specs", "two-items.json")))(t)
	folder := write(t, "two-items.json", content)
	path := filepath.Join(folder, "two-items.json")
	call(t, "", "run", path, "--out", folder, "--force").
		ends(t, exitError, path+" already exists and holds something other than the result of two-items; name another file with --out")
	filetest.Want(t, string(filetest.Must(os.ReadFile(path))(t)), string(content), "the spec")
}

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
