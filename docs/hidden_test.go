package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

// No exported field, variable or result has an unexported type or one of an internal package, and no exported type is another name for one
// of this module: users would hold a value that `go doc` of its package cannot show.
func TestHiddenTypes(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"data", "experiments", "figures", "notebooks", "phe"} {
		filetest.Check(t, filepath.WalkDir(filepath.Join("..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil || file.Name.Name == "main" {
				return err
			}
			for name, of := range exported(file) {
				hidden := hiddenIn(of)
				filetest.True(t, hidden == "", "%s: %s is exported, and its type %s is not; export that, or hide %[2]s", path, name, hidden)
				hidden = elsewhere(file, of, strings.HasPrefix(name, "="))
				filetest.True(t, hidden == "" || strings.Contains(path, "internal"), "%s: %s is hidden: a %s", path, name, hidden)
			}
			return nil
		}))
	}
}

// exported returns the types of a file's exported variables, results and fields by name.
func exported(file *ast.File) map[string]ast.Node {
	all := map[string]ast.Node{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.IsExported() && (n.Recv == nil || hiddenIn(n.Recv.List[0].Type) == "") && n.Type.Results != nil &&
				n.Type.TypeParams == nil {
				all[n.Name.Name] = n.Type.Results
			}
			return false
		case *ast.ValueSpec:
			if n.Names[0].IsExported() && n.Type != nil {
				all[n.Names[0].Name] = n.Type
			}
		case *ast.TypeSpec:
			if n.Assign != 0 && n.Name.IsExported() {
				all["="+n.Name.Name] = n.Type
			}
			structure, ok := n.Type.(*ast.StructType)
			if !ok || !n.Name.IsExported() || n.TypeParams != nil {
				return false
			}
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					if name.IsExported() {
						all[n.Name.Name+"."+name.Name] = field.Type
					}
				}
			}
		}
		return true
	})
	return all
}

// hiddenIn returns an unexported type of the package that a type mentions; "" if there is none.
func hiddenIn(of ast.Node) (hidden string) {
	ast.Inspect(of, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if name := hiddenIn(n.Type); name != "" {
				hidden = name
			}
			return false // its names are no types
		case *ast.ArrayType:
			hidden = hiddenIn(n.Elt)
			return false // its length is no type
		case *ast.SelectorExpr, *ast.IndexExpr: // of another package, or with parameters
			return false
		case *ast.Ident:
			if !n.IsExported() && types.Universe.Lookup(n.Name) == nil {
				hidden = n.Name
			}
		}
		return true
	})
	return hidden
}

// elsewhere returns a type of an internal package, or of any package of the module, that a type mentions. A text.String is a string.
func elsewhere(file *ast.File, of ast.Node, any bool) (hidden string) {
	ast.Inspect(of, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		for _, i := range file.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			hides := any && within(path, files.Module) || strings.Contains(path, "/internal/") && !strings.HasSuffix(path, "/text")
			if ok && hides && filepath.Base(path) == s.X.(*ast.Ident).Name {
				hidden = path + "." + s.Sel.Name
			}
		}
		return true
	})
	return hidden
}
