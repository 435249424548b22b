package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments"
	"gophe/experiments/result"
	"gophe/figures"
)

// drawing is a figure: the results that it is drawn from, and how.
type drawing struct {
	file   string   // of the picture, without extension
	specs  []string // whose results it shows
	draw   func(files []*result.File, sigma float64) (*figures.Figure, error)
	beside [][]string // lists of alternatives: of each it also shows the first whose result is there
	bySpec naming     // when the picture's file is named after the result, too
}

// naming of the pictures of a figure that is drawn from one result.
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
)

// drawings by the names that the command takes: numbers are the paper's.
var drawings = map[string]drawing{
	"1":        {file: "fig01-group-update", specs: []string{"mushroom-group", "adult-group"}, draw: plain(figures.Figure1)},
	"3":        {file: "fig03", specs: []string{"adult-online"}, draw: single(figures.Figure3), bySpec: always},
	"3-retail": {file: "fig03-right", specs: []string{"retail-online"}, draw: single(figures.Figure3Right), bySpec: always},
	"5":        {file: "fig05-two-items", specs: []string{"two-items"}, draw: single(unsmoothed(figures.Figure5))},
	"6":        {file: "fig06-online", specs: fourOnline, draw: figures.Figure6, beside: [][]string{{"retail-online"}, movielens}},
	"7":        {file: "fig07-first-days", specs: []string{"retail-online"}, draw: plain(figures.Figure7), beside: [][]string{movielens}},
	"8":        {file: "fig08-groups", specs: fourGroup, draw: plain(figures.Figure8)},
	"9":        {file: "fig09-group-items", specs: fourGroup, draw: plain(figures.Figure9)},
	"10": {file: "fig10-adaptation", specs: []string{"adult-adaptation", "mushroom-adaptation", "bank-adaptation", "covertype-adaptation"},
		draw: figures.Figure10},
	"11": {file: "fig11-continual", specs: []string{"mushroom-group", "covertype-full-group", "bank-group", "adult-group"},
		draw: plain(figures.Figure11), beside: [][]string{{"retail-group", "retail-group-separate"}}},
	"11-stratified": {file: "fig11-continual-stratified",
		specs: []string{"mushroom-group-stratified", "covertype-group-stratified", "bank-group-stratified", "adult-group-stratified"},
		draw:  plain(figures.Figure11)},
	"calibration": {file: "calibration", specs: []string{"retail-forecast"}, draw: single(unsmoothed(figures.Calibration)), bySpec: ifOther},
	"cold-start":  {file: "cold-start", specs: []string{"movielens-small-wide"}, draw: single(unsmoothed(figures.ColdStart)), bySpec: always},
	"memory":      {file: "memory", specs: []string{"movielens-generated"}, draw: single(unsmoothed(figures.Memory)), bySpec: always},
	"frontier":    {file: "frontier", specs: []string{"adult-frontier", "bank-frontier"}, draw: plain(figures.Frontier)},
	"pays": {file: "pays", specs: []string{"adult-by-group", "adult-growing", "adult-swapped", "bank-by-group", "bank-growing", "bank-swapped",
		"mushroom-by-group", "mushroom-growing", "mushroom-swapped", "covertype-by-group", "covertype-growing", "covertype-swapped"},
		draw: func(f []*result.File, sigma float64) (*figures.Figure, error) {
			return figures.Pays(f, experiments.Reference, sigma)
		}},
}

func plain(draw func([]*result.File) (*figures.Figure, error)) func([]*result.File, float64) (*figures.Figure, error) {
	return func(files []*result.File, _ float64) (*figures.Figure, error) { return draw(files) }
}

func single(draw func(*result.File, float64) (*figures.Figure, error)) func([]*result.File, float64) (*figures.Figure, error) {
	return func(files []*result.File, sigma float64) (*figures.Figure, error) { return draw(files[0], sigma) }
}

func unsmoothed(draw func(*result.File) (*figures.Figure, error)) func(*result.File, float64) (*figures.Figure, error) {
	return func(f *result.File, _ float64) (*figures.Figure, error) { return draw(f) }
}

// read loads the figure's results from the folder.
func (d *drawing) read(folder string) (files []*result.File, err error) {
	for _, spec := range d.specs {
		f, err := result.Read(filepath.Join(folder, spec+".json"))
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for _, alternatives := range d.beside {
		f, err := readFirst(folder, alternatives)
		if err != nil {
			return nil, err
		}
		if f != nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// readFirst loads the first of the results that is there; nil where none is.
func readFirst(folder string, specs []string) (*result.File, error) {
	for _, spec := range specs {
		f, err := result.Read(filepath.Join(folder, spec+".json"))
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, nil
}

func figureNames() []string { return slices.Sorted(maps.Keys(drawings)) }

func figureCommand() *cobra.Command {
	var folder, to string
	var specs []string
	var sigma float64
	c := &cobra.Command{
		Use: "figure NAME", Short: "Draw a figure from results, as PNG and SVG: " + strings.Join(figureNames(), ", "),
		Long: "Figure draws from result files only. Numbers are the paper's figures; calibration, cold-start, frontier, memory and pays are ours. " +
			"Figures 6 and 11 have a panel of Retail where its result is there, and figures 6 and 7 one of MovieLens: of movielens-32m, " +
			"else of movielens-small-wide.",
		Example: "  phe figure 3\n  phe figure 3 --spec adult-demo --to out\n  phe figure 3-retail --spec retail-forecast\n" +
			"  phe figure cold-start --spec movielens-50k-wide\n  phe figure 11 --out experiments/out",
		Args: cobra.ExactArgs(1), ValidArgs: figureNames(),
		RunE: func(c *cobra.Command, args []string) error {
			d, ok := drawings[args[0]]
			if !ok {
				return errors.Errorf("there is no figure %q; choose one of %s", args[0], strings.Join(figureNames(), ", "))
			}
			if len(d.specs) == 1 && d.beside == nil && len(specs) > 1 {
				return errors.Errorf("figure %s shows one result and --spec names %d; name one", args[0], len(specs))
			}
			own := d.specs[0]
			if len(specs) > 0 {
				d.specs, d.beside = specs, nil
			}
			if d.bySpec == always || d.bySpec == ifOther && d.specs[0] != own {
				d.file += "-" + d.specs[0]
			}
			files, err := d.read(folder)
			if err != nil {
				return err
			}
			fig, err := d.draw(files, sigma)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(to, 0o755); err != nil {
				return errors.Wrap(err, "cannot make the folder for the pictures; choose another with --to")
			}
			for _, extension := range []string{".png", ".svg"} {
				path := filepath.Join(to, d.file+extension)
				if err := fig.Save(path); err != nil {
					return err
				}
				fmt.Fprintln(c.OutOrStdout(), path)
			}
			return nil
		},
	}
	addFolderFlag(c, &folder, "folder of the result files")
	c.Flags().StringVar(&to, "to", "out", "folder for the pictures")
	c.Flags().StringSliceVar(&specs, "spec", nil, "the results to draw in place of the figure's own, by the names of their specs")
	c.Flags().Float64Var(&sigma, "sigma", 10, "width of the Gaussian filter, in steps of the stream, where curves are smoothed (the paper does not say its own); figure 6 takes four times as much for days of ratings")
	return c
}
