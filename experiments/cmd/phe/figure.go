package main

import (
	"fmt"
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
	file  string   // of the picture, without extension
	specs []string // whose results it shows
	draw  func(files []*result.File, sigma float64) (*figures.Figure, error)
}

var (
	fourOnline = []string{"adult-online", "bank-online", "mushroom-online", "covertype-full-online"}
	fourGroup  = []string{"adult-group", "bank-group", "mushroom-group", "covertype-full-group"}
)

// drawings by the names that the command takes: numbers are the paper's.
var drawings = map[string]drawing{
	"1":  {"fig01-group-update", []string{"mushroom-group", "adult-group"}, plain(figures.Figure1)},
	"3":  {"fig03", []string{"adult-online"}, single(figures.Figure3)},
	"5":  {"fig05-two-items", []string{"two-items"}, single(func(f *result.File, _ float64) (*figures.Figure, error) { return figures.Figure5(f) })},
	"6":  {"fig06-online", fourOnline, figures.Figure6},
	"8":  {"fig08-groups", fourGroup, plain(figures.Figure8)},
	"9":  {"fig09-group-items", fourGroup, plain(figures.Figure9)},
	"10": {"fig10-adaptation", []string{"adult-adaptation", "mushroom-adaptation", "bank-adaptation", "covertype-adaptation"}, figures.Figure10},
	"11": {"fig11-continual", []string{"mushroom-group", "covertype-full-group", "bank-group", "adult-group"}, plain(figures.Figure11)},
	"11-stratified": {"fig11-continual-stratified", []string{"mushroom-group-stratified", "covertype-group-stratified", "bank-group-stratified", "adult-group-stratified"},
		plain(figures.Figure11)},
	"frontier": {"frontier", []string{"adult-frontier", "bank-frontier"}, plain(figures.Frontier)},
	"pays": {"pays", []string{"adult-by-group", "adult-growing", "adult-swapped", "bank-by-group", "bank-growing", "bank-swapped",
		"mushroom-by-group", "mushroom-growing", "mushroom-swapped", "covertype-by-group", "covertype-growing", "covertype-swapped"},
		func(f []*result.File, sigma float64) (*figures.Figure, error) {
			return figures.Pays(f, experiments.Reference, sigma)
		}},
}

func plain(draw func([]*result.File) (*figures.Figure, error)) func([]*result.File, float64) (*figures.Figure, error) {
	return func(files []*result.File, _ float64) (*figures.Figure, error) { return draw(files) }
}

func single(draw func(*result.File, float64) (*figures.Figure, error)) func([]*result.File, float64) (*figures.Figure, error) {
	return func(files []*result.File, sigma float64) (*figures.Figure, error) { return draw(files[0], sigma) }
}

func figureNames() []string { return slices.Sorted(maps.Keys(drawings)) }

func figureCommand() *cobra.Command {
	var folder, to string
	var specs []string
	var sigma float64
	c := &cobra.Command{
		Use: "figure NAME", Short: "Draw a figure from results, as PNG and SVG: " + strings.Join(figureNames(), ", "),
		Long:    "Figure draws from result files only. Numbers are the paper's figures; frontier and pays are ours.",
		Example: "  phe figure 3\n  phe figure 3 --spec adult-demo --to out\n  phe figure 11 --out experiments/out",
		Args:    cobra.ExactArgs(1), ValidArgs: figureNames(),
		RunE: func(c *cobra.Command, args []string) error {
			d, ok := drawings[args[0]]
			if !ok {
				return errors.Errorf("there is no figure %q; choose one of %s", args[0], strings.Join(figureNames(), ", "))
			}
			if len(d.specs) == 1 && len(specs) > 1 {
				return errors.Errorf("figure %s shows one result and --spec names %d; name one", args[0], len(specs))
			}
			if len(specs) > 0 {
				d.specs = specs
			}
			if args[0] == "3" {
				d.file += "-" + d.specs[0]
			}
			var files []*result.File
			for _, spec := range d.specs {
				f, err := result.Read(filepath.Join(folder, spec+".json"))
				if err != nil {
					return err
				}
				files = append(files, f)
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
	c.Flags().Float64Var(&sigma, "sigma", 10, "width of the Gaussian filter, in steps of the stream, where curves are smoothed (the paper does not say its own)")
	return c
}
