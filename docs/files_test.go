package docs

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"gophe/phe/backend"
	"gophe/phe/tabular"
)

// testdata/files.tar.zst holds files of commit a3a629c as a person may hold them, each of them half way. testdata/files has what the
// program of that commit made of them: `go test ./docs -run TestProgram/files -update` wrote it there.
var update = flag.Bool("update", false, "write testdata/files")

// held is a file that a person may hold: a row of docs/files.md.
type held struct {
	file, fate string // as the page says
	check      func(h *holder)
}

const goesOn, refused = "goes on, bit for bit", "refused: "

var allHeld = []held{
	{"model of `phe stream` and its place in the input, `.phe`", refused, refuseStreams},
	{"forecasts of `phe stream --predictions`", "stays as it is, like its model", refuseStreams},
	{"model and journal of `phe serve`", refused, refuseServer},
	{"folder of `phe cluster server`", refused, refuseShared},
	{"the same, with contributions of several learners", refused, refuseSeveral},
	{"model and folder of `phe stream --learners`", refused, refuseLearners},
	{"spec of an experiment", goesOn, runSpec},
	{"result of an experiment, `.json` and `.series`", goesOn, readResult},
	{"half-finished experiment", goesOn, resumeRun},
	{"result of format 1", refused, refuseFirstFormat},
	{"saved learner of a Go program", goesOn, loadLearner},
	{"notebook with Go cells", "runs", buildNotebook},
}

// Whatever a person holds goes on, or is refused with the sentence of docs/files.md. A row changes only on purpose.
func testFiles(t *testing.T, checkout string) {
	page := read(t, "files.md")
	if rows := strings.Count(page, "\n|") - 2; rows != len(allHeld) {
		t.Errorf("the page has %d rows, and %d are tested", rows, len(allHeld))
	}
	phe := built(t, checkout)
	tested := map[uintptr]bool{}
	for _, h := range allHeld {
		_, row, found := strings.Cut(page, "\n| "+h.file+" | ")
		row, _, _ = strings.Cut(row, " |\n")
		if !found || !strings.HasPrefix(row, h.fate) {
			t.Errorf("the page says %q of %q, want %q", row, h.file, h.fate)
		}
		if check := reflect.ValueOf(h.check).Pointer(); !tested[check] { // two rows may share a check
			tested[check] = true
			t.Run(h.file, func(t *testing.T) {
				t.Parallel()
				h.check(&holder{T: t, phe: phe, folder: unpack(t), sentence: strings.TrimPrefix(row, h.fate)})
			})
		}
	}
}

// holder has the files of a3a629c in a folder of its own.
type holder struct {
	*testing.T
	phe, folder string
	sentence    string // with which the file is refused
}

// built builds the program, if nobody did, and returns its path.
func built(t *testing.T, checkout string) string {
	c := exec.Command("go", "build", "-o", "bin/phe", "./experiments/cmd/phe")
	c.Dir = checkout
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(checkout, "bin", "phe")
}

