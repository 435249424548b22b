package study

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/figures"
	"gophe/figures/draw"
	"gophe/phe/disk/outfile"
	"gophe/phe/remedy/nearest"
)

// drawing is a figure: the results that it is drawn from, and how.
type drawing struct {
	file   string   // of the picture, without extension
	svg    string   // the picture itself of a diagram, which shows no results
	specs  []string // whose results it shows
	draw   drawer
	beside [][]string // lists of alternatives: of each it also shows the first whose result is there
	bySpec naming     // when the picture's file is named after the result, too
	also   []string   // other results: `figure all` draws a picture of each
}

// drawer draws results. It smooths curves by a Gaussian filter of width sigma.
type drawer func(files []*result.File, sigma float64) (*draw.Figure, error)

// all is the name of every figure together.
const all = "all"

// naming says when the picture of one result is named after it.
type naming int

const (
	never   naming = iota
	ifOther        // where the result is not the figure's own
	always
)

var (
	fourOnline = []string{"adult-online", "bank-online", "mushroom-online", "covertype-full-online"}
	fourGroup  = []string{"adult-group", "bank-group", "mushroom-group", "covertype-full-group"}
	movielens  = []string{"movielens-32m", "movielens-small-wide"}

	adaptationSpecs = []string{"adult-adaptation", "bank-adaptation", "mushroom-adaptation", "covertype-adaptation"}
	paysSpecs       = []string{"adult-by-group", "adult-growing", "adult-swapped", "bank-by-group", "bank-growing", "bank-swapped",
		"mushroom-by-group", "mushroom-growing", "mushroom-swapped", "covertype-by-group", "covertype-growing", "covertype-swapped"}
)

// drawings by the names that the command takes: numbers are the paper's. They are also the list of the pictures in figures/out.
var drawings = map[string]drawing{
	"1": {file: "fig01-group-update", specs: []string{"mushroom-group", "adult-group"}, draw: plain(figures.Figure1)},
	"2": {file: "fig02-encoder", svg: figures.Figure2},
	"3": {file: "fig03", specs: []string{"adult-online"}, draw: single(figures.Figure3), bySpec: always},
	"3-retail": {file: "fig03-right", specs: []string{"retail-online"}, draw: single(figures.Figure3Right), bySpec: always,
		also: []string{"retail-forecast"}},
	"4":  {file: "fig04-sequence-model", svg: figures.Figure4},
	"5":  {file: "fig05-two-items", specs: []string{"two-items"}, draw: single(unsmoothed(figures.Figure5))},
	"6":  {file: "fig06-online", specs: fourOnline, draw: figures.Figure6, beside: [][]string{{"retail-online"}, movielens}},
	"7":  {file: "fig07-first-days", specs: []string{"retail-online"}, draw: plain(figures.Figure7), beside: [][]string{movielens}},
	"8":  {file: "fig08-groups", specs: fourGroup, draw: plain(figures.Figure1)},
	"9":  {file: "fig09-group-items", specs: fourGroup, draw: plain(figures.Figure9)},
	"10": {file: "fig10-adaptation", specs: adaptationSpecs, draw: figures.Figure10, beside: oneEach(adaptationSpecs, onePass)},
	"11": {file: "fig11-continual", specs: fourGroup,
		draw: plain(figures.Figure11), beside: [][]string{{"retail-group", "retail-group-separate"}}},
	"11-stratified": {file: "fig11-continual-stratified",
		specs: []string{"adult-group-stratified", "bank-group-stratified", "mushroom-group-stratified", "covertype-group-stratified"},
		draw:  plain(figures.Figure11)},
	"calibration": {file: "calibration", specs: []string{"retail-forecast"}, draw: single(unsmoothed(figures.Calibration)), bySpec: ifOther,
		also: []string{"movielens-small-wide"}},
	"cold-start": {file: "cold-start", specs: []string{"movielens-small-wide"}, draw: single(unsmoothed(figures.ColdStart)),
		bySpec: always},
	"memory": {file: "memory", specs: []string{"movielens-generated"}, draw: single(unsmoothed(figures.Memory)), bySpec: always,
		also: []string{"movielens-generated-3m"}},
	"frontier": {file: "frontier", specs: []string{"adult-frontier", "bank-frontier"}, draw: plain(figures.Frontier)},
	"late-items": {file: "late-items", specs: []string{"retail-late", "drawn-late"}, draw: plain(figures.LateItems),
		beside: [][]string{{"movielens-late"}}},
	"pays": {file: "pays", specs: paysSpecs, beside: oneEach(paysSpecs, onePass),
		draw: func(f []*result.File, sigma float64) (*draw.Figure, error) {
			return figures.Pays(f, measure.Reference, sigma)
		}},
	"one-pass": {file: "one-pass", draw: figures.OnePass,
		specs: []string{"adult-by-group", "adult-by-group-one-pass", "bank-by-group", "bank-by-group-one-pass",
			"mushroom-by-group", "mushroom-by-group-one-pass", "covertype-by-group", "covertype-by-group-one-pass"}},
}

// onePass ends the name of a spec that learns the stream of another one in one pass.
const onePass = "-one-pass"

// oneEach returns a list for each spec. Its only alternative is the spec whose name goes on with an ending.
func oneEach(specs []string, ending string) (lists [][]string) {
	for _, spec := range specs {
		lists = append(lists, []string{spec + ending})
	}
	return lists
}

func plain(of func([]*result.File) (*draw.Figure, error)) drawer {
	return func(files []*result.File, _ float64) (*draw.Figure, error) { return of(files) }
}

func single(of func(*result.File, float64) (*draw.Figure, error)) drawer {
	return func(files []*result.File, sigma float64) (*draw.Figure, error) { return of(files[0], sigma) }
}

