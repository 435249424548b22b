package picture_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// program is what GoNB has of a notebook's cells so far: declarations by name. A later one of a name takes its place.
type program struct{ imports, declarations map[string]string }

// add adds a cell as GoNB does: lines that begin with % or ! are commands, and what follows %% is the body of main.
func (p program) add(cell []string) error {
	text, end := "package main\n", ""
	for _, line := range cell {
		switch {
		case strings.TrimSpace(line) == "%%":
			text, end = text+"func main() {\n", "\n}\n"
		case !strings.HasPrefix(line, "%") && !strings.HasPrefix(line, "!"):
			text += line
		}
	}
	text += end
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return err
	}
	source := func(n ast.Node) string { return text[n.Pos()-1 : n.End()-1] }
	delete(p.declarations, "main")
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = strings.TrimPrefix(source(d.Recv.List[0].Type), "*") + "." + name
			}
			p.declarations[name] = source(d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ImportSpec:
					p.imports[source(s)] = "import " + source(s)
				case *ast.TypeSpec:
					p.declarations[s.Name.Name] = "type " + source(s)
				case *ast.ValueSpec:
					p.declarations[s.Names[0].Name] = d.Tok.String() + " " + source(s)
				}
			}
		}
	}
	return nil
}

// unused matches what the checker says of an import.
var unused = regexp.MustCompile(`imported (as \S+ )?and not used`)

// check reports the first thing that does not compile. GoNB leaves out imports that a cell does not use.
func (p program) check(set *token.FileSet, from types.Importer) (wrong error) {
	parts := slices.AppendSeq(slices.AppendSeq([]string{"package main"}, maps.Values(p.imports)), maps.Values(p.declarations))
	text := strings.Join(parts, "\n")
	file, err := parser.ParseFile(set, "cell", text, 0)
	if err != nil {
		return err
	}
	note := func(err error) {
		if wrong == nil && !unused.MatchString(err.Error()) {
			line := set.Position(err.(types.Error).Pos).Line
			wrong = fmt.Errorf("%s: %s", err.(types.Error).Msg, strings.TrimSpace(strings.Split(text, "\n")[line-1]))
		}
	}
	config := types.Config{Importer: from, Error: note}
	_, _ = config.Check("main", set, []*ast.File{file}, nil)
	return wrong
}

// compiled returns an importer of packages and all that they import, as the go command compiles them.
func compiled(t *testing.T, set *token.FileSet, packages []string) types.Importer {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}"}, packages...)...)
	list.Stderr = os.Stderr
	output := filetest.Must(list.Output())(t)
	files := map[string]string{}
	for line := range strings.Lines(string(output)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		files[fields[0]] = fields[1]
		if fields[2] != "" { // `go test` knows then that a change of the package ends what it keeps of this test
			filetest.Must(os.ReadDir(fields[2]))(t)
		}
	}
	return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// code returns the lines of each code cell of a notebook.
func code(t *testing.T, path string) (cells [][]string) {
	t.Helper()
	var notebook struct {
		Cells []struct {
			Kind   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	filetest.Check(t, json.Unmarshal(filetest.Must(os.ReadFile(path))(t), &notebook))
	for _, c := range notebook.Cells {
		if c.Kind == "code" {
			cells = append(cells, c.Source)
		}
	}
	return cells
}

// Each cell of each notebook compiles with what the cells above it declare. The test is here because this package has been compiled with
// nearly all that notebooks import.
func TestCells(t *testing.T) {
	paths := filetest.Must(filepath.Glob("../*.ipynb"))(t)
	var imports []string
	for _, path := range paths {
		for _, line := range code(t, path)[0] { // has all imports, by another test
			if parts := strings.Split(line, `"`); len(parts) == 3 && strings.HasPrefix(line, "\t") {
				imports = append(imports, parts[1])
			}
		}
	}
	slices.Sort(imports)
	set := token.NewFileSet()
	from := compiled(t, set, slices.Compact(imports))
	for _, path := range paths {
		p := program{map[string]string{}, map[string]string{}}
		for i, cell := range code(t, path) {
			err := p.add(cell)
			if err == nil {
				err = p.check(set, from)
			}
			filetest.True(t, err == nil, "%s, code cell %d: %v", filepath.Base(path), i, err)
		}
	}
}
