package notebooks_test

import (
	"encoding/gob"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	_ "gophe/figures" // `go test` runs the cells again after a change of their packages
	"gophe/figures/draw"
	_ "gophe/notebooks/cell"
	_ "gophe/notebooks/lesson"
	"gophe/phe/disk/filetest"
)

// kernel runs single cells, in place of GoNB and a browser.
type kernel struct{ program, root string }

// newKernel builds one program of all notebooks: a package for each, and in it a function for each cell. So each cell of each notebook
// compiles. Root is a folder in which cells find the repository and leave what later cells read.
func newKernel(t *testing.T, list []notebook) kernel {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("GoNB speaks over pipes that Windows does not have")
	}
	folder, root := t.TempDir(), t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(folder, name)
		filetest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		filetest.Check(t, os.WriteFile(path, []byte(content), 0o644))
	}
	imports, calls := `import "os"`, ""
	for i, n := range list {
		own := fmt.Sprint("n", i)
		text := "package " + own + "\n"
		for k, c := range n.code() {
			source, isMain := function(c, k)
			text += fmt.Sprintf("//line %s, code cell %d:1\n%s", n.path, k, source)
			if isMain {
				calls += fmt.Sprintf("\t%q: %s.Cell%d,\n", fmt.Sprint(n.path, k), own, k)
			}
		}
		imports += fmt.Sprintf("\nimport \"cells/%s\"", own)
		write(own+"/cells.go", text)
	}
	write("main.go", "package main\n"+imports+"\nfunc main() {\n\tmap[string]func(){\n"+calls+"\t}[os.Args[1]]()\n}\n")
	write("go.mod", "module cells\n\ngo 1.26\n")
	flags := "-ldflags=-s"
	if runtime.GOOS == "linux" {
		flags += " -linkmode=internal"
	}
	repository, program := filetest.Must(filepath.Abs(".."))(t), filepath.Join(folder, "cells.exe")
	for _, arguments := range [][]string{{"work", "init", ".", repository}, {"build", "-trimpath", flags, "-o", program}} {
		command := exec.Command("go", arguments...)
		command.Dir = folder
		output, err := command.CombinedOutput()
		filetest.True(t, err == nil, "go %v: %v\n%s", arguments, err, output)
	}
	for _, name := range []string{"data", "experiments"} {
		filetest.Check(t, os.Symlink(filepath.Join(repository, name), filepath.Join(root, name)))
	}
	return kernel{program, root}
}

// function returns a cell's source, in which the lines below %% are the body of a function. Lines that begin with % or ! are commands.
func function(c cell, number int) (source string, isMain bool) {
	for _, line := range c.lines() {
		switch {
		case strings.TrimSpace(line) == "%%":
			isMain, line = true, fmt.Sprintf("func Cell%d() {", number)
		case strings.HasPrefix(line, "%"), strings.HasPrefix(line, "!"):
			line = ""
		}
		source += line + "\n"
	}
	if isMain {
		source += "}\n"
	}
	return source, isMain
}

// shown is what a cell shows.
type shown struct {
	text   string       // printed
	pages  []string     // HTML and Markdown
	tables [][][]string // of rows, the header first
	marks  []draw.Mark
	svg    string // picture of a widget that was moved
}

// add adds an output of a cell.
func (s *shown) add(t *testing.T, kind, content string) {
	t.Helper()
	switch kind {
	case "text/html", "text/markdown":
		s.pages = append(s.pages, tag.ReplaceAllString(content, " "))
		var table [][]string
		for _, row := range strings.Split(content, "<tr>")[1:] {
			cells := cellEnd.Split(row, -1)
			for i, text := range cells {
				cells[i] = html.UnescapeString(tag.ReplaceAllString(text, ""))
			}
			table = append(table, cells)
		}
		s.tables = append(s.tables, table)
	case "application/vnd.gophe.marks+json":
		var picture struct{ Marks []draw.Mark }
		filetest.Check(t, json.Unmarshal([]byte(content), &picture))
		s.marks = append(s.marks, picture.Marks...)
	}
}

var cellEnd = regexp.MustCompile(`</t[hd]>`)

