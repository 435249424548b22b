package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gophe/experiments/fixture"
	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/phe/backend"
	"gophe/phe/filetest"
)

func TestRun(t *testing.T) {
	out := t.TempDir()
	spec := specFile(t, smallSpec(t))
	code, stdout, stderr := call(t, "", "run", spec, "--out", out, "--backend", "auto") // no plugin: auto is go
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"small on go in ", "small.json", "| PHE | local |", "| SlowAda (frozen) |"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	f := read(t, out)
	if f.Status != result.Complete || !f.Manifest.DataVerified || len(f.Methods) != 6 || len(f.Methods[0].Runs) != 2 {
		t.Errorf("%s, data verified: %v, %d methods", f.Status, f.Manifest.DataVerified, len(f.Methods))
	}

	// From two seeds to three, and as JSON.
	code, stdout, stderr = call(t, "", "run", spec, "--out", out, "--backend", "go", "--resume", "--seeds", "3", "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines {
		var cell report.Cell
		if err := json.Unmarshal([]byte(line), &cell); err != nil || cell.Seeds != 3 || cell.Measured == nil {
			t.Errorf("%v: %s", err, line)
		}
	}
	if len(lines) != 12 {
		t.Errorf("%d lines, want 4 methods and 2 rivals by 2 metrics", len(lines))
	}
}

func TestQuickHasItsOwnName(t *testing.T) {
	out := t.TempDir()
	code, stdout, stderr := call(t, "", "run", specFile(t, smallSpec(t)), "--out", out, "--backend", "go", "--quick")
	if code != 0 || !strings.Contains(stdout, "small-quick") {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	if files := filesIn(t, out); !slices.Equal(files, []string{"small-quick.json", "small-quick.series"}) {
		t.Errorf("files %q", files)
	}
}

// An item never seen before is not an error: the paper is about such items.
func TestUnseenItem(t *testing.T) {
	lines, changed := adultLines(t, 50000), 0
	for i := 20000; i < 24000; i++ {
		if replaced := strings.Replace(lines[i], ",Bachelors,", ",Wizardry,", 1); replaced != lines[i] {
			lines[i] = replaced
			changed++
		}
	}
	if len(lines) != 48843 || changed < 100 {
		t.Fatalf("%d lines, %d of them changed", len(lines), changed)
	}
	folder, out := adultFolder(t, lines), t.TempDir()
	spec := smallSpec(t)
	spec.Protocol.ChunkRows = 1000 // thirty of them are most of the rows
	path := specFile(t, spec)
	code, _, stderr := call(t, folder, "run", path, "--out", out, "--backend", "go", "--quick")
	if code != 1 || !strings.Contains(stderr, "altered") || !strings.Contains(stderr, "--allow-altered") {
		t.Errorf("exit code %d: %s; want a refusal that names --allow-altered", code, stderr)
	}
	if files := filesIn(t, out); len(files) > 0 {
		t.Errorf("the refused run left %q", files)
	}
	code, stdout, stderr := call(t, folder, "run", path, "--out", out, "--backend", "go", "--quick", "--allow-altered")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	f := filetest.Must(result.Read(filepath.Join(out, "small-quick.json")))(t)
	if f.Status != result.Complete || f.Manifest.DataVerified || len(f.Methods[0].Runs[0].Rows) != 3 { // the spec has but three
		t.Errorf("%s, data verified: %v, %d steps\n%s", f.Status, f.Manifest.DataVerified, len(f.Methods[0].Runs[0].Rows), stdout)
	}
}

// Ctrl-C ends with 130 and a valid partial result, from which --resume goes on.
func TestInterrupt(t *testing.T) {
	spec, out := smallSpec(t), t.TempDir()
	spec.Seeds, spec.Protocol.MaxChunks = []int64{0, 1, 2}, 30
	path := specFile(t, spec)
	c := program(t, "", "run", path, "--out", out, "--backend", "go")
	code, stdout, stderr := finish(t, c, func() { // the first checkpoint says that streams have begun
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(out, ".small.checkpoints", "*.gob")); len(found) > 0 {
				break
			}
		}
		_ = c.Process.Signal(os.Interrupt)
	})
	if code != exitInterrupted || stdout != "" || !strings.Contains(stderr, "--resume") || !strings.Contains(stderr, filepath.Join(out, "small.json")) {
		t.Fatalf("exit code %d, want %d\nstdout %s\nstderr %s", code, exitInterrupted, stdout, stderr)
	}
	partial := read(t, out)
	if partial.Status != result.Partial {
		t.Errorf("the file is %s", partial.Status)
	}
	code, _, stderr = call(t, "", "run", path, "--out", out, "--backend", "go", "--resume")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	whole := read(t, out)
	if whole.Status != result.Complete {
		t.Errorf("resumed, the file is %s", whole.Status)
	}
	for i, m := range partial.Methods {
		for _, run := range m.Runs {
			if all := whole.Methods[i].Runs[run.Seed].LogLikelihood; !slices.Equal(run.LogLikelihood, all[:len(run.LogLikelihood)]) {
				t.Errorf("%s, seed %d: what was there has changed", m.Name, run.Seed)
			}
		}
	}
	if files := filesIn(t, out); !slices.Equal(files, []string{"small.json", "small.series"}) {
		t.Errorf("files %q", files)
	}
}

