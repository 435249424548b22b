package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments"
	"gophe/experiments/result"
	"gophe/figures"
)

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the experiments that come with the program",
		Example: "  phe list",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, name := range experiments.Names() {
				spec, err := experiments.LoadSpec(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "%-18s %s\n", name, spec.Title)
			}
			return nil
		},
	}
}

func tableCommand() *cobra.Command {
	var folder string
	var asJSON bool
	c := &cobra.Command{
		Use: "table NAME", Short: "Print a table from results: " + strings.Join(experiments.Tables(), ", "),
		Example: "  phe table 1\n  phe table schemes --out experiments/out",
		Args:    cobra.ExactArgs(1), ValidArgs: experiments.Tables(),
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON {
				cells, err := experiments.TableCells(args[0], folder)
				if err != nil {
					return err
				}
				return printJSON(c.OutOrStdout(), cells)
			}
			table, err := experiments.Table(args[0], folder)
			fmt.Fprint(c.OutOrStdout(), table)
			return err
		},
	}
	addFolderFlag(c, &folder, "folder of the result files")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a cell")
	return c
}

func compareCommand() *cobra.Command {
	var folder string
	var asJSON bool
	c := &cobra.Command{
		Use: "compare", Short: "Lay the results beside the paper's numbers",
		Long: "Compare lists every cell of the paper that this program can fill, with the paper's figure, the measured one, and their\n" +
			"difference in points and in the paper's standard deviations; and the frozen models, which the paper lacks.",
		Example: "  phe compare\n  phe compare --json --out experiments/out",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cells, err := experiments.Compare(folder)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), cells)
			}
			fmt.Fprint(c.OutOrStdout(), experiments.Markdown(cells))
			return nil
		},
	}
	addFolderFlag(c, &folder, "folder of the result files")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a cell")
	return c
}

func figureCommand() *cobra.Command {
	var folder, to, spec string
	var sigma float64
	c := &cobra.Command{
		Use: "figure NAME", Short: "Draw a figure of the paper from results, as PNG and SVG: 3",
		Example: "  phe figure 3\n  phe figure 3 --spec adult-demo --to out",
		Args:    cobra.ExactArgs(1), ValidArgs: []string{"3"},
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] != "3" {
				return errors.Errorf("there is no figure %q; choose 3", args[0])
			}
			f, err := result.Read(filepath.Join(folder, spec+".json"))
			if err != nil {
				return err
			}
			fig, err := figures.Figure3(f, sigma)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(to, 0o755); err != nil {
				return errors.Wrap(err, "cannot make the folder for the pictures; choose another with --to")
			}
			for _, extension := range []string{".png", ".svg"} {
				path := filepath.Join(to, "fig03-"+spec+extension)
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
	c.Flags().StringVar(&spec, "spec", "adult-online", "the result to draw")
	c.Flags().Float64Var(&sigma, "sigma", 10, "width of the Gaussian filter, in steps of the stream (the paper does not say its own)")
	return c
}