// run runs a cell. If at holds values, a reader moves the cell's controls to them, and stops the cell when the picture has followed.
func (k kernel) run(t *testing.T, path string, cell int, at map[string]string) (s shown) {
	t.Helper()
	pipe := func() (from, to *os.File) {
		from, to, err := os.Pipe()
		filetest.Check(t, err)
		return from, to
	}
	said, says := pipe()
	heard, hears := pipe()
	var text, failed strings.Builder
	command := exec.Command(k.program, fmt.Sprint(path, cell))
	command.Env = append(os.Environ(), "GONB_DIR="+filepath.Join(k.root, "notebooks"), "GONB_PIPE=/dev/fd/3", "GONB_PIPE_BACK=/dev/fd/4")
	if at == nil {
		command.Env = append(command.Env, "GOPHE_HEADLESS=1")
	}
	command.ExtraFiles, command.Stdout, command.Stderr = []*os.File{says, heard}, &text, &failed
	filetest.Check(t, command.Start())
	says.Close()
	heard.Close()
	messages, answers := gob.NewDecoder(said), gob.NewEncoder(hears)
	answer := func(address string, value any) {
		filetest.Check(t, answers.Encode(&protocol.CommValue{Address: address, Value: value}))
	}
	for {
		var d protocol.DisplayData
		if messages.Decode(&d) != nil { // the cell has ended
			break
		}
		for kind, content := range d.Data {
			switch content := content.(type) {
			case string:
				s.add(t, string(kind), content)
			case protocol.CommSubscription:
				answer(content.Address, `{"hello": true}`)
			case protocol.CommValue:
				if content.Address == protocol.GonbuiSyncAddress {
					answer(protocol.GonbuiSyncAckAddress, content.Value)
				} else if widget, isOut := strings.CutSuffix(content.Address, "/out"); isOut {
					s.follow(t, content.Value.(string), at, func(message string) { answer(widget+"/in", message) })
				}
			}
		}
	}
	hears.Close()
	err := command.Wait()
	filetest.True(t, err == nil, "%s, code cell %d: %v\n%s", path, cell, err, failed.String())
	s.text = text.String()
	return s
}

// follow does what a reader does: move all controls at the first picture, and stop at the next one.
func (s *shown) follow(t *testing.T, message string, at map[string]string, send func(message string)) {
	t.Helper()
	var m struct {
		N      int
		SVG    string
		Closed bool
	}
	filetest.Check(t, json.Unmarshal([]byte(message), &m))
	move := map[string]any{"n": m.N + 1, "values": at, "stop": m.N > 0}
	if !m.Closed {
		s.svg = m.SVG
		send(string(filetest.Must(json.Marshal(move))(t)))
	}
}

// value returns a number as cells show it: −8.882 × 10⁻¹⁶.
func value(t *testing.T, text string) float64 {
	t.Helper()
	return filetest.Must(strconv.ParseFloat(plain.Replace(text), 64))(t)
}

var plain = strings.NewReplacer("−", "-", " × 10", "e", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6",
	"⁷", "7", "⁸", "8", "⁹", "9")

// column returns the numbers of the column with a name.
func (s shown) column(t *testing.T, name string) (numbers []float64) {
	t.Helper()
	for _, table := range s.tables {
		for i := range table {
			if at := slices.Index(table[0], name); at >= 0 && i > 0 {
				numbers = append(numbers, value(t, table[i][at]))
			}
		}
	}
	return filetest.Some(t, numbers, name)
}

// series returns the marks of a series.
func (s shown) series(t *testing.T, name string) (marks []draw.Mark) {
	t.Helper()
	for _, m := range s.marks {
		if strings.HasPrefix(m.Text, name+", ") {
			marks = append(marks, m)
		}
	}
	return filetest.Some(t, marks, name)
}

// height returns the last number of a mark's text.
func height(t *testing.T, m draw.Mark) float64 {
	t.Helper()
	return value(t, m.Text[strings.LastIndex(m.Text, ": ")+2:])
}

// shown returns what a cell showed when it was committed.
func (c cell) shown(t *testing.T) (s shown) {
	t.Helper()
	for _, o := range c.Outputs {
		if o.Name == "stdout" {
			s.text += string(o.Text)
		}
		for kind, content := range o.Data {
			var text lines
			filetest.Check(t, json.Unmarshal(content, &text))
			s.add(t, kind, string(text))
		}
	}
	return s
}

// wantSame compares what a cell shows with what it showed once. Processors round differently, so numbers may differ in their last digits.
func (s shown) wantSame(t *testing.T, want shown) {
	t.Helper()
	all := func(s shown) string { return fmt.Sprint(s.text, s.pages) }
	numbers, texts := shownNumber.FindAllString(all(s), -1), shownNumber.Split(all(s), -1)
	filetest.Want(t, texts, shownNumber.Split(all(want), -1), "what it shows between numbers")
	for i, text := range shownNumber.FindAllString(all(want), -1) {
		if number := value(t, text); i < len(numbers) {
			filetest.Near(t, value(t, numbers[i]), number, 2e-4+2e-3*math.Abs(number), "the number after %q", texts[max(0, i-4):i+1])
		}
	}
}

var shownNumber = regexp.MustCompile(`[−-]?\d+(\.\d+)?([eE][+-]?\d+)?( × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?`)
