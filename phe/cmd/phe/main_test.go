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
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gophe/data/ratings"
	"gophe/experiments/report"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
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

// call runs phe to its end.
func call(t *testing.T, dataFolder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return finish(t, program(t, dataFolder, args...))
}

// within runs phe to its end in the test's own process, where a start costs nothing: for calls that end before they compute.
func within(t *testing.T, dataFolder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	for name, value := range map[string]string{"GOPHE_CACHE": t.TempDir(), "PHE_DATA": dataFolder, "GOPHE_TRACE": ""} {
		t.Setenv(name, value)
	}
	var out, err bytes.Buffer
	root := command()
	root.SetOut(&out)
	root.SetErr(&err)
	root.SetArgs(args)
	code = ending(root.ExecuteContext(t.Context()), &err)
	return code, out.String(), err.String()
}

// finish runs a program to its end, and some functions meanwhile.
func finish(t *testing.T, c *exec.Cmd, beside ...func()) (code int, stdout, stderr string) {
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
	return c.ProcessState.ExitCode(), out.String(), err.String()
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
	if len(oldNew) > 0 && text == string(content) {
		t.Fatalf("the spec has no %s", oldNew[0])
	}
	return filepath.Join(write(t, "small.json", []byte(text)), "small.json")
}

func TestEveryCommandHasAnExample(t *testing.T) {
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "completion" || c.Hidden { // a hidden one is gone
			return
		}
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		code, stdout, _ := within(t, "", args...)
		if code != 0 || !strings.Contains(stdout, "Examples:\n  phe ") {
			t.Errorf("%s --help: exit code %d, no example in\n%s", c.CommandPath(), code, stdout)
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(command())
}

func TestNoArguments(t *testing.T) {
	code, stdout, _ := call(t, "")
	if code != 0 || !strings.Contains(stdout, "phe run adult-online") {
		t.Errorf("exit code %d, want help:\n%s", code, stdout)
	}
}

func TestList(t *testing.T) {
	code, stdout, stderr := call(t, "", "list")
	if code != 0 {
		t.Fatal(stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for i, name := range spec.Names() {
		if fields := strings.Fields(lines[i]); fields[0] != name || len(fields) < 2 {
			t.Errorf("line %d is %q, want %s and a title", i, lines[i], name)
		}
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
	code, stdout, stderr := call(t, badData(t), "doctor")
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"--backend auto is go", "make xla", "make xla-cuda", "adult.csv.gz", "found    backend  go", "missing  dataset  adult ", "--allow-altered"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// A file that is there but altered, or cannot be read, is not found: its checksum is computed.
func TestDoctorVerifies(t *testing.T) {
	t.Parallel()
	folder := badData(t)
	for _, f := range findings(t, program(t, folder, "doctor", "--json")) {
		if f.What != "dataset" || slices.Contains(ratings.Names(), f.Name) {
			continue // MovieLens is not part of the checkout
		}
		bad := slices.Contains([]string{"adult", "retail", "covertype"}, f.Name)
		if f.Found == bad || bad && (!strings.Contains(f.Detail, folder) || !strings.Contains(f.Remedy, "git checkout")) {
			t.Errorf("%+v", f)
		}
	}
}

// findings are what a call of phe doctor says, by what and name. Each one says where its thing is, or how to get it.
func findings(t *testing.T, c *exec.Cmd) map[string]finding {
	t.Helper()
	code, stdout, stderr := finish(t, c)
	if code != 0 {
		t.Fatal(stderr)
	}
	found := map[string]finding{}
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		var f finding
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&f); err != nil {
			t.Fatal(err, line)
		}
		if f.Detail == "" || !f.Found && f.Remedy == "" {
			t.Errorf("%s %s: neither where nor how to get it", f.What, f.Name)
		}
		found[f.What+" "+f.Name] = f
	}
	return found
}

func TestDoctorJSON(t *testing.T) {
	t.Parallel()
	found := findings(t, program(t, "", "doctor", "--json"))
	if len(found) < 8 || !found["backend go"].Found || found["backend xla:cpu"].Found || found["backend xla:cuda"].Found || !found["dataset adult"].Found {
		t.Errorf("found %v", found)
	}
}

func TestCompareJSON(t *testing.T) {
	code, stdout, stderr := call(t, "", "compare", "--json", "--out", t.TempDir())
	if code != 0 {
		t.Fatal(stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines {
		var cell report.Cell
		if err := json.Unmarshal([]byte(line), &cell); err != nil || !cell.InPaper {
			t.Errorf("%v: %s", err, line)
		}
	}
	if len(lines) != 42+12+55+12+12+6+10+3+3+4+5+30+6+12+7 { // Tables 1, 4, 5 and 6, double memory; Retail's of each, and by B and K; MovieLens'; ratios, and PHE against double memory
		t.Errorf("%d cells", len(lines))
	}
}
