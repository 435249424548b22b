// Package notebooks_test checks the committed notebooks, and runs some of their cells. Python's run_test.py tests the program that runs
// all of them.
package notebooks_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"gophe/phe/disk/filetest"
)

const (
	maxLines   = 15      // of a code cell, without empty lines and %%
	maxColumns = 90      // of a line of code: a longer one is cut off in exported pages
	maxBytes   = 5 << 20 // of all notebooks together
)

// longer is the exception to maxLines: a cell of a notebook with a text in it. A method of one's own is a type with two methods,
// and in one cell it can be copied.
var longer = []struct {
	notebook, with string
	lines          int
}{{"0-start-here.ipynb", "ownmethod.Method{", 25}}

// sections are the beginnings of names: one for each section of the paper, and four of the project's own.
var sections = []string{"0-", "1-", "3.1-", "3.2-", "3.3-", "3.4-", "4.1-", "4.2-", "4.3-", "4.4-", "4.5-", "5-", "6-", "7-", "A-"}

// notebook is a file of Jupyter, as far as the tests read it.
type notebook struct {
	Format int    `json:"nbformat"`
	Cells  []cell `json:"cells"`
	path   string
	size   int
}

type cell struct {
	Kind     string   `json:"cell_type"`
	Source   lines    `json:"source"`
	Outputs  []output `json:"outputs"`
	Metadata struct {
		Tags    []string `json:"tags"`
		Jupyter struct {
			Hidden bool `json:"source_hidden"`
		} `json:"jupyter"`
	} `json:"metadata"`
}

type output struct {
	Kind string                     `json:"output_type"`
	Name string                     `json:"name"` // of a stream: stdout or stderr
	Text lines                      `json:"text"`
	Data map[string]json.RawMessage `json:"data"`
}

// lines is a text that Jupyter stores as one string or as a list of lines.
type lines string

func (l *lines) UnmarshalJSON(content []byte) error {
	var list []string
	if json.Unmarshal(content, &list) == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(content, (*string)(l))
}

// isFolded reports whether JupyterLab and the export hide the cell's source.
func (c cell) isFolded() bool {
	return c.Metadata.Jupyter.Hidden && slices.Contains(c.Metadata.Tags, "hide-input")
}

// runs reports whether the cell's program has a body. Other cells only declare something.
func (c cell) runs() bool {
	return slices.Contains(c.lines(), "%%") || strings.Contains(string(c.Source), "func main(")
}

func (c cell) lines() []string { return strings.Split(string(c.Source), "\n") }

// length returns the number of lines that say something.
func (c cell) length() (n int) {
	for _, line := range c.lines() {
		if text := strings.TrimSpace(line); text != "" && text != "%%" {
			n++
		}
	}
	return n
}

// code returns the code cells.
func (n notebook) code() (cells []cell) {
	for _, c := range n.Cells {
		if c.Kind == "code" {
			cells = append(cells, c)
		}
	}
	return cells
}

func committed(t *testing.T) []notebook {
	t.Helper()
	var list []notebook
	for _, path := range filetest.Some(t, filetest.Must(filepath.Glob("*.ipynb"))(t), "notebooks") {
		content := filetest.Must(os.ReadFile(path))(t)
		n := notebook{path: path, size: len(content)}
		filetest.Check(t, json.Unmarshal(content, &n))
		filetest.Want(t, n.Format, 4, "the format of %s", path)
		list = append(list, n)
	}
	return list
}

// each runs a test for each notebook.
func each(t *testing.T, test func(t *testing.T, n notebook)) {
	t.Helper()
	for _, n := range committed(t) {
		t.Run(n.path, func(t *testing.T) { test(t, n) })
	}
}

// Each section of the paper has one notebook, and there is no other.
func TestSections(t *testing.T) {
	size := 0
	var found []string
	for _, n := range committed(t) {
		size += n.size
		found = append(found, n.path)
	}
	for _, section := range sections {
		at := slices.IndexFunc(found, func(path string) bool { return strings.HasPrefix(path, section) })
		if at < 0 {
			t.Errorf("no notebook is called %s….ipynb", section)
			continue
		}
		found = slices.Delete(found, at, at+1)
	}
	filetest.Want(t, len(found), 0, "notebooks that belong to no section, or to one that has a notebook: %v", found)
	filetest.True(t, size <= maxBytes, "all notebooks have %d bytes; %d are allowed: make pictures smaller", size, maxBytes)
}

// A cell shows one idea, in lines that no page cuts off.
func TestCells(t *testing.T) {
	each(t, func(t *testing.T, n notebook) {
		for i, c := range n.Cells {
			if c.Kind != "code" || c.isFolded() {
				continue
			}
			most := maxLines
			for _, l := range longer {
				if l.notebook == n.path && strings.Contains(string(c.Source), l.with) {
					most = l.lines
				}
			}
			got := c.length()
			filetest.True(t, got <= most, "cell %d has %d lines of code; %d are allowed: move plumbing to notebooks/lesson",
				i, got, most)
			for _, line := range c.lines() {
				got := utf8.RuneCountInString(line)
				filetest.True(t, got <= maxColumns, "cell %d has a line of %d characters; %d are allowed: %s", i, got, maxColumns, line)
			}
		}
	})
}

