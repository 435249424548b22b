package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"gophe/data/ratings"
	"gophe/experiments/report"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// programVariable makes this test program be phe itself: exit codes and signals are the program's own, and nothing is built for them.
const programVariable = "GOPHE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) == "" {
		os.Exit(m.Run())
	}
	main()
}

// program is a call of phe, with no plugin installed and data only from a folder of the test's, if one is given.
func program(t *testing.T, dataFolder string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), programVariable+"=1", "GOPHE_CACHE="+t.TempDir(), "PHE_DATA="+dataFolder, "GOPHE_TRACE=")
	return c
}

// ran is a call of phe that has ended.
type ran struct {
	args           []string
	code           int
	stdout, stderr string
}

// ends demands an exit code, and checks that the diagnostics have all words.
func (r ran) ends(t *testing.T, code int, words ...string) ran {
	t.Helper()
	if r.code != code {
		t.Fatalf("phe %q: exit code %d, want %d\nstdout %s\nstderr %s", r.args, r.code, code, r.stdout, r.stderr)
	}
	filetest.WantWords(t, r.stderr, words...)
	return r
}

// prints demands that the call has succeeded, and checks that its output has all words.
func (r ran) prints(t *testing.T, words ...string) ran {
	t.Helper()
	r.ends(t, 0)
	filetest.WantWords(t, r.stdout, words...)
	return r
}

// lines returns the lines of an output.
func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// objects returns the JSON objects that a call has printed, one a line.
func objects[T any](t *testing.T, r ran) (all []T) {
	t.Helper()
	for _, line := range lines(r.prints(t).stdout) {
		var one T
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&one); err != nil {
			t.Fatal(err, line)
		}
		all = append(all, one)
	}
	return all
}

// call runs phe to its end.
func call(t *testing.T, dataFolder string, args ...string) ran {
	t.Helper()
	return finish(t, program(t, dataFolder, args...))
}

// within runs phe to its end in the test's own process, where a start costs nothing: for calls that end before they compute.
func within(t *testing.T, dataFolder string, args ...string) ran {
	t.Helper()
	for name, value := range map[string]string{"GOPHE_CACHE": t.TempDir(), "PHE_DATA": dataFolder, "GOPHE_TRACE": ""} {
		t.Setenv(name, value)
	}
	var out, err bytes.Buffer
	root := command()
	root.SetOut(&out)
	root.SetErr(&err)
	root.SetArgs(args)
	code := ending(root.ExecuteContext(t.Context()), &err)
	return ran{args, code, out.String(), err.String()}
}

// Each text that does not fit on the disk is an error.
func TestFullDisk(t *testing.T) {
	for _, args := range []string{"list", "doctor", "data list", "--help", "stream --help"} {
		c, said := program(t, "", strings.Fields(args)...), bytes.Buffer{}
		c.Stdout, c.Stderr = filetest.Must(os.OpenFile("/dev/full", os.O_WRONLY, 0))(t), &said
		filetest.True(t, c.Run() != nil, "%s to a full disk succeeds", args)
		filetest.WantWords(t, said.String(), "no space left on device")
	}
}

// finish runs a program to its end, and some functions meanwhile.
func finish(t *testing.T, c *exec.Cmd, beside ...func()) ran {
	t.Helper()
	var out, err bytes.Buffer
	c.Stdout, c.Stderr = &out, &err
	filetest.Check(t, c.Start())
	for _, f := range beside {
		f()
	}
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{c.Args[1:], c.ProcessState.ExitCode(), out.String(), err.String()}
}

// interrupt runs a program, and interrupts it as soon as a function says that it has begun.
func interrupt(t *testing.T, c *exec.Cmd, begun func() bool) ran {
	t.Helper()
	return finish(t, c, func() {
		for began := time.Now(); !begun() && time.Since(began) < time.Minute; time.Sleep(2 * time.Millisecond) {
		}
		_ = c.Process.Signal(os.Interrupt)
	})
}

// found returns a function that reports whether files of a pattern are there.
func found(pattern ...string) func() bool {
	return func() bool {
		files, _ := filepath.Glob(filepath.Join(pattern...))
		return len(files) > 0
	}
}

