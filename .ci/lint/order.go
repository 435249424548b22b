package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// maxUp is the largest share of the arrows in a package that may run upwards.
const maxUp = 0.2

// order matches the line of a package's comment that names its files from the ground up, without their extension.
var order = regexp.MustCompile(`(?m)^Files, lowest first: ([^.]+)\.`)

// arrow is a call from one file of a package to a function or method in another. Many such calls are one arrow.
type arrow struct{ from, to string }

// local says of each import that it is not there. What other packages declare draws no arrow.
type local struct{}

func (local) Import(path string) (*types.Package, error) { return nil, errors.New(path) }

// checkOrder returns the number of arrows between the files of a package, and the arrows that run upwards in the order that the comment
// in its doc.go names. Too many of them are an error, as is an order that leaves a file out. A package without an order has no arrows.
func checkOrder(root, doc string) (all int, up []arrow, err error) {
	files := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(root, path.Dir(doc), "*.go"))
	if err != nil {
		return 0, nil, errors.WithStack(err)
	}
	var trees []*ast.File
	var names, ordered []string
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".go")
		if strings.HasSuffix(name, "_test") {
			continue
		}
		tree, err := parser.ParseFile(files, p, nil, parser.ParseComments)
		if err != nil {
			return 0, nil, errors.WithStack(err)
		}
		trees = append(trees, tree)
		if name != "doc" {
			names = append(names, name)
		} else if found := order.FindStringSubmatch(tree.Doc.Text()); found != nil {
			ordered = strings.Fields(found[1])
		}
	}
	if ordered == nil {
		return 0, nil, nil
	}
	if sorted := slices.Sorted(slices.Values(ordered)); !slices.Equal(sorted, names) {
		return 0, nil, errors.Errorf("%s names the files %v, and the package has %v", doc, sorted, names)
	}
	arrows := arrowsOf(files, trees)
	for _, a := range arrows {
		if slices.Index(ordered, a.to) > slices.Index(ordered, a.from) {
			up = append(up, a)
		}
	}
	if float64(len(up)) > maxUp*float64(len(arrows)) {
		err = errors.Errorf("%s: %d of %d arrows between files run upwards: %v", doc, len(up), len(arrows), up)
	}
	return len(arrows), up, err
}

// arrowsOf returns the arrows between the files of one package.
func arrowsOf(files *token.FileSet, trees []*ast.File) []arrow {
	uses := map[*ast.Ident]types.Object{}
	config := types.Config{Importer: local{}, Error: func(error) {}} // imports are not there, so a whole check must fail
	pkg, _ := config.Check("", files, trees, &types.Info{Uses: uses})
	name := func(at token.Pos) string {
		return strings.TrimSuffix(filepath.Base(files.Position(at).Filename), ".go")
	}
	var arrows []arrow
	for id, used := range uses {
		a := arrow{name(id.Pos()), name(used.Pos())}
		if _, isFunc := used.(*types.Func); isFunc && used.Pkg() == pkg && a.from != a.to && !slices.Contains(arrows, a) {
			arrows = append(arrows, a)
		}
	}
	return arrows
}
