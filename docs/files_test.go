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
	"math"
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

	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/learn/backend"
	"gophe/phe/models/tabular"
)

// testdata/files.tar.zst holds files of commit 12ee896d as a user may hold them, each of them half way. testdata/files has what the
// program of that commit made of those that go on.
var update = flag.Bool("update", false, "write the output that the README shows")

// held is a file that a user may hold: a row of docs/files.md.
type held struct {
	file, fate string // as the page says
	check      func(h *holder)
}

const works, refused = "goes on, bit for bit", "refused: "

var allHeld = []held{
	{"model of `phe stream` and its place in the input, `.phe`", refused, refuseStreams},
	{"forecasts of `phe stream --predictions`", "stays as it is, like its model", refuseStreams},
	{"model and journal of `phe serve`", refused, refuseServer},
	{"model in a store on NATS servers", refused, refuseStore},
	{"rows that `phe feed` appended", refused, refuseRows},
	{"spec of an experiment", works, runSpec},
	{"result of an experiment, `.json` and `.series`", works, readResult},
	{"half-finished experiment", works, finishHalf},
	{"saved learner of a Go program", works, loadLearner},
	{"notebook with Go cells", "runs, if it takes `gophe/phe/records`", buildNotebook},
}

// Every file that a user may hold still works, or is refused with the sentence of docs/files.md. A row changes only on purpose.
func TestFiles(t *testing.T) {
	phe := os.Getenv("GOPHE_TEST_PHE") // `make release` names one
	if phe == "" {
		phe = filepath.Join(t.TempDir(), "phe")
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", phe, "../phe/cmd/phe").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	_, page, _ := strings.Cut(read(t, "files.md"), "\n## Files from before ")
	filetest.Want(t, strings.Count(page, "\n|")-2, len(allHeld), "rows of the page, of which each is tested")
	tested := map[uintptr]bool{}
	for _, h := range allHeld {
		_, row, found := strings.Cut(page, "\n| "+h.file+" | ")
		row, _, _ = strings.Cut(row, " |\n")
		filetest.True(t, found && strings.HasPrefix(row, h.fate), "the page says %q of %q, want %q", row, h.file, h.fate)
		if check := reflect.ValueOf(h.check).Pointer(); !tested[check] { // two rows may share a check
			tested[check] = true
			t.Run(h.file, func(t *testing.T) {
				t.Parallel()
				h.check(&holder{T: t, phe: phe, folder: unpack(t, older), sentence: strings.TrimPrefix(row, h.fate)})
			})
		}
	}
	testReleases(t, phe)
}

// The page has the version of each file as a package writes it.
func TestFileVersions(t *testing.T) {
	page, _, _ := strings.Cut(read(t, "files.md"), "\n## Files from before ")
	row := regexp.MustCompile(`(?m)^\| .* \| (none|[\w ]*\d) \| .* \| (?:yes|no: .*) \| (?:(\S+) (\w+) )?\|$`)
	rows := row.FindAllStringSubmatch(page, -1)
	filetest.Want(t, len(rows), strings.Count(page, "\n|")-2, "rows of files")
	for _, row := range rows {
		written := "none"
		if row[2] != "" {
			written = strings.Trim(strings.TrimSuffix(sourceOf(t, row[2]).constants[row[3]], `\n"`), `" `)
		}
		filetest.Want(t, row[1], written, "the version in the row %s", row[0])
	}
}

// holder has the files of an older program in a folder of its own.
type holder struct {
	*testing.T
	phe, folder string
	sentence    string // with which the file is refused
	rows        int    // to learn
	nats        string // address of a stream and a store
}

// older has the files of 12ee896d.
const older = "testdata/files.tar.zst"

// unpack unpacks the files of an older program.
func unpack(t *testing.T, archive string) string {
	folder := t.TempDir()
	file := filetest.Must(os.Open(archive))(t)
	defer file.Close()
	plain := filetest.Must(zstd.NewReader(file))(t)
	defer plain.Close()
	for all := tar.NewReader(plain); ; {
		header, err := all.Next()
		if err == io.EOF {
			return folder
		}
		filetest.Check(t, err)
		if header.Typeflag == tar.TypeReg {
			path := filepath.Join(folder, header.Name)
			filetest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
			filetest.Check(t, os.WriteFile(path, filetest.Must(io.ReadAll(all))(t), fs.FileMode(header.Mode)))
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
	filetest.True(h, err != nil && h.sentence != "", "phe %s is not refused, or the page has no sentence", strings.Join(args, " "))
	filetest.WantWords(h, string(out), h.sentence)
}

// start starts a command that serves, and waits for a line on its standard error that holds a text. The command ends with the test, or is
// killed before.
func (h *holder) start(folder, until string, args ...string) (said string, kill func() error) {
	h.Helper()
	c := h.command(folder, args...)
	errs := filetest.Must(c.StderrPipe())(h)
	filetest.Check(h, c.Start())
	lines := bufio.NewScanner(errs)
	for !strings.Contains(said, until) {
		if !lines.Scan() {
			h.Fatalf("phe %s: %v\n%s", strings.Join(args, " "), c.Wait(), said)
		}
		said += lines.Text() + "\n"
	}
	h.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, errs)
		_ = c.Wait()
	})
	return said, c.Process.Kill
}