// adultLines is the start of the real file, its header first.
func adultLines(t *testing.T, rows int) []string {
	t.Helper()
	f := filetest.Must(os.Open(filepath.Join("..", "..", "..", "data", "uci", "adult.csv.gz")))(t)
	defer f.Close()
	z := filetest.Must(gzip.NewReader(f))(t)
	var lines []string
	for s := bufio.NewScanner(z); len(lines) <= rows && s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines
}

// adultFolder holds lines as adult.csv.gz.
func adultFolder(t *testing.T, lines []string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintln(z, strings.Join(lines, "\n"))
	filetest.Check(t, z.Close())
	return write(t, "adult.csv.gz", b.Bytes())
}

// write puts one file into a new folder.
func write(t *testing.T, name string, content []byte) (folder string) {
	t.Helper()
	folder = t.TempDir()
	filetest.Check(t, os.WriteFile(filepath.Join(folder, name), content, 0o644))
	return folder
}

// smallSpec is adult-online made small enough for tests, with PHE and one Ada.
func smallSpec(t *testing.T) spec.Spec {
	t.Helper()
	s := filetest.Must(spec.Load("adult-online"))(t)
	s.Name, s.Title, s.Seeds = "small", "for tests", []int64{0, 1}
	s.Protocol = protocol.Spec{Name: "online", InitialFraction: 0.02, InitialEpochs: 2, ChunkRows: 100, MaxChunks: 3}
	s.Model.Encoder.EmbeddingDim, s.Model.TrainSamples, s.Model.TestSamples = 3, 2, 5
	s.Methods = []spec.Method{
		{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
		{Name: "SlowAda", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 1},
	}
	return s
}

// specFile writes a spec, changed as a text, for the command line.
func specFile(t *testing.T, spec spec.Spec, oldNew ...string) string {
	t.Helper()
	content := filetest.Must(json.MarshalIndent(spec, "", "  "))(t)
	text := strings.NewReplacer(oldNew...).Replace(string(content))
	filetest.True(t, len(oldNew) == 0 || text != string(content), "the spec has no %q", oldNew)
	return filepath.Join(write(t, "small.json", []byte(text)), "small.json")
}

func TestEveryCommandHasAnExample(t *testing.T) {
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "completion" || c.Hidden { // a hidden one is gone
			return
		}
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		within(t, "", args...).prints(t, "Examples:\n  phe ")
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(command())
}

func TestNoArguments(t *testing.T) {
	call(t, "").prints(t, "phe run adult-online")
}

func TestList(t *testing.T) {
	listed := lines(call(t, "", "list").prints(t).stdout)
	for i, name := range spec.Names() {
		fields := strings.Fields(listed[i])
		filetest.True(t, fields[0] == name && len(fields) > 1, "line %d is %q, want %s and a title", i, listed[i], name)
	}
}

// badData holds an altered file, one that is cut off and an empty one, the largest two for their time.
func badData(t *testing.T) (folder string) {
	t.Helper()
	folder = adultFolder(t, adultLines(t, 300))
	for name, content := range map[string]string{"retail.csv.gz": "\x1f\x8b\x08", "covertype.csv.gz": ""} {
		filetest.Check(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	return folder
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	call(t, badData(t), "doctor").prints(t, "--backend auto is go", "make xla", "make xla-cuda", "adult.csv.gz", "found    backend  go",
		"missing  dataset  adult ", "--allow-altered")
}

// A file that is there but altered, or cannot be read, is not found: its checksum is computed.
func TestDoctorVerifies(t *testing.T) {
	t.Parallel()
	folder := badData(t)
	all := findings(t, program(t, folder, "doctor", "--json"))
	for _, name := range []string{"go", "xla:cpu", "xla:cuda"} {
		filetest.Want(t, all["backend "+name].Found, name == "go", "%s is found", name)
	}
	for _, f := range all {
		if f.What != "dataset" || slices.Contains(ratings.Names(), f.Name) {
			continue // MovieLens is not part of the checkout
		}
		bad := slices.Contains([]string{"adult", "retail", "covertype"}, f.Name)
		if filetest.Want(t, f.Found, !bad, "%s is found", f.Name); bad {
			filetest.WantWords(t, f.Detail, folder)
			filetest.WantWords(t, f.Remedy, "git checkout")
		}
	}
}

// finding is a line of phe doctor about one thing.
type finding struct {
	What, Name, Detail, Remedy string
	Found                      bool
}

// findings returns the findings of a call of phe doctor, by kind and name. Each names the place of its thing, or the way to get it.
func findings(t *testing.T, c *exec.Cmd) map[string]finding {
	t.Helper()
	all := map[string]finding{}
	for _, f := range objects[finding](t, finish(t, c)) {
		filetest.True(t, f.Detail != "" && (f.Found || f.Remedy != ""), "%s %s: neither where nor how to get it", f.What, f.Name)
		all[f.What+" "+f.Name] = f
	}
	return all
}

// Where there is a plugin, doctor examines everything that a GPU needs, and says how to install missing parts.
func TestDoctorCUDA(t *testing.T) {
	folder := write(t, "plugin.so", nil)
	c := program(t, badData(t), "doctor", "--json")
	c.Env = append(c.Env, "GOPHE_CUDA_PLUGIN="+filepath.Join(folder, "plugin.so"), "CUDA_HOME="+folder)
	found := findings(t, c)
	if !backend.HasXLA {
		for _, name := range []string{"backend xla:cpu", "backend xla:cuda"} { // an installed plugin would change nothing
			filetest.Want(t, found[name].Found, false, "%s is found", name)
			filetest.WantWords(t, found[name].Detail, "a C compiler")
			filetest.WantWords(t, found[name].Remedy, "CGO_ENABLED=1")
		}
		return
	}
	for _, name := range []string{"plugin", "libraries", "toolkit", "driver", "device"} {
		filetest.Want(t, found["cuda "+name].What, "cuda", "finding on %s", name)
	}
	f := found["cuda plugin"] // an empty file is no library
	filetest.True(t, !f.Found && strings.Contains(f.Detail, "plugin.so"), "an empty file is taken for a plugin: %+v", f)
}

func TestCompareJSON(t *testing.T) {
	cells := objects[report.Cell](t, call(t, "", "compare", "--json", "--out", t.TempDir()))
	for _, cell := range cells {
		filetest.True(t, cell.InPaper, "%+v is not in the paper", cell)
	}
	// Tables 1, 4, 5 and 6, double memory; Retail's of each, and by B and K; MovieLens'; ratios, and PHE against double memory
	filetest.Want(t, len(cells), 42+12+55+12+12+6+10+3+3+4+5+30+6+12+7, "cells")
}

func TestVersion(t *testing.T) {
	text := call(t, "", "--version").
		prints(t, "phe 0.2.0", strings.Replace(runtime.Version(), "go", "Go ", 1), runtime.GOOS+"/"+runtime.GOARCH).stdout
	oneLine := regexp.MustCompile(`^.*, GoMLX v\d+\.\d+\.\d+, .*\n$`)
	filetest.True(t, oneLine.MatchString(text), "want one line with GoMLX's version: %q", text)
}

func TestVersionNamesTheCommit(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.5", Main: debug.Module{Version: "v1.2.3"},
		Deps:     []*debug.Module{{Path: gomlx, Version: "v0.28.2"}},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}}
	filetest.WantWords(t, describe(info), "phe 0.2.0 (commit 0123456789ab, with changes), Go 1.26.5, GoMLX v0.28.2, ")
	info.Main.Version, info.Settings = "(devel)", nil
	filetest.WantWords(t, describe(info), "phe 0.2.0 (built without its commit), Go 1.26.5, ")
	info.Main.Version, info.Deps[0].Replace = "v1.2.3", &debug.Module{Version: "v0.29.0"}
	filetest.WantWords(t, describe(info), "phe 0.2.0, Go 1.26.5, GoMLX v0.29.0, ")
}
