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

// text is a piece of prose: a comment, a message or a paragraph. Its lines are the file's lines.
type text struct {
	line  int
	words string
}

// read returns the prose of one file. A file of another kind has none.
func read(root, path string) ([]text, error) {
	reader := readerOf(path)
	if reader == nil {
		return nil, nil
	}
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return nil, errors.WithStack(err)
	}
	texts, err := reader(string(content))
	return texts, errors.WithMessage(err, path)
}

// readerOf returns the function that finds the prose in files of a path's kind, or nil.
func readerOf(path string) func(string) ([]text, error) {
	if strings.Contains(path, "testdata/") {
		return nil
	}
	switch filepath.Ext(path) {
	case ".go":
		return func(content string) ([]text, error) { return goTexts(content, !strings.HasSuffix(path, "_test.go")) }
	case ".md":
		return pageTexts
	case ".ipynb":
		return notebookTexts
	case ".py", ".sh", ".yml", ".yaml":
		return hashTexts
	case "", ".cuda":
		if base := filepath.Base(path); base == "Makefile" || strings.HasPrefix(base, "Dockerfile") || strings.HasPrefix(path, ".ci/") {
			return hashTexts
		}
	}
	return nil
}

// code matches a span of code, a link's target or an HTML tag. Their words are not prose.
var code = regexp.MustCompile("`[^`\n]*`|\\]\\([^)\\s]*\\)|<[^>\n]*>")

// blank replaces code by spaces, so that places in a text stay where they are.
func blank(words string) string {
	return code.ReplaceAllStringFunc(words, func(span string) string { return strings.Repeat(" ", len(span)) })
}

// pageTexts returns the paragraphs of a Markdown page, without its tables and fenced code.
func pageTexts(content string) ([]text, error) {
	var texts []text
	fenced, follows := false, false
	for i, line := range strings.Split(content, "\n") {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```")
		fenced = fenced != fence
		switch {
		case fence || fenced || trimmed == "" || strings.HasPrefix(trimmed, "|"):
			follows = false
		case follows && !strings.HasPrefix(trimmed, "#") && !strings.HasPrefix(trimmed, "- "):
			texts[len(texts)-1].words += "\n" + blank(line)
		default:
			texts, follows = append(texts, text{line: i + 1, words: blank(line)}), true
		}
	}
	return texts, nil
}

// notebookTexts returns the prose of a notebook's Markdown cells. Jupyter writes every line of a cell on a line of its own.
func notebookTexts(content string) ([]text, error) {
	var texts []text
	markdown, source := false, false
	for i, line := range strings.Split(content, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, `"cell_type"`):
			markdown = strings.Contains(trimmed, `"markdown"`)
		case strings.HasPrefix(trimmed, `"source": [`):
			source = true
		case strings.HasPrefix(trimmed, "]"):
			source = false
		case markdown && source:
			var words string
			if err := json.Unmarshal([]byte(strings.TrimSuffix(trimmed, ",")), &words); err != nil {
				return nil, errors.Wrapf(err, "line %d", i+1)
			}
			if !strings.HasPrefix(words, "|") {
				texts = append(texts, text{line: i + 1, words: blank(strings.TrimRight(words, "\n"))})
			}
		}
	}
	return texts, nil
}

// hashed matches a comment of Make, a shell, Python, YAML or Docker.
var hashed = regexp.MustCompile(`(?:^|\s)##?\s(.*)$`)

// hashTexts returns the comments that begin with "#".
func hashTexts(content string) (texts []text, err error) {
	for i, line := range strings.Split(content, "\n") {
		if parts := hashed.FindStringSubmatch(line); parts != nil {
			texts = append(texts, text{i + 1, blank(parts[1])})
		}
	}
	return texts, nil
}

// goTexts returns the comments of a Go file and, if wanted, its strings of three words and more: errors, help, and parts of pages.
func goTexts(content string, withStrings bool) (texts []text, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	for _, group := range file.Comments {
		texts = append(texts, text{files.Position(group.Pos()).Line, comment(group)})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && withStrings && l.Kind == token.STRING {
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