// file returns a file's content.
func (h *holder) file(path string) string { return read(h.T, filepath.Join(h.folder, path)) }

// lines returns some lines of the table of visits, with its header.
func (h *holder) lines(from, to int) string {
	all := strings.SplitAfter(h.file("all.csv"), "\n")
	return all[0] + strings.Join(all[from:min(to, len(all))], "")
}

// grow lets an input grow.
func (h *holder) grow(path string, rows int) {
	filetest.Check(h, os.WriteFile(filepath.Join(h.folder, path), []byte(h.lines(1, 1+rows)), 0o644))
}

// same compares an answer with the answer of 12ee896d.
func (h *holder) same(name, got string) {
	h.Helper()
	want := read(h.T, filepath.Join("testdata", "files", name))
	if filepath.Ext(name) == ".json" {
		near(h, 0, name, parsed(h, got), parsed(h, want))
		return
	}
	filetest.Want(h, got, want, "what 12ee896d has in %s", name)
}

// parsed returns a value of JSON.
func parsed(t testing.TB, text string) (value any) {
	filetest.Check(t, json.Unmarshal([]byte(text), &value))
	return value
}

// near compares a value of JSON with an older one. New fields may be there, and a number may differ by a part of its size.
func near(t testing.TB, part float64, path string, got, want any) {
	switch want := want.(type) {
	case map[string]any:
		fields, _ := got.(map[string]any)
		for name := range want {
			near(t, part, path+"."+name, fields[name], want[name])
		}
	case []any:
		list, _ := got.([]any)
		filetest.Want(t, len(list), len(want), "length of %s", path)
		for i := range min(len(list), len(want)) {
			near(t, part, fmt.Sprint(path, ".", i), list[i], want[i])
		}
	case float64:
		number, ok := got.(float64)
		filetest.True(t, ok && math.Abs(number-want) <= part*max(1, math.Abs(want)), "%s is %v, want %v", path, got, want)
	default:
		filetest.Want(t, got, want, "%s", path)
	}
}

// unchanged returns a check that no file of a folder has changed since.
func (h *holder) unchanged(folder string) (check func()) {
	contents := func() map[string]string {
		all := map[string]string{}
		root := os.DirFS(filepath.Join(h.folder, folder))
		filetest.Check(h, fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(path) != ".lock" {
				all[path] = h.file(filepath.Join(folder, path))
			}
			return err
		}))
		return all
	}
	before := contents()
	return func() {
		h.Helper()
		after := contents()
		filetest.Want(h, slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)), "the files of %s", folder)
		filetest.True(h, maps.Equal(before, after), "files of %s have changed", folder)
	}
}

func refuseStreams(h *holder) {
	h.grow("stream/visits.csv", 1600)
	check := h.unchanged("stream")
	for _, args := range [][]string{
		{"stream", "visits.csv", "--target", "bought", "--predictions", "classes.csv", "--model", "visits.phe"},
		{"stream", "visits.csv", "--target", "log1p(price)", "--predictions", "late.csv", "--model", "late.phe"},
		{"predict", "visits.phe", "../new.csv"},
		{"eval", "late.phe"},
		{"inspect", "visits.phe"},
	} {
		h.refuses("stream", args...)
	}
	check()
	h.do("stream", "", "stream", "visits.csv", "--target", "bought", "--model", "../beside.phe", "--force")
	check()
}

