package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pkg/errors"
)

// text is a piece of prose: a comment, a message or a paragraph. Its lines are the file's lines.
type text struct {
	line    int
	words   string
	comment bool
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
		return goTexts
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
var hashed = regexp.MustCompile(`^(.*?)(?:^|\s)##?\s(.*)$`)

// hashTexts returns the comments that begin with "#" and Python's docstrings. Comment lines in sequence are one comment.
func hashTexts(content string) ([]text, error) {
	var texts []text
	docstring, follows := false, false
	for i, line := range strings.Split(content, "\n") {
		words, own := "", false
		switch quotes := strings.Count(line, `"""`); {
		case quotes == 2 || docstring || quotes == 1:
			words, own = strings.ReplaceAll(line, `"""`, ""), true
			follows = follows && docstring
			docstring = docstring != (quotes == 1)
		default:
			if parts := hashed.FindStringSubmatch(line); parts != nil {
				words, own = parts[2], strings.TrimSpace(parts[1]) == ""
			}
		}
		words = blank(words)
		switch {
		case words == "":
			follows = false
		case follows && own:
			texts[len(texts)-1].words += "\n" + words
		default:
			texts = append(texts, text{line: i + 1, words: words, comment: true})
			follows = own
		}
	}
	return texts, nil
}