// A finished result is left alone, and shown. --force computes it again; stopped, it leaves the finished one as it was.
func TestFinishedResultStays(t *testing.T) {
	spec, out := specFile(t, smallSpec(t)), t.TempDir()
	if code, _, stderr := call(t, "", "run", spec, "--out", out, "--backend", "go"); code != 0 {
		t.Fatal(stderr)
	}
	before := contents(t, out)
	code, stdout, stderr := call(t, "", "run", spec, "--out", out, "--backend", "go")
	if code != 0 || !strings.Contains(stdout, "small is already finished") || !strings.Contains(stdout, "--force") || !strings.Contains(stdout, "| PHE | local |") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if !slices.Equal(contents(t, out), before) {
		t.Error("the finished result was touched")
	}

	c := program(t, "", "run", spec, "--out", out, "--backend", "go", "--force", "--seeds", "8")
	code, _, stderr = finish(t, c, func() {
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(out, ".small.checkpoints", "*.gob")); len(found) > 0 {
				break
			}
		}
		_ = c.Process.Signal(os.Interrupt)
	})
	if code != exitInterrupted || !strings.Contains(stderr, "--resume continues from "+filepath.Join(out, "small.partial.json")) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if !slices.Equal(contents(t, out), before) {
		t.Error("the stopped run touched the finished result")
	}
	if code, _, stderr := call(t, "", "run", spec, "--out", out, "--backend", "go", "--resume", "--seeds", "8"); code != 0 || len(read(t, out).Methods[0].Runs) != 8 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if got := filesIn(t, out); !slices.Equal(got, []string{"small.json", "small.series"}) {
		t.Errorf("files %q", got)
	}
}

// contents are both files of the small result.
func contents(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	for _, name := range []string{"small.json", "small.series"} {
		content := filetest.Must(os.ReadFile(filepath.Join(folder, name)))(t)
		all = append(all, string(content))
	}
	return all
}

// A run in which a seed diverged is complete, and ends with an exit code of its own.
func TestDivergedExitCode(t *testing.T) {
	spec, out := smallSpec(t), t.TempDir()
	spec.Model.KLWeight = 1e300
	code, stdout, stderr := call(t, "", "run", specFile(t, spec), "--out", out, "--backend", "go")
	if code != exitDiverged || !strings.Contains(stdout, "diverged at step") || !strings.Contains(stderr, "a seed diverged") || read(t, out).Status != result.Complete {
		t.Errorf("exit code %d, want %d\n%s%s", code, exitDiverged, stdout, stderr)
	}
}

// badInput is input that `phe run` refuses.
type badInput struct {
	name       string
	dataFolder string
	args       []string // in place of a good spec
	want       []string // in the error
}

// Each bad input ends with exit code 1, one line that says where and what to do, and no file.
func TestBadInput(t *testing.T) {
	for _, c := range slices.Concat(badAdult(t), badSpecs(t), badFlags(t)) {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			args := []string{"run", "--backend", "go", "--out", out}
			if c.args == nil {
				c.args = []string{specFile(t, smallSpec(t))}
			}
			code, stdout, stderr := call(t, c.dataFolder, append(args, c.args...)...)
			if code != exitError || stdout != "" {
				t.Errorf("exit code %d, want %d; stdout %q", code, exitError, stdout)
			}
			for _, want := range append(c.want, "phe: ") {
				if !strings.Contains(stderr, want) {
					t.Errorf("no %q in: %s", want, stderr)
				}
			}
			if strings.Count(stderr, "\n") != 1 {
				t.Errorf("more than one line: %s", stderr)
			}
			if files := filesIn(t, out); len(files) > 0 {
				t.Errorf("left %q", files)
			}
		})
	}
}

