package streaming

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
)

// command returns the program with a command line and its outputs.
func command(out, diagnostics io.Writer, args ...string) *cobra.Command {
	root := &cobra.Command{Use: "phe", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(Commands()...)
	root.SetOut(out)
	root.SetErr(diagnostics)
	root.SetArgs(args)
	return root
}

// phe runs a command line and returns its output.
func phe(t *testing.T, args ...string) (out, diagnostics string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = command(&o, &e, args...).ExecuteContext(context.Background())
	return o.String(), e.String(), err
}

func mustPhe(t *testing.T, args ...string) (out, diagnostics string) {
	t.Helper()
	out, diagnostics, err := phe(t, args...)
	if err != nil {
		t.Fatalf("phe %s: %v", strings.Join(args, " "), err)
	}
	return out, diagnostics
}

// fails runs a command line that must end with an error, which holds all words.
func fails(t *testing.T, args []string, words ...string) {
	t.Helper()
	_, _, err := phe(t, args...)
	filetest.WantError(t, err, words...)
}

// contains checks that a text has all words.
func contains(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in %s", word, text)
		}
	}
}

// visits is a table of n visits. Every third customer buys.
func visits(n int) string {
	var text strings.Builder
	text.WriteString("visit,customer,page,seconds,bought\n")
	for i := range n {
		fmt.Fprintf(&text, "v%d,c%d,p%d,%d,%s\n", i, i*7%40, i%5, 10+i*13%50, []string{"yes", "no", "no"}[i*7%40%3])
	}
	return text.String()
}

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	filetest.Check(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	b := filetest.Must(os.ReadFile(path))(t)
	return string(b)
}

// A file becomes a model, which forecasts, is scored and is looked into.
func TestFromFileToForecast(t *testing.T) {
	folder := t.TempDir()
	path, model := write(t, folder, "visits.csv", visits(600)), filepath.Join(folder, "visits.phe")
	forecasts := filepath.Join(folder, "forecasts.csv")
	out, told := mustPhe(t, "stream", path, "--target", "bought", "--model", model, "--predictions", forecasts)
	contains(t, out, "600 rows learned", "this model", "base rate", "area under the ROC curve", "1–2 times", "yes")
	contains(t, told, `the probability of bought: "yes"`, "dropped         visit  (no value comes twice", "category        customer",
		"item and number seconds")
	lines := strings.Split(strings.TrimSpace(content(t, forecasts)), "\n")
	if len(lines) != 601 || lines[0] != "record,probability,novelty" || !strings.HasPrefix(lines[1], "1,0.5,0") {
		t.Errorf("%d lines: %q, %q", len(lines), lines[0], lines[1])
	}

	tomorrow := write(t, folder, "tomorrow.csv", "page,customer,seconds\np1,c3,20\np1,c4,20\np1,new,20\n")
	out, _ = mustPhe(t, "predict", model, tomorrow)
	var p [3]float64
	for i, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		fmt.Sscanf(line, fmt.Sprintf("%d,%%g,", i+1), &p[i])
	}
	if !(p[0] > 0.8 && p[1] < 0.2 && p[2] > p[1] && p[2] < p[0]) {
		t.Errorf("forecasts %v of a customer who buys, one who does not and a new one", p)
	}

	out, _ = mustPhe(t, "eval", model)
	if !strings.HasPrefix(out, "600 rows learned") {
		t.Errorf("eval prints %q", out)
	}
	out, _ = mustPhe(t, "inspect", model)
	contains(t, out, "KL from prior", "customer", "≈ 40", "most frequent items", "pairs of columns")
	out, _ = mustPhe(t, "inspect", model, "--item", "customer=c3")
	if !strings.HasPrefix(out, "c3, 15 times: +") {
		t.Errorf("inspect --item prints %q", out)
	}
	out, _ = mustPhe(t, "inspect", model, "--json")
	var in stream.Inspection
	if err := json.Unmarshal([]byte(out), &in); err != nil || in.Rows != 600 {
		t.Errorf("%d rows, %v", in.Rows, err)
	}
}

// The same command goes on with new rows at the end, another file is learned on top, and neither twice.
func TestGoesOn(t *testing.T) {
	folder := t.TempDir()
	all := visits(400)
	cut := strings.Index(all, "v250,")
	path, model := write(t, folder, "visits.csv", all[:cut]), filepath.Join(folder, "m.phe")
	command := []string{"stream", path, "--target", "bought", "--model", model, "--drop", "visit"}
	mustPhe(t, command...)
	write(t, folder, "visits.csv", all)
	out, told := mustPhe(t, command...)
	if !strings.HasPrefix(out, "400 rows") || !strings.Contains(told, "continues after 250 rows") {
		t.Errorf("%s%s", told, out)
	}
	mustPhe(t, command...)
	second := write(t, folder, "more.csv", strings.ReplaceAll(visits(100), "c3,", "c999,"))
	out, _ = mustPhe(t, "stream", second, "--model", model)
	if !strings.HasPrefix(out, "500 rows") {
		t.Errorf("after another file: %s", out)
	}
	fails(t, command, "--again learns it once more")
	out, _ = mustPhe(t, append(command, "--again")...)
	if !strings.HasPrefix(out, "900 rows") {
		t.Errorf("with --again: %s", out)
	}
	out, _ = mustPhe(t, append(command, "--force")...)
	if !strings.HasPrefix(out, "400 rows") {
		t.Errorf("with --force: %s", out)
	}
}

