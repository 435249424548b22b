package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// text is a piece of prose: a comment, a message or a page. Its lines are the file's lines, and a notebook's are its cells.
type text struct {
	line  int
	words string
}

// readers find the prose in files, by the extension of their paths. Comments of other languages are few, and none was ever hard.
var readers = map[string]func(path, content string) ([]text, error){".go": goTexts, ".md": pageTexts, ".ipynb": notebookTexts}

// read returns the prose of one file. A file of another kind has none.
func read(root, path string) ([]text, error) {
	reader := readers[filepath.Ext(path)]
	if reader == nil || strings.Contains(path, "testdata/") {
		return nil, nil
	}
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	texts, err := reader(path, string(content))
	return texts, errors.WithMessage(err, path)
}

// code matches text whose words are not prose: fenced code, a line of a table, a span of code, a link's target, and an HTML tag.
var code = regexp.MustCompile("(?ms)^ *```.*?^ *```$|^ *\\|[^\n]*$|`[^`\n]*`|\\]\\([^)\\s]*\\)|<[^>\n]*>")

// blank replaces code by spaces, so that places in a text stay where they are.
func blank(words string) string {
	return code.ReplaceAllStringFunc(words, func(span string) string {
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, span)
	})
}

// pageTexts returns the prose of a Markdown page.
func pageTexts(_, content string) ([]text, error) { return []text{{1, blank(content)}}, nil }

// notebookTexts returns the prose of a notebook's Markdown cells.
func notebookTexts(_, content string) (texts []text, err error) {
	var notebook struct {
		Cells []struct {
			Kind   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	err = json.Unmarshal([]byte(content), &notebook)
	for i, cell := range notebook.Cells {
		if cell.Kind == "markdown" {
			texts = append(texts, text{i + 1, blank(strings.Join(cell.Source, ""))})
		}
	}
	return texts, errors.WithStack(err)
}

// goTexts returns the comments of a Go file and, unless it is a test, its strings of three words and more: errors, help and pages.
func goTexts(path, content string) (texts []text, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	for _, group := range file.Comments {
		texts = append(texts, text{files.Position(group.Pos()).Line, comment(group)})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && !strings.HasSuffix(path, "_test.go") {
			if words, err := strconv.Unquote(l.Value); err == nil && len(strings.Fields(words)) > 2 {
				texts = append(texts, text{files.Position(l.Pos()).Line, blank(words)})
			}
		}
		return true
	})
	return texts, nil
}

// comment returns the prose of a comment, one line a line. Directives and code in it become empty lines.
func comment(group *ast.CommentGroup) string {
	var lines []string
	for _, c := range group.List {
		for line := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSuffix(c.Text, "*/"), "/*"), "\n") {
			line, slashes := strings.CutPrefix(line, "//")
			if slashes && (strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "go:")) {
				line = ""
			}
			lines = append(lines, blank(line))
		}
	}
	return strings.Join(lines, "\n")
}
