package streaming

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
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

// prints runs a command line whose output must begin with a text.
func prints(t *testing.T, begin string, args ...string) (out, diagnostics string) {
	t.Helper()
	out, diagnostics = mustPhe(t, args...)
	filetest.True(t, strings.HasPrefix(out, begin), "phe %s prints %s, which does not begin with %q", strings.Join(args, " "), out, begin)
	return out, diagnostics
}

// learned returns a folder with a table of n visits, and a model that has learned them.
func learned(t *testing.T, n int, flags ...string) (folder, path, model string) {
	t.Helper()
	folder = filetest.Folder(t)
	path, model = write(t, folder, "visits.csv", visits(n)), filepath.Join(folder, "m.phe")
	mustPhe(t, append([]string{"stream", path, "--target", "bought", "--model", model}, flags...)...)
	return folder, path, model
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
	return string(filetest.Must(os.ReadFile(path))(t))
}

// A file becomes a model, which forecasts, is scored and is looked into.
func TestFromFileToForecast(t *testing.T) {
	folder := t.TempDir()
	path, model := write(t, folder, "visits.csv", visits(600)), filepath.Join(folder, "visits.phe")
	forecasts := filepath.Join(folder, "forecasts.csv")
	out, told := mustPhe(t, "stream", path, "--target", "bought", "--model", model, "--predictions", forecasts)
	filetest.WantWords(t, out, "600 rows learned", "this model", "base rate", "area under the ROC curve", "1–2 times", "yes")
	filetest.WantWords(t, told, `the probability of bought: "yes"`, "dropped         visit  (no value comes twice",
		"category        customer",
		"item and number seconds")
	lines := strings.Split(strings.TrimSpace(content(t, forecasts)), "\n")
	filetest.Want(t, len(lines), 601, "lines of forecasts")
	filetest.Want(t, lines[0], "record,p(yes),novelty", "header")
	filetest.WantWords(t, lines[1], "1,0.5,0")

	tomorrow := write(t, folder, "tomorrow.csv", "page,customer,seconds\np1,c3,20\np1,c4,20\np1,new,20\n")
	header, _, _ := strings.Cut(visits(1), "\n")
	none, _ := mustPhe(t, "predict", model, write(t, folder, "none.csv", header+"\n"))
	filetest.Want(t, none, "record,p(yes),novelty\n", "the forecasts of a day without rows")
	out, _ = mustPhe(t, "predict", model, tomorrow)
	var p [3]float64
	for i, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		fmt.Sscanf(line, fmt.Sprintf("%d,%%g,", i+1), &p[i])
	}
	filetest.True(t, p[0] > 0.8 && p[1] < 0.2 && p[2] > p[1] && p[2] < p[0],
		"forecasts %v of a customer who buys, one who does not and a new one", p)

	prints(t, "600 rows learned", "eval", model)
	out, _ = mustPhe(t, "inspect", model)
	filetest.WantWords(t, out, "from the prior", "customer", "≈ 40", "most frequent items", "pairs of columns")
	screen, _, _ := strings.Cut(out, "most frequent items")
	filetest.WantNone(t, screen, " nats", " slots") // a first screen has what people look for
	filetest.True(t, regexp.MustCompile(`(?s)mean \|line\|.*\ncustomer .*\nseconds .*\npage .*\nmean \|line\|`).MatchString(screen),
		"columns of the largest lines do not come first: %s", screen)
	prints(t, "c3, 15 times: +", "inspect", model, "--item", "customer=c3")
	out, _ = mustPhe(t, "inspect", model, "--json")
	var in stream.Inspection
	filetest.Check(t, json.Unmarshal([]byte(out), &in))
	filetest.Want(t, in.Rows, 600, "rows")
}