// A record that cannot be learned stops the stream with its place. Corrected, the stream goes on; or such records are skipped.
func TestBadRecord(t *testing.T) {
	folder := t.TempDir()
	bad := strings.Replace(visits(300), "\nv200,c0,p0,10,yes\n", "\nv200,c0,p0,10,perhaps\n", 1)
	bad = strings.Replace(bad, "\nv100,", "\nv100,too,many,fields,", 1)
	path, model := write(t, folder, "visits.csv", bad), filepath.Join(folder, "m.phe")
	command := []string{"stream", path, "--target", "bought", "--classes", "no,yes", "--model", model}
	fails(t, command, "line 102", "which "+model+" keeps")
	write(t, folder, "visits.csv", strings.Replace(bad, "too,many,fields,", "", 1))
	fails(t, command, "line 202", `"perhaps"`)
	write(t, folder, "visits.csv", visits(300))
	out, _ := mustPhe(t, command...)
	if !strings.HasPrefix(out, "300 rows") {
		t.Error(out)
	}
	write(t, folder, "bad.csv", bad)
	command = []string{"stream", filepath.Join(folder, "bad.csv"), "--target", "bought", "--classes", "no,yes", "--bad", "skip", "--model", filepath.Join(folder, "skip.phe")}
	mustPhe(t, command...)
	out, _ = mustPhe(t, append(command, "--check")...)
	if !strings.HasPrefix(out, "298 rows") || !strings.Contains(out, "2 rows could not be learned") {
		t.Error(out)
	}
}

// The schema of the columns can be printed, changed and given back.
func TestSchemaFile(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "visits.csv", visits(200))
	printed, _ := mustPhe(t, "stream", path, "--target", "bought", "--show-schema")
	schema := write(t, folder, "schema.json", strings.Replace(printed, `"kind": "both"`, `"kind": "number"`, 1))
	_, told := mustPhe(t, "stream", path, "--schema", schema, "--model", filepath.Join(folder, "m.phe"))
	if !strings.Contains(told, "number          seconds") {
		t.Error(told)
	}
	text := "remark,y\n"
	for i := range 100 {
		text += fmt.Sprintf("a b c %d,%d\n", i, i%2)
	}
	remarks := write(t, folder, "remarks.csv", text)
	printed, _ = mustPhe(t, "stream", remarks, "--target", "y", "--keep", "remark", "--show-schema")
	again, _ := mustPhe(t, "stream", remarks, "--schema", write(t, folder, "remarks.json", printed), "--show-schema")
	if again != printed || !strings.Contains(printed, "--multi 'remark= '") {
		t.Errorf("%s\nis printed again as\n%s", printed, again)
	}
}

// Every mistake gives an error of one line with its remedy.
func TestMistakes(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "visits.csv", visits(100))
	model := filepath.Join(folder, "m.phe")
	mustPhe(t, "stream", path, "--target", "bought", "--model", model)
	for want, args := range map[string][]string{
		"name one file":           {"stream"},
		"no such file":            {"stream", filepath.Join(folder, "none.csv"), "--target", "y", "--model", filepath.Join(folder, "n.phe")},
		"no target; name the":     {"stream", path, "--model", filepath.Join(folder, "n.phe")},
		`did you mean "bought"`:   {"stream", path, "--target", "bougt", "--model", filepath.Join(folder, "n.phe")},
		"--bad is \"ignore\"":     {"stream", path, "--target", "bought", "--bad", "ignore"},
		"--delay is -1":           {"stream", path, "--target", "bought", "--delay", "-1"},
		"is not a size":           {"stream", path, "--target", "bought", "--memory", "much", "--model", filepath.Join(folder, "n.phe")},
		"memory is 10 bytes":      {"stream", path, "--target", "bought", "--memory", "10", "--model", filepath.Join(folder, "n.phe")},
		"choose one of":           {"stream", path, "--target", "bought", "--interactions", "all", "--model", filepath.Join(folder, "n.phe")},
		"compares with no number": {"stream", path, "--target", "bought", "--where", "seconds>x", "--model", filepath.Join(folder, "n.phe")},
		"--target is page now, and it was bought when": {"stream", path, "--target", "page", "--model", model},
		"--memory is 1M now, and it was not given":     {"stream", path, "--target", "bought", "--memory", "1M", "--model", model},
		"name a file for the model":                    {"stream", "-", "--target", "bought"},
		"there is no model":                            {"predict", filepath.Join(folder, "n.phe"), path},
		`has no column "customer"; the columns are`:    {"predict", model, write(t, folder, "few.csv", "page,seconds\np1,3\n")},
		"name a model and a file":                      {"predict", model},
		"write it as COLUMN=ITEM":                      {"inspect", model, "--item", "c3"},
		`"custmer" is no column with items`:            {"inspect", model, "--item", "custmer=c3"},
		path + " is no model":                          {"inspect", path},
	} {
		fails(t, args, want)
	}
	if _, err := os.Stat(filepath.Join(folder, "n.phe")); err == nil {
		t.Error("a mistake left a model behind")
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int{"256K": 256 << 10, "4M": 4 << 20, "1.5k": 1536, "2GiB": 2 << 30, "100000": 100000} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
}

func TestModelName(t *testing.T) {
	for path, want := range map[string]string{"data/sales.csv.gz": "sales.phe", "log": "log.phe", "a.b.jsonl": "a.phe", ".hidden": ".hidden.phe"} {
		if got, err := modelName(path); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
}
