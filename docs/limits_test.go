package docs

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// source is the text of a package, and its constants as their expressions are written.
type source struct {
	text      string
	constants map[string]string
}

// sourceOf returns the source of the package in a folder.
func sourceOf(t *testing.T, folder string) source {
	t.Helper()
	all := source{constants: map[string]string{}}
	for _, name := range filetest.Some(t, filetest.Must(filepath.Glob(filepath.Join("..", folder, "*.go")))(t), "files of "+folder) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text := read(t, name)
		all.text += text
		file := filetest.Must(parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution))(t)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, value := range spec.Values {
					all.constants[spec.Names[i].Name] = text[value.Pos()-file.FileStart : value.End()-file.FileStart]
				}
			}
			return true
		})
	}
	return all
}

var size = regexp.MustCompile(`^([0-9,]+)( bytes| KiB| MiB| GiB)?$`)

// sizeOf returns the number that a cell of the table of limits says.
func sizeOf(t *testing.T, cell string) int64 {
	t.Helper()
	m := size.FindStringSubmatch(cell)
	if m == nil {
		t.Fatalf("%q is no size", cell)
	}
	n := filetest.Must(strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64))(t)
	return n << map[string]int{" KiB": 10, " MiB": 20, " GiB": 30}[m[2]]
}

// Each limit of docs/limits.md is a constant of the program, and a package has the words of its error.
func TestLimits(t *testing.T) {
	rows, packages := 0, map[string]source{}
	for _, line := range strings.Split(read(t, "limits.md"), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 || cells[0] == "what" {
			continue
		}
		rows++
		folder, name, found := strings.Cut(cells[3], " ")
		p, known := packages[folder]
		if !known {
			p = sourceOf(t, folder)
			packages[folder] = p
		}
		value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, p.constants[name])
		if !found || err != nil {
			t.Errorf("%s: %q is no constant of a number: %v", cells[0], cells[3], err)
			continue
		}
		got, exact := constant.Int64Val(constant.ToInt(value.Value))
		same := exact && got == sizeOf(t, cells[1])
		filetest.True(t, same, "%s: the page says %s, and %s is %s", cells[0], cells[1], cells[3], p.constants[name])
		known = cells[2] == "no error" || strings.Contains(p.text, cells[2])
		filetest.True(t, known, "%s: no file of %s has the words %q", cells[0], folder, cells[2])
	}
	filetest.True(t, rows >= 25, "%d limits", rows)
}
