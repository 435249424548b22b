package notebooks_test

import (
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
	"regexp"
	"slices"
	"strings"
	"testing"
)

// program is what GoNB has of a notebook's cells so far: declarations by name. A later one of a name takes its place.
type program struct{ imports, declarations map[string]string }

// add adds a cell as GoNB does: lines that begin with % or ! are commands, and what follows %% is the body of main.
func (p program) add(c cell) error {
	text, end := "package main\n", ""
	for _, line := range c.lines() {
		switch {
		case line == "%%":
			text, end = text+"func main() {\n", "}\n"
		case !strings.HasPrefix(line, "%") && !strings.HasPrefix(line, "!"):
			text += line + "\n"
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
	output, err := list.Output()
	if err != nil {
		t.Fatal("go list: ", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(output)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		files[fields[0]] = fields[1]
		if fields[2] != "" { // `go test` knows then that a change of the package ends what it keeps of this test
			if _, err := os.ReadDir(fields[2]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// Each cell compiles with what the cells above it declare.
func TestCompile(t *testing.T) {
	var imports []string
	for _, n := range committed(t) {
		for _, line := range n.code()[0].lines() {
			if parts := strings.Split(line, `"`); len(parts) == 3 && strings.HasPrefix(line, "\t") {
				imports = append(imports, parts[1])
			}
		}
	}
	slices.Sort(imports)
	set := token.NewFileSet()
	from := compiled(t, set, slices.Compact(imports))
	each(t, func(t *testing.T, n notebook) {
		p := program{map[string]string{}, map[string]string{}}
		for i, c := range n.code() {
			if err := p.add(c); err != nil {
				t.Fatalf("code cell %d: %v", i, err)
			}
			if err := p.check(set, from); err != nil {
				t.Errorf("code cell %d: %v", i, err)
			}
		}
	})
}