func unsmoothed(of func(*result.File) (*draw.Figure, error)) func(*result.File, float64) (*draw.Figure, error) {
	return func(f *result.File, _ float64) (*draw.Figure, error) { return of(f) }
}

// of returns the drawing of the named results, or of the figure's own if none is named.
func (d drawing) of(specs ...string) (drawing, error) {
	switch {
	case len(specs) > 0 && len(d.specs) == 0:
		return d, errors.Errorf("%s is a diagram and shows no result; leave out --spec", d.file)
	case len(specs) > 1 && len(d.specs) == 1 && d.beside == nil:
		return d, errors.Errorf("%s shows one result and --spec names %d; name one", d.file, len(specs))
	}
	own := d.specs
	if len(specs) > 0 {
		d.specs, d.beside = specs, nil
	}
	if d.bySpec == always || d.bySpec == ifOther && d.specs[0] != own[0] {
		d.file += "-" + d.specs[0]
	}
	return d, nil
}

func figureNames() []string { return slices.Sorted(maps.Keys(drawings)) }

func figureCommand() *cobra.Command {
	var folder, to string
	var specs []string
	var sigma float64
	c := &cobra.Command{
		Use: "figure NAME", Short: "Draw a figure from results, as SVG: " + strings.Join(figureNames(), ", ") + "; or all",
		Long: "Figure draws from result files only. Numbers are the paper's figures; " +
			"calibration, cold-start, frontier, late-items, memory, one-pass and pays are ours. " +
			"Figures 2 and 4 are diagrams, which need no results. " +
			"An SVG becomes a PNG or a PDF by `rsvg-convert -o figure.png figure.svg`. " +
			"Figures 6 and 11 have a panel of Retail where its result is there, and figures 6 and 7 one of MovieLens: " +
			"of movielens-32m, else of movielens-small-wide. Figures 10 and pays also show One pass where its results are there. " +
			"All is every figure whose results are there; the others are named.",
		Example: "  phe figure 3\n  phe figure 3 --spec retail-demo --to out\n  phe figure 3-retail --spec retail-forecast\n" +
			"  phe figure cold-start --spec movielens-50k-wide\n  phe figure 11 --out experiments/out\n" +
			"  phe figure all --out experiments/out --to figures/out",
		Args: named(1, "one figure ("+strings.Join(figureNames(), ", ")+", or all)", "phe figure 3"), ValidArgs: append(figureNames(), all),
		RunE: func(c *cobra.Command, args []string) error {
			p := pictures{result.OpenFolder(folder), to, sigma, c.OutOrStdout()}
			if args[0] == all {
				if len(specs) > 0 {
					return errors.New("all figures show their own results; leave out --spec, or name one figure")
				}
				return p.drawAll(c.ErrOrStderr())
			}
			d, ok := drawings[args[0]]
			if !ok {
				return errors.Errorf("there is no figure %q; %s, or all", args[0], nearest.Choose(args[0], figureNames()))
			}
			d, err := d.of(specs...)
			if err != nil {
				return err
			}
			return p.draw(d)
		},
	}
	c.Flags().StringVar(&folder, "out", "out", "folder of the result files")
	c.Flags().StringVar(&to, "to", "out", "folder for the pictures")
	c.Flags().StringSliceVar(&specs, "spec", nil, "the results to draw in place of the figure's own, by the names of their specs")
	c.Flags().Float64Var(&sigma, "sigma", 10, "width of the Gaussian filter, in steps of the stream, where curves are smoothed "+
		"(the paper does not say its own); figure 6 takes four times as much for days of ratings, and one-pass a quarter")
	return c
}

// pictures draws figures of results into a folder. It prints the name of each file.
type pictures struct {
	results *result.Folder
	to      string
	sigma   float64
	out     io.Writer
}

// draw draws a figure.
func (p pictures) draw(d drawing) error {
	if d.svg != "" {
		return p.write(d.file, []byte(d.svg))
	}
	files, err := p.resultsOf(d)
	if err != nil {
		return err
	}
	fig, err := d.draw(files, p.sigma)
	if err != nil {
		return errors.WithMessage(err, d.file)
	}
	content, err := fig.SVG()
	if err != nil {
		return errors.Wrapf(err, "cannot draw %s", d.file)
	}
	return p.write(d.file, content)
}

// drawAll draws every picture whose results exist, and names the pictures that it leaves out.
func (p pictures) drawAll(warnings io.Writer) error {
	for _, name := range figureNames() {
		shown := append([][]string{nil}, oneEach(drawings[name].also, "")...) // nil is its own results
		for _, specs := range shown {
			d, err := drawings[name].of(specs...)
			if err == nil {
				err = p.draw(d)
			}
			if errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(warnings, "left out %s: %s\n", d.file, err)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// resultsOf returns the figure's results, with their series.
func (p pictures) resultsOf(d drawing) (files []*result.File, err error) {
	for i, alternatives := range append(oneEach(d.specs, ""), d.beside...) {
		for _, spec := range alternatives {
			f, err := p.results.Load(spec)
			if err == nil {
				files = append(files, f)
				break
			}
			if i < len(d.specs) || !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	return files, nil
}

var picture = outfile.Kind{Name: "a picture of this program", Begins: `(<\?xml version="1.0"\?>\s*<!-- Generated by |<svg )`}

// write saves an SVG in the folder for the pictures, and prints its path.
func (p pictures) write(name string, svg []byte) error {
	path := filepath.Join(p.to, name+".svg")
	if err := result.WriteWhole(path, picture, svg); err != nil {
		return err
	}
	fmt.Fprintln(p.out, path)
	return nil
}