// badAdult returns files of Adult that are damaged or altered.
func badAdult(t *testing.T) []badInput {
	t.Helper()
	lines := adultLines(t, 300)
	adult := func(line int, oldNew ...string) string { // one line of the file changed, counted from 1
		changed := slices.Clone(lines)
		changed[line-1] = strings.NewReplacer(oldNew...).Replace(changed[line-1])
		if changed[line-1] == lines[line-1] {
			t.Fatalf("line %d has no %s: %s", line, oldNew[0], lines[line-1])
		}
		return adultFolder(t, changed)
	}
	label := strconv.Itoa(strings.LastIndex(lines[4], ",") + 2) // column, in line 5
	real := filetest.Must(os.ReadFile("../../../data/uci/adult.csv.gz"))(t)
	return []badInput{
		{"missing column", adult(1, ",education-num", ""), nil, []string{"adult.csv.gz:1:32: ", `"education-num" is missing`}},
		{"row with a field too few", adult(9, ",United-States", ""), nil, []string{"adult.csv.gz:9:", "want 15"}},
		{"unparsable number", adult(2, "39,", "forty,"), nil, []string{"adult.csv.gz:2:1: ", `"age"`, `"forty" is not a number`}},
		{"unknown label", adult(5, "<=50K", "maybe"), nil, []string{"adult.csv.gz:5:" + label + ": ", `"maybe"`, "<=50K, >50K"}},
		{"empty file", write(t, "adult.csv.gz", nil), nil, []string{"adult.csv.gz", "empty"}},
		{"empty file inside gzip", adultFolder(t, nil), nil, []string{"adult.csv.gz"}},
		{"truncated gzip", write(t, "adult.csv.gz", real[:len(real)/2]), nil, []string{"adult.csv.gz", "cut off after line"}},
		{"not gzip", write(t, "adult.csv.gz", []byte("age,workclass\n")), nil, []string{"adult.csv.gz", "not a gzip file", "drop .gz"}},
		{"altered", adult(5, "Male", "Mal"), nil, []string{"adult.csv.gz", "altered", "--allow-altered"}},
	}
}

// badSpecs returns specs that are wrong, names that no spec has, and no name at all.
func badSpecs(t *testing.T) []badInput {
	t.Helper()
	good := smallSpec(t)
	return []badInput{
		{"unknown spec field", "", []string{specFile(t, good, `"chunk_rows"`, `"chunkrows"`)}, []string{"small.json:10:5: ", `"chunkrows"`}},
		{"B = 0", "", []string{specFile(t, good, `"num_buckets": 7`, `"num_buckets": 0`)}, []string{"small.json:22:7: ", "(B) is 0", "at least 2"}},
		{"K out of range", "", []string{specFile(t, good, `"num_hashes": 3`, `"num_hashes": 65`)}, []string{"small.json:23:7: ", "(K) is 65", "1…64"}},
		{"spec is not JSON", "", []string{specFile(t, good, `"seeds": [`, `"seeds": [,`)}, []string{"small.json:13:13: ", "not valid JSON"}},
		{"unknown spec", "", []string{"adlut-online"}, []string{`"adlut-online"`, "adult-online"}},
		{"spec file not there", "", []string{"nowhere.json"}, []string{"nowhere.json", "phe list"}},
		{"unknown dataset", "", []string{specFile(t, good, `"dataset": "adult"`, `"dataset": "adlut"`)}, []string{`"adlut"`, "adult"}},
		{"second spec bad", "", []string{specFile(t, good), "no-such"}, []string{`"no-such"`}},
		{"no spec", "", []string{}, []string{"name at least one experiment"}},
	}
}

// badFlags returns a good spec with flags that do not work.
func badFlags(t *testing.T) []badInput {
	t.Helper()
	good, file := smallSpec(t), filepath.Join(write(t, "file", nil), "file")
	return []badInput{
		{"unwritable output folder", "", []string{specFile(t, good), "--out", filepath.Join(file, "out")}, []string{file, "--out"}},
		{"unknown backend", "", []string{specFile(t, good), "--backend", "tpu"}, []string{`"tpu"`, "auto, go, xla:cpu, xla:cuda"}},
		{"plugin not installed", "", []string{specFile(t, good), "--backend", "xla:cpu"}, []string{fixture.Pick(backend.HasXLA, "make xla", "a C compiler"), "--backend go"}},
		{"no seeds", "", []string{specFile(t, good), "--seeds", "0"}, []string{"--seeds is 0"}},
		{"seeds not a number", "", []string{specFile(t, good), "--seeds", "many"}, []string{`"many"`, "--seeds"}},
		{"unknown flag", "", []string{specFile(t, good), "--epochs", "3"}, []string{"--epochs"}},
	}
}

