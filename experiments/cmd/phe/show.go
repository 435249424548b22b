package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/compare"
	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list [SPEC.json…]", Short: "List the experiments that come with the program, or specs of yours",
		Example: "  phe list\n  phe list *.json      specs of yours; an error names the line",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) == 0 {
				names = spec.Names()
			}
			for _, name := range names {
				spec, err := spec.Load(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "%-26s %s\n", name, spec.Title)
			}
			return nil
		},
	}
}

func tableCommand() *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use: "table NAME", Short: "Print a table from results: " + strings.Join(report.Tables(), ", "),
		Example: "  phe table 1 --grid\n  phe table schemes --out experiments/out\n  phe table 5 --csv > table5.csv",
		Args:    named("one table ("+strings.Join(report.Tables(), ", ")+")", "phe table 1", false), ValidArgs: report.Tables(),
		RunE: func(c *cobra.Command, args []string) error {
			if f.asJSON || f.asCSV || f.asGrid {
				cells, err := report.TableCells(args[0], result.OpenFolder(f.folder))
				if err != nil {
					return err
				}
				if f.asGrid && !report.HasGrid(args[0]) {
					return errors.Errorf("table %q has several metrics a method and no grid; leave out --grid", args[0])
				}
				return f.print(c.OutOrStdout(), cells)
			}
			table, err := report.Table(args[0], result.OpenFolder(f.folder))
			fmt.Fprint(c.OutOrStdout(), table)
			return err
		},
	}
	f.add(c)
	c.Flags().BoolVar(&f.asGrid, "grid", false, "print a row a data set and a column a method, as the paper does")
	c.MarkFlagsMutuallyExclusive("json", "csv", "grid")
	return c
}

func compareCommand() *cobra.Command {
	var f showFlags
	var paper, summary bool
	c := &cobra.Command{
		Use: "compare", Short: "Lay the results beside the paper's numbers",
		Long: "Compare lists every cell of the paper that this program can fill, with the paper's figure, the measured one, and their\n" +
			"difference in points and in the paper's standard deviations; and the frozen models and the trivial rivals, which the paper\n" +
			"lacks. A cell more than two of those deviations, and half a point, away has a note that says why. Where the paper's data cannot\n" +
			"be had, cells are filled from a substitute that they name, and count as reproduced no more than as different.",
		Example: "  phe compare\n  phe compare --summary\n  phe compare --paper --csv --out experiments/out > compare.csv",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cells, err := compare.Compare(result.OpenFolder(f.folder))
			if err != nil {
				return err
			}
			if summary {
				fmt.Fprint(c.OutOrStdout(), compare.Outcomes(cells))
				return nil
			}
			if paper {
				cells = compare.Published(cells)
			}
			return f.print(c.OutOrStdout(), cells)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&paper, "paper", false, "only the cells that the paper has, in the order of its tables")
	c.Flags().BoolVar(&summary, "summary", false, "how many of the paper's cells come out, and which do not and why")
	for _, other := range []string{"paper", "json", "csv"} {
		c.MarkFlagsMutuallyExclusive("summary", other)
	}
	return c
}

// showFlags say where the results are and how to print cells.
type showFlags struct {
	folder                string
	asJSON, asCSV, asGrid bool
}

func (f *showFlags) add(c *cobra.Command) {
	addFolderFlag(c, &f.folder, "folder of the result files")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object a cell")
	c.Flags().BoolVar(&f.asCSV, "csv", false, "print comma-separated values, one cell a line")
	c.MarkFlagsMutuallyExclusive("json", "csv")
}

func (f *showFlags) print(w io.Writer, cells []compare.Cell) error {
	switch {
	case f.asJSON:
		return printJSON(w, cells)
	case f.asGrid:
		fmt.Fprint(w, compare.Grid(cells))
	case f.asCSV:
		fmt.Fprint(w, compare.CSV(cells))
	default:
		fmt.Fprint(w, compare.Markdown(cells))
	}
	return nil
}