// unpack unpacks the files of a3a629c.
func unpack(t *testing.T) string {
	folder := t.TempDir()
	file, err := os.Open("testdata/files.tar.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for all := tar.NewReader(plain); ; {
		header, err := all.Next()
		if err == io.EOF {
			return folder
		}
		if err == nil && header.Typeflag == tar.TypeReg {
			path := filepath.Join(folder, header.Name)
			var content []byte
			if content, err = io.ReadAll(all); err == nil {
				err = os.MkdirAll(filepath.Dir(path), 0o755)
			}
			if err == nil {
				err = os.WriteFile(path, content, fs.FileMode(header.Mode))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// command returns a command in a folder of the files. It ends with the test.
func (h *holder) command(folder string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	h.Cleanup(cancel)
	c := exec.CommandContext(ctx, h.phe, args...)
	c.Dir = filepath.Join(h.folder, folder)
	return c
}

// do runs a command, and returns its output.
func (h *holder) do(folder, input string, args ...string) string {
	h.Helper()
	c := h.command(folder, args...)
	c.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		h.Fatalf("phe %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

// refuses runs a command that must fail with the page's sentence.
func (h *holder) refuses(folder string, args ...string) {
	h.Helper()
	out, err := h.command(folder, args...).CombinedOutput()
	if err == nil || h.sentence == "" || !strings.Contains(string(out), h.sentence) {
		h.Errorf("phe %s: %v; want %q in\n%s", strings.Join(args, " "), err, h.sentence, out)
	}
}

// start starts a command that serves, and returns the first line on its standard error that holds a text. It ends with the test.
func (h *holder) start(folder, until string, args ...string) (line string, stop func()) {
	h.Helper()
	c := h.command(folder, args...)
	errs, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		h.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	for said := ""; until != "" && !strings.Contains(line, until); {
		if !lines.Scan() {
			h.Fatalf("phe %s: %v\n%s", strings.Join(args, " "), c.Wait(), said)
		}
		line = lines.Text()
		said += line + "\n"
	}
	ended := false
	stop = func() {
		if !ended {
			ended = true
			_ = c.Process.Signal(syscall.SIGTERM)
			_, _ = io.Copy(io.Discard, errs)
			_ = c.Wait()
		}
	}
	h.Cleanup(stop)
	return line, stop
}

// file returns a file's content.
func (h *holder) file(path string) string { return read(h.T, filepath.Join(h.folder, path)) }

// lines returns some lines of the table of visits, with its header.
func (h *holder) lines(from, to int) string {
	all := strings.SplitAfter(h.file("all.csv"), "\n")
	return all[0] + strings.Join(all[from:min(to, len(all))], "")
}

// grow lets an input of a3a629c grow.
func (h *holder) grow(path string, rows int) {
	if err := os.WriteFile(filepath.Join(h.folder, path), []byte(h.lines(1, 1+rows)), 0o644); err != nil {
		h.Fatal(err)
	}
}

// same compares an answer with the answer of a3a629c.
func (h *holder) same(name, got string) {
	h.Helper()
	path := filepath.Join("testdata", "files", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			h.Fatal(err)
		}
		return
	}
	want := read(h.T, path)
	if filepath.Ext(name) == ".json" {
		h.sameJSON(name, want, got)
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range w {
		if i >= len(g) || g[i] != w[i] {
			h.Fatalf("%s, line %d: got %q, want %q", name, i+1, slices.Concat(g, w)[min(i, len(g))], w[i])
		}
	}
	if len(g) != len(w) {
		h.Errorf("%s: %d lines, want %d", name, len(g), len(w))
	}
}

// sameJSON compares values. New fields may be there, and old ones must stay.
func (h *holder) sameJSON(name, want, got string) {
	h.Helper()
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		h.Fatalf("%s: %v", name, err)
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		h.Fatalf("%s: %v\n%s", name, err, got)
	}
	var compare func(path string, w, g any)
	compare = func(path string, w, g any) {
		switch w := w.(type) {
		case map[string]any:
			g, _ := g.(map[string]any)
			for field, value := range w {
				compare(path+"."+field, value, g[field])
			}
		case []any:
			g, _ := g.([]any)
			if len(g) != len(w) {
				h.Errorf("%s%s: %d values, want %d", name, path, len(g), len(w))
				return
			}
			for i := range w {
				compare(fmt.Sprintf("%s[%d]", path, i), w[i], g[i])
			}
		default:
			if !reflect.DeepEqual(g, w) {
				h.Errorf("%s%s: got %v, want %v", name, path, g, w)
			}
		}
	}
	compare("", w, g)
}

// unchanged returns a check that no file of a folder has changed since.
func (h *holder) unchanged(folder string) (check func()) {
	contents := func() map[string]string {
		all := map[string]string{}
		err := fs.WalkDir(os.DirFS(filepath.Join(h.folder, folder)), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(path) != ".lock" {
				all[path] = h.file(filepath.Join(folder, path))
			}
			return err
		})
		if err != nil {
			h.Fatal(err)
		}
		return all
	}
	before := contents()
	return func() {
		h.Helper()
		if after := contents(); !maps.Equal(before, after) {
			h.Errorf("files of %s have changed: %q were there, %q are", folder, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
		}
	}
}

func refuseStreams(h *holder) {
	h.grow("stream/visits.csv", 1600)
	check := h.unchanged("stream")
	for _, args := range [][]string{
		{"stream", "visits.csv", "--target", "bought", "--predictions", "classes.csv", "--model", "visits.phe"},
		{"stream", "visits.csv", "--target", "log1p(price)", "--predictions", "late.csv", "--model", "late.phe"},
		{"predict", "visits.phe", "../new.csv"},
		{"predict", "count.phe", "../new.csv"},
		{"eval", "pipe.phe"},
		{"inspect", "visits.phe"},
	} {
		h.refuses("stream", args...)
	}
	check()
}

func refuseServer(h *holder) {
	check := h.unchanged("serve")
	h.refuses("serve", "serve", "visits.phe", "--address", "127.0.0.1:0", "--page=false")
	h.refuses("serve", "predict", "visits.phe", "../new.csv")
	check()
}

// freeAddress returns an address on which nobody listens.
func (h *holder) freeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func refuseShared(h *holder) {
	address := h.freeAddress()
	h.start("cluster", address, "cluster", "server", "--folder", "logs", "--address", address)
	for _, role := range []string{"learn", "keep", "replay", "verify"} {
		h.refuses("cluster", "cluster", role, "--nats", "nats://"+address, "--name", "visits")
	}
}

func refuseSeveral(h *holder) {
	address := h.freeAddress()
	h.start("several", address, "cluster", "server", "--folder", "visits.phe.cluster", "--address", address)
	for _, role := range []string{"learn", "keep", "replay", "verify"} {
		h.refuses("several", "cluster", role, "--nats", "nats://"+address, "--name", "stream")
	}
}

func refuseLearners(h *holder) {
	h.grow("several/visits.csv", 1600)
	h.refuses("several", "stream", "visits.csv", "--target", "bought", "--drop", "amount", "--multi", "tags=|", "--memory", "8K")
}

func runSpec(h *holder) {
	h.do("study", "", "run", "visits.json", "--backend", "go", "--out", "again")
	if h.file("study/again/visits-in-order.series") != h.file("study/out/visits-in-order.series") {
		h.Error("the run has other numbers than the run of a3a629c")
	}
}

func readResult(h *holder) { h.sameTable("result.json", "out/visits-in-order.json") }

func resumeRun(h *holder) {
	h.do("study", "", "run", "half.json", "--backend", "go", "--resume")
	h.sameTable("half.json", "out/visits-half.json")
}

// sameTable compares the scores of a result, without its times.
func (h *holder) sameTable(name, path string) {
	h.Helper()
	cells := strings.TrimSpace(h.do("study", "", "table", path, "--json"))
	cells = regexp.MustCompile(`"seconds":[^,]*,`).ReplaceAllString(cells, "")
	h.same(name, "["+strings.ReplaceAll(cells, "\n", ",\n")+"]\n")
}

func refuseFirstFormat(h *holder) { h.refuses("old", "table", "two-items.json") }

func loadLearner(h *holder) {
	if runtime.GOARCH != "amd64" {
		h.Skip("processors of another kind may round otherwise")
	}
	rows, err := csv.NewReader(strings.NewReader(h.file("all.csv"))).ReadAll()
	if err != nil {
		h.Fatal(err)
	}
	var all []tabular.Record
	for _, row := range rows[1:] {
		price, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			h.Fatal(err)
		}
		all = append(all, tabular.Record{Items: row[:2], Numbers: []float64{price / 100}, Class: slices.Index([]string{"no", "yes"}, row[6])})
	}
	config := tabular.ForTable([]string{"user", "product"}, 1, 2)
	config.Encoder.NumBuckets = 20
	model, err := tabular.New(config)
	if err != nil {
		h.Fatal(err)
	}
	device, err := backend.Open(backend.Go)
	if err != nil {
		h.Fatal(err)
	}
	learner, err := model.NewLearner(device)
	if err != nil {
		h.Fatal(err)
	}
	if _, err := learner.ReadFrom(strings.NewReader(h.file("learner/orders.learner"))); err != nil {
		h.Fatal(err)
	}
	update, err := model.Encode(all[250:300])
	if err == nil {
		err = learner.Update(update, 5)
	}
	if err != nil {
		h.Fatal(err)
	}
	batch, err := model.Encode(all[300:320])
	if err != nil {
		h.Fatal(err)
	}
	predictions, err := learner.Predict(batch)
	if err != nil {
		h.Fatal(err)
	}
	h.same("learner.txt", fmt.Sprintln(predictions))
}

// A notebook's cells are one Go program: declarations, and cells whose first line is %%.
func buildNotebook(h *holder) {
	var notebook struct {
		Cells []struct {
			Kind   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal([]byte(h.file("notebook/visits.ipynb")), &notebook); err != nil {
		h.Fatal(err)
	}
	code := "package main\n"
	for _, c := range notebook.Cells {
		source := strings.Join(c.Source, "")
		if body, found := strings.CutPrefix(source, "%%\n"); found {
			source = "func main() {\n" + body + "\n}"
		}
		if c.Kind == "code" {
			code += source + "\n"
		}
	}
	path := filepath.Join(h.folder, "main.go")
	if err := os.WriteFile(path, []byte(code), 0o644); err != nil {
		h.Fatal(err)
	}
	if out, err := exec.Command("go", "vet", path).CombinedOutput(); err != nil {
		h.Errorf("%v\n%s", err, out)
	}
}