func TestBadInputOfOtherCommands(t *testing.T) {
	out := t.TempDir()
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"table", "99"}, []string{`"99"`, "choose one of 1, 4, 5, 6, double, buckets, hash-functions, pays, speed, hours, one-pass, late-column, late-items, glance, adaptation, assembly, by-group, "}},
		{[]string{"table", "99", "--json"}, []string{`"99"`, "choose one of 1, 4, 5, 6, double, buckets, hash-functions, pays, speed, hours, one-pass, late-column, late-items, glance, adaptation, assembly, by-group, "}},
		{[]string{"table", "1"}, []string{"holds no result of adult-online", "phe run adult-online"}},
		{[]string{"table", "schemes", "--json"}, []string{"holds no result of adult-schemes", "phe run adult-schemes"}},
		{[]string{"table", "5", "--csv"}, []string{"holds no result of adult-group", "phe run adult-group"}},
		{[]string{"table", "6", "--grid"}, []string{"holds no result of adult-scopes", "phe run adult-scopes"}},
		{[]string{"table", "speed", "--csv"}, []string{`"speed"`, "Markdown only"}},
		{[]string{"table", "1", "--csv", "--json"}, []string{"csv", "json", "none of the others can be"}},
		{[]string{"table", "1", "--csv", "--grid"}, []string{"csv", "grid", "none of the others can be"}},
		{[]string{"compare", "--csv", "--json"}, []string{"csv", "json", "none of the others can be"}},
		{[]string{"compare", "--out", filepath.Join(out, "absent")}, []string{"absent", "phe run", "--out"}},
		{[]string{"reproduce", "retial"}, []string{`did you mean "retail"?`}},
		{[]string{"bench", "--task", "mnist"}, []string{`"mnist"`, "adult, dkf or ncf"}},
		{[]string{"bench", "--task", "ncf", "--scheme", "moments"}, []string{"task ncf", "moments", "local"}},
		{[]string{"bench", "--backend", "go", "--chunks", "9999"}, []string{"9999 chunks", "317"}},
		{[]string{"bench", "--backend", "go", "--seeds", "0"}, []string{"0 seeds"}},
		{[]string{"bench", "--backend", "go", "--steps", "0"}, []string{"0 steps"}},
		{[]string{"bench", "--task", "adult", "--python", "python3"}, []string{"python", "task", "none of the others can be"}},
		{[]string{"bench", "--backend", "tpu"}, []string{`"tpu"`, "auto, go, xla:cpu, xla:cuda"}},
		{[]string{"figure", "99"}, []string{`"99"`, "choose one of 1, 10, 11, 11-stratified, 2, 3, 3-retail, 4, 5, 6, 7, 8, 9, calibration, cold-start, frontier, late-items, memory, one-pass, pays, or all"}},
		{[]string{"figure", "3", "--to", out}, []string{"no result of adult-online", "phe run adult-online"}},
	} {
		args := c.args
		if (c.args[0] == "table" || c.args[0] == "figure" || c.args[0] == "compare") && !slices.Contains(c.args, "--out") {
			args = append(args, "--out", out)
		}
		code, stdout, stderr := call(t, "", args...)
		if code != exitError || stdout != "" {
			t.Errorf("%q: exit code %d, stdout %q", c.args, code, stdout)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q: no %q in %s", c.args, want, stderr)
			}
		}
		if files := filesIn(t, out); len(files) > 0 {
			t.Errorf("%q left %q", c.args, files)
		}
	}
}

// A trace is there for those who ask.
func TestTrace(t *testing.T) {
	c := program(t, "", "run", "no-such")
	c.Env = append(c.Env, "GOPHE_TRACE=1")
	if code, _, stderr := finish(t, c); code != exitError || !strings.Contains(stderr, "decode.go:") {
		t.Errorf("exit code %d, no source line in %s", code, stderr)
	}
}

func read(t *testing.T, folder string) *result.File {
	t.Helper()
	f := filetest.Must(result.Read(filepath.Join(folder, "small.json")))(t)
	return f
}

// filesIn lists everything in a folder, hidden or not; nothing if there is no folder.
func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// --force replaces a result, and not the spec in its place.
func TestForceKeepsSpec(t *testing.T) {
	content := filetest.Must(os.ReadFile(filepath.Join("..", "..", "specs", "two-items.json")))(t)
	folder := write(t, "two-items.json", content)
	path := filepath.Join(folder, "two-items.json")
	if code, _, stderr := call(t, "", "run", path, "--out", folder, "--force"); code == 0 || !strings.Contains(stderr, path+" is not a result; move it away") {
		t.Errorf("%d %q", code, stderr)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(content) {
		t.Errorf("the spec changed: %v", err)
	}
}
