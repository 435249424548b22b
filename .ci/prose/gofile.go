package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// goTexts returns the comments of a Go file, its error texts and its help texts.
func goTexts(content string) ([]text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	var texts []text
	for _, group := range file.Comments {
		texts = append(texts, text{line: files.Position(group.Pos()).Line, words: comment(group), comment: true})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		for _, message := range messages(n) {
			texts = append(texts, literals(files, message)...)
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

// failure matches the functions and methods that make an error or add words to it.
var failure = regexp.MustCompile(`^(?:New|Errorf|Wrapf?|WithMessagef?|Fatalf?|Skipf?|Logf?|Error)$`)

// option matches pflag's and flag's functions that declare an option.
var option = regexp.MustCompile(`^(?:Bool|String|Int|Int64|Uint|Uint64|Float64|Duration|StringSlice|StringArray|IntSlice)?(?:Var)?P?$`)

// messages returns the expressions in a node that hold words for a user.
func messages(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		called, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || len(n.Args) == 0 {
			return nil
		}
		if failure.MatchString(called.Sel.Name) {
			return n.Args
		}
		if last := n.Args[len(n.Args)-1]; len(n.Args) >= 3 && option.MatchString(called.Sel.Name) {
			return []ast.Expr{last}
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok {
			switch key.Name {
			case "Use", "Short", "Long", "Example":
				return []ast.Expr{n.Value}
			}
		}
	}
	return nil
}

// literals returns the words of an expression's string literals. It leaves out calls within, which goTexts meets on their own.
func literals(files *token.FileSet, e ast.Expr) []text {
	switch e := e.(type) {
	case *ast.BasicLit:
		if words, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return []text{{line: files.Position(e.Pos()).Line, words: blank(words)}}
		}
	case *ast.BinaryExpr:
		return append(literals(files, e.X), literals(files, e.Y)...)
	case *ast.ParenExpr:
		return literals(files, e.X)
	}
	return nil
}