// The schema of the columns can be printed, changed and given back.
func TestSchemaFile(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "visits.csv", visits(200))
	printed, _ := mustPhe(t, "stream", path, "--target", "bought", "--show-schema")
	schema := write(t, folder, "schema.json", strings.Replace(printed, `"kind": "both"`, `"kind": "number"`, 1))
	_, told := mustPhe(t, "stream", path, "--schema", schema, "--model", filepath.Join(folder, "m.phe"))
	filetest.WantWords(t, told, "number          seconds")
	again := []string{"stream", path, "--model", filepath.Join(folder, "m.phe"), "--target"}
	prints(t, "200 rows of "+path+" are learned", append(again, "bought", "--number", "seconds")...)
	fails(t, append(again, "seconds"), "target is seconds now")
	for _, flag := range []string{"target=seconds", "classes=yes,no", "as=number", "drop=seconds", "category=seconds", "time=seconds",
		"id=visit", "weight=seconds", "multi=customer=|", "same=customer=visit", "class-weight=yes=2"} {
		name, value, _ := strings.Cut(flag, "=")
		fails(t, []string{"eval", path, "--schema", schema, "--" + name, value}, name+" is "+value+", and the schema "+schema+
			" says otherwise; change the schema, or leave the flag out")
	}
	mustPhe(t, "eval", path, "--schema", schema, "--target", "bought", "--classes", "no,yes", "--number", "seconds", "--keep", "customer")
	text := "remark,y\n"
	for i := range 100 {
		text += fmt.Sprintf("a b c %d,%d\n", i, i%2)
	}
	remarks := write(t, folder, "remarks.csv", text)
	out, _ := mustPhe(t, "stream", path, "--target", "bought", "--model", filepath.Join(folder, "a b.phe"))
	filetest.WantWords(t, out, "`phe inspect '"+filepath.Join(folder, "a b.phe")+"'` shows")
	printed, _ = mustPhe(t, "stream", remarks, "--target", "y", "--keep", "remark", "--show-schema")
	filetest.WantWords(t, printed, "--multi 'remark= '")
	same, _ := mustPhe(t, "stream", remarks, "--schema", write(t, folder, "remarks.json", printed), "--show-schema")
	filetest.Want(t, same, printed, "the schema that is read and printed again")
}

// Every mistake gives an error of one line with its remedy.
func TestMistakes(t *testing.T) {
	folder, path, model := learned(t, 100)
	other := filepath.Join(folder, "n.phe")
	for want, args := range map[string][]string{
		"name one file":                                 {"stream"},
		"no such file":                                  {"stream", filepath.Join(folder, "none.csv"), "--target", "y", "--model", other},
		"no target; name the":                           {"stream", path, "--model", other},
		`did you mean "bought"`:                         {"stream", path, "--target", "bougt", "--model", other},
		"--bad is \"ignore\"":                           {"stream", path, "--target", "bought", "--bad", "ignore"},
		"--delay is -1":                                 {"stream", path, "--target", "bought", "--delay", "-1"},
		"is not a size":                                 {"stream", path, "--target", "bought", "--memory", "much", "--model", other},
		"memory is 10 bytes":                            {"stream", path, "--target", "bought", "--memory", "10", "--model", other},
		"choose one of":                                 {"stream", path, "--target", "bought", "--interactions", "all", "--model", other},
		"parts the fields, name it (--delimiter)":       {"stream", path, "--target", "bought", "--delimiter", ";", "--model", other},
		"compares with no number":                       {"stream", path, "--target", "bought", "--where", "seconds>x", "--model", other},
		"target is page now, and it was bought when":    {"stream", path, "--target", "page", "--model", model},
		"memory is 1M now, and it was the default when": {"stream", path, "--target", "bought", "--memory", "1M", "--model", model},
		"name a file for the model":                     {"stream", "-", "--target", "bought"},
		"there is no model":                             {"predict", other, path},
		`has no column "customer"; the columns are`:     {"predict", model, write(t, folder, "few.csv", "page,seconds\np1,3\n")},
		"name a model and a file":                       {"predict", model},
		"write it as COLUMN=ITEM":                       {"inspect", model, "--item", "c3"},
		`"custmer" is no column with items`:             {"inspect", model, "--item", "custmer=c3"},
		path + " is no model":                           {"inspect", path},
	} {
		fails(t, args, want)
	}
	_, err := os.Stat(other)
	filetest.True(t, os.IsNotExist(err), "a mistake left a model behind: %v", err)
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int{"256K": 256 << 10, "4M": 4 << 20, "1.5k": 1536, "2GiB": 2 << 30, "100000": 100000} {
		filetest.Want(t, filetest.Must(parseBytes(text))(t), want, "bytes of %s", text)
	}
}

func TestModelName(t *testing.T) {
	for path, want := range map[string]string{"data/sales.csv.gz": "sales.phe", "log": "log.phe", "a.b.jsonl": "a.phe",
		".hidden": ".hidden.phe"} {
		filetest.Want(t, filetest.Must(modelName(path))(t), want, "name of the model of %s", path)
	}
}