// The first code cell is boilerplate, and folded. A cell is folded for JupyterLab and for the export, or for neither.
func TestFolded(t *testing.T) {
	each(t, func(t *testing.T, n notebook) {
		for i, c := range n.Cells {
			hidden := slices.Contains(c.Metadata.Tags, "hide-input")
			filetest.Want(t, hidden, c.Metadata.Jupyter.Hidden, "cell %d has the tag hide-input, as source_hidden says", i)
		}
		code := filetest.Some(t, n.code(), "code cells")
		first := string(code[0].Source)
		filetest.True(t, code[0].isFolded(), "the first code cell is not folded")
		filetest.True(t, strings.HasPrefix(first, "%noautoget\n"), "the first code cell begins %.20q", first)
		filetest.WantWords(t, first, "go work init", "import (")
	})
}

// badCode is code that belongs into a package, with the place for it.
var badCode = []struct {
	pattern *regexp.Regexp
	remedy  string
}{
	{regexp.MustCompile(`"gonum\.org/v1/plot`), "pictures are functions of notebooks/lesson, drawn by figures/draw"},
	{regexp.MustCompile(`"gophe/figures/draw"`), "pictures are functions of notebooks/lesson"},
	{regexp.MustCompile(`Printf\(.*%[-+ 0]*[1-9]\d*(\.\d+)?[a-z]`), "a table is a DataFrame under cell.Table"},
}

// Cells hold no plotting, no tables aligned by hand, and only the first one imports.
func TestCode(t *testing.T) {
	each(t, func(t *testing.T, n notebook) {
		for i, c := range n.code() {
			for _, bad := range badCode {
				found := bad.pattern.FindString(string(c.Source))
				filetest.True(t, found == "", "code cell %d has %q: %s", i, found, bad.remedy)
			}
			imports := slices.ContainsFunc(c.lines(), func(line string) bool { return strings.HasPrefix(line, "import ") })
			filetest.True(t, i == 0 || !imports, "code cell %d imports; the first one has all imports", i)
		}
	})
}

// silent matches the words of a cell that has failed without an error: by a ! line, or by an unknown % command.
var silent = regexp.MustCompile(`(?m)^exit status \d+$|unknown or not implemented yet`)

// Notebooks are committed with the outputs of a run in which nothing failed, with pictures and tables.
func TestOutputs(t *testing.T) {
	each(t, func(t *testing.T, n notebook) {
		kinds := map[string]bool{}
		for i, c := range n.code() {
			keeps := strings.Contains(string(c.Source), "cell.Keep(") // for later cells
			filetest.True(t, i == 0 || !c.runs() || keeps || len(c.Outputs) > 0,
				"code cell %d has no output: commit the notebook as it was executed", i)
			for _, o := range c.Outputs {
				failed := o.Kind == "error" || o.Name == "stderr" && silent.MatchString(string(o.Text))
				filetest.True(t, !failed, "code cell %d has failed: %s", i, o.Text)
				for kind := range o.Data {
					kinds[kind] = true
				}
			}
		}
		filetest.True(t, kinds["image/png"] && kinds["text/html"], "the outputs have no picture or no table: %v", kinds)
	})
}

// Notebooks work without a network and on any machine.
func TestElsewhere(t *testing.T) {
	each(t, func(t *testing.T, n notebook) {
		for i, c := range n.Cells {
			text := string(c.Source)
			for _, o := range c.Outputs {
				text += "\n" + string(o.Text)
				for kind, content := range o.Data {
					if !strings.HasPrefix(kind, "image/") { // any letters may meet by chance there
						text += "\n" + string(content)
					}
				}
			}
			for _, elsewhere := range []string{"http://", "https://", "/home/", "/root/", "/tmp/"} {
				_, rest, found := strings.Cut(text, elsewhere)
				filetest.True(t, !found, "cell %d names %s%.60q", i, elsewhere, rest)
			}
		}
	})
}

// A notebook ends with questions for the reader.
func TestTryThis(t *testing.T) {
	each(t, func(t *testing.T, n notebook) {
		last := n.Cells[len(n.Cells)-1]
		filetest.Want(t, last.Kind, "markdown", "the kind of the last cell")
		tries := strings.HasPrefix(string(last.Source), "## Try this\n")
		filetest.True(t, tries, "the last cell begins %.40q, not ## Try this", last.Source)
	})
}

var (
	measured = regexp.MustCompile(`(\d+)\.(\d+) (?:%|points|units|nats)`) // in prose
	number   = regexp.MustCompile(`\d+(?:\.\d+)?`)
	tag      = regexp.MustCompile(`<[^>]*>`)
)

// A number in the prose that says what was measured is one that a cell printed, rounded.
func TestProse(t *testing.T) {
	found := 0
	each(t, func(t *testing.T, n notebook) {
		var printed []float64
		for _, c := range n.code() {
			for _, o := range c.Outputs {
				shown := string(o.Text) + string(o.Data["text/markdown"]) + tag.ReplaceAllString(string(o.Data["text/html"]), " ")
				for _, digits := range number.FindAllString(shown, -1) {
					x, _ := strconv.ParseFloat(digits, 64)
					printed = append(printed, x)
				}
			}
		}
		for _, c := range n.Cells {
			if c.Kind == "code" {
				continue
			}
			for _, m := range measured.FindAllStringSubmatch(string(c.Source), -1) {
				found++
				said, _ := strconv.ParseFloat(m[1]+"."+m[2], 64)
				half := 0.5*math.Pow10(-len(m[2])) + 1e-9
				prints := slices.ContainsFunc(printed, func(x float64) bool { return math.Abs(x-said) <= half })
				filetest.True(t, prints, "the prose says %q, and no cell prints such a number", m[0])
			}
		}
	})
	filetest.True(t, found >= 10, "%d numbers in prose: does the pattern still find them?", found)
}