func refuseServer(h *holder) {
	check := h.unchanged("serve")
	h.refuses("serve", "serve", "visits.phe", "--address", "127.0.0.1:0", "--page=false")
	h.refuses("serve", "predict", "visits.phe", "../new.csv")
	check()
}

// servers starts the servers of the store, and returns the address of a stream or a store on them.
func (h *holder) servers() string {
	l := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(h)
	address := l.Addr().String()
	filetest.Check(h, l.Close())
	h.start("cluster", address, "cluster", "server", "--folder", "logs", "--address", address)
	return "nats://" + address + "/visits"
}

func refuseStore(h *holder) {
	visits := h.servers()
	check := h.unchanged("cluster/logs/jetstream/$G/streams/OBJ_phe-visits")
	h.refuses("cluster", "stream", visits, "--store", visits)
	h.refuses("cluster", "serve", "--store", visits, "--address", "127.0.0.1:0", "--page=false")
	check()
}

func refuseRows(h *holder) {
	visits := h.servers()
	h.grow("cluster/visits.csv", 500)
	h.refuses("cluster", "stream", visits, "--target", "bought", "--model", "new.phe")
	h.refuses("cluster", "feed", "visits.csv", visits)
}

func runSpec(h *holder) {
	h.do("study", "", "run", "visits.json", "--backend", "go", "--out", "again")
	filetest.Want(h, h.file("study/again/visits-in-order.series"), h.file("study/out/visits-in-order.series"), "the series of 12ee896d")
	h.sameTable("result.json", "again/visits-in-order.json")
}

func readResult(h *holder) {
	check := h.unchanged("study")
	h.sameTable("result.json", "out/visits-in-order.json")
	h.do("study", "", "run", "visits.json", "--backend", "go", "--out", "out")
	check()
}

func finishHalf(h *holder) {
	h.do("study", "", "run", "half.json", "--backend", "go", "--resume", "--out", "out")
	h.sameTable("half.json", "out/visits-half.json")
}

// sameTable compares the scores of a result, without its times.
func (h *holder) sameTable(name, path string) {
	h.Helper()
	cells := strings.TrimSpace(h.do("study", "", "table", path, "--json"))
	cells = regexp.MustCompile(`"seconds":[^,]*,`).ReplaceAllString(cells, "")
	h.same(name, "["+strings.ReplaceAll(cells, "\n", ",\n")+"]\n")
}

func loadLearner(h *holder) {
	if runtime.GOARCH != "amd64" {
		h.Skip("processors of another kind may round otherwise")
	}
	rows := filetest.Must(csv.NewReader(strings.NewReader(h.file("all.csv"))).ReadAll())(h)
	var all []tabular.Record
	for _, row := range rows[1:] {
		price := filetest.Must(strconv.ParseFloat(row[3], 64))(h)
		class := slices.Index([]string{"no", "yes"}, row[6])
		all = append(all, tabular.Record{Items: row[:2], Numbers: []float64{price / 100}, Class: class})
	}
	config := tabular.ForTable([]string{"user", "product"}, 1, 2)
	config.Encoder.NumBuckets = 20
	model := filetest.Must(tabular.New(config))(h)
	own := learn.Options{Backend: filetest.Must(backend.Open(backend.Go))(h)}
	learner := filetest.Must(learn.New(model.Network, model.Config.Config, own))(h)
	filetest.Must(learner.ReadFrom(strings.NewReader(h.file("learner/orders.learner"))))(h)
	filetest.Check(h, learner.Update(filetest.Must(model.Encode(all[250:300]))(h), 5))
	predictions := filetest.Must(learner.Predict(filetest.Must(model.Encode(all[300:320]))(h)))(h)
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
	filetest.Check(h, json.Unmarshal([]byte(h.file("notebook/visits.ipynb")), &notebook))
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
	code = strings.ReplaceAll(code, "gophe/data/records", "gophe/phe/records")
	path := filepath.Join(h.folder, "main.go")
	filetest.Check(h, os.WriteFile(path, []byte(code), 0o644))
	out, err := exec.Command("go", "vet", path).CombinedOutput()
	filetest.True(h, err == nil, "%v\n%s", err, out)
}
