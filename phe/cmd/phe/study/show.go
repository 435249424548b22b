package study

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/table"
	"gophe/phe/disk/outfile"
)

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list [SPEC.json…]", Short: "List the experiments, or check specs of yours",
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
				fmt.Fprintf(c.OutOrStdout(), "%-26s %s\n", name, table.Hang(c.OutOrStdout(), 27, spec.Title))
			}
			return nil
		},
	}
}

func tableCommand() *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use: "table NAME", Short: "Print a table from results",
		Long: "Table prints a table from result files. Numbers are the paper's tables, and the other names are ours:\n" +
			names(report.Tables()) + ".\n\n" +
			"The path of a result of yours, which ends in .json, shows that result.\n\n" +
			"A terminal gets aligned columns; a pipe or a file gets Markdown.",
		Example: "  phe table 1 --grid\n  phe table schemes --out experiments/out\n  phe table 5 --csv > table5.csv\n" +
			"  phe table out/my-spec.json",
		Args: named(1, "one table ("+strings.Join(report.Tables(), ", ")+")", "phe table 1"), ValidArgs: report.Tables(),
		RunE: func(c *cobra.Command, args []string) error {
			if f.asJSON || f.asCSV || f.asGrid {
				cells, err := report.TableCells(args[0], result.OpenFolder(f.folder))
				if err != nil {
					return err
				}
				if f.asGrid && !report.HasGrid(args[0]) {
					return errors.Errorf("table %q has several metrics for each method, so it has no grid; leave out --grid", args[0])
				}
				return f.print(c.OutOrStdout(), cells)
			}
			page, err := report.Table(args[0], result.OpenFolder(f.folder))
			if err != nil {
				return err
			}
			page[len(page)-1].Below += report.Legend(page)
			return page.Print(c.OutOrStdout())
		},
	}
	f.add(c)
	c.Flags().BoolVar(&f.asGrid, "grid", false, "print a row for each data set and a column for each method, as the paper does")
	c.MarkFlagsMutuallyExclusive("json", "csv", "grid")
	return c
}

func compareCommand() *cobra.Command {
	var f showFlags
	var summary bool
	c := &cobra.Command{
		Use: "compare [RESULT.json|FOLDER]", Short: "Show the results next to the paper's numbers",
		Long: "Compare lists every cell of the paper that this program can fill: " +
			"the paper's number, the measured number, and their difference in\npoints and in the paper's standard deviations. " +
			"It also lists frozen models and simple rules, which the paper does not have.\nThe reading is \"program\" or \"text\": " +
			"whose settings a result has. By the text, a cell is a mean over draws of the hash functions.\n\n" +
			"A note says why a cell differs by more than two standard deviations and half a point. " +
			"Some of the paper's data cannot be had.\nSuch cells name the data that replaces it, " +
			"and count neither as reproduced nor as different.\n\n" +
			"With the path of a result of yours, compare shows each of its methods next to the paper " +
			"and to the result in the folder whose\nspec yours has changed. " +
			"Your spec names it as \"stream_of\". A second table lists the settings that differ.\n\n" +
			"With a folder that you made anew, compare says which methods repeat to the digit, and by how much a seed\n" +
			"of the others differs.",
		Example: "  phe compare\n  phe compare --summary\n  phe compare --csv --out experiments/out > compare.csv\n" +
			"  phe compare out/my-spec.json --out experiments/out\n  phe compare out/mine --out experiments/out",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return compareOwn(c, args[0], f)
			}
			cells, err := report.Compare(result.OpenFolder(f.folder))
			if err != nil {
				return err
			}
			if summary {
				return report.Outcomes(cells).Print(c.OutOrStdout())
			}
			return f.print(c.OutOrStdout(), cells)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&summary, "summary", false, "print the number of cells that come out, and the reason for each that does not")
	c.MarkFlagsMutuallyExclusive("summary", "json", "csv")
	return c
}

// compareOwn compares a result with the one whose spec it changed, or a folder of results with another that repeats it.
func compareOwn(c *cobra.Command, path string, f showFlags) error {
	for _, other := range []string{"summary", "json", "csv"} {
		if c.Flags().Changed(other) {
			return errors.Errorf("--%s belongs to all results of a folder; leave it out, or leave out %s", other, path)
		}
	}
	folder := result.OpenFolder(f.folder)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		page, err := report.Repeats(result.OpenFolder(path), folder)
		if err != nil {
			return err
		}
		return page.Print(c.OutOrStdout())
	}
	own, err := result.Read(path)
	if err != nil {
		return err
	}
	page, err := report.AgainstTables(own, folder)
	if err != nil {
		return err
	}
	return page.Print(c.OutOrStdout())
}

// showFlags name the folder of results and the form of the output.
type showFlags struct {
	folder                string
	asJSON, asCSV, asGrid bool
}

func (f *showFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.folder, "out", "out", "folder of the result files")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object for each cell")
	c.Flags().BoolVar(&f.asCSV, "csv", false, "print comma-separated values, with a line for each cell")
	c.MarkFlagsMutuallyExclusive("json", "csv")
}

func (f *showFlags) print(w io.Writer, cells []report.Cell) error {
	switch {
	case f.asJSON:
		return printJSON(w, cells)
	case f.asGrid:
		return report.Grid(cells).Page().Print(w)
	case f.asCSV:
		_, err := fmt.Fprint(w, report.CSV(cells))
		return errors.Wrap(err, "printing CSV")
	}
	return report.CellTable(cells).Page().Print(w)
}

func reportCommand() *cobra.Command {
	var folder, to string
	c := &cobra.Command{
		Use: "report", Short: "Write the pages with all results next to the paper's",
		Long: "Report fills pages with tables and numbers from the result files: " +
			"REPRODUCTION.md, docs/one-pass.md, and a page for each topic\nand every cell in docs/reproduction. " +
			"It writes them into a folder, or prints the first. The pages name missing results.\n`phe reproduce --list` lists all results.",
		Example: "  phe report --out out/mine\n  phe report --out out/mine --to out/mine\n  phe report --out experiments/out --to .",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if strings.HasSuffix(to, ".md") {
				return errors.Errorf("--to %s is a page; name the folder for all pages", to)
			}
			pages, err := report.Report(result.OpenFolder(folder))
			if err != nil {
				return err
			}
			if to == "" {
				_, err = fmt.Fprint(c.OutOrStdout(), pages["REPRODUCTION.md"])
				return errors.Wrap(err, "printing the page")
			}
			for _, path := range slices.Sorted(maps.Keys(pages)) {
				if err := result.WriteWhole(filepath.Join(to, path), Page, []byte(pages[path])); err != nil {
					return errors.WithMessage(err, "cannot write the pages; choose another folder with --to")
				}
				fmt.Fprintln(c.OutOrStdout(), filepath.Join(to, path))
			}
			return nil
		},
	}
	c.Flags().StringVar(&folder, "out", "out", "folder of the result files")
	c.Flags().StringVar(&to, "to", "", "folder for the pages (default: print REPRODUCTION.md)")
	return c
}

// Page is the kind of the pages that `phe report` writes.
var Page = outfile.Kind{Name: "a page of results",
	Begins: "<!-- `phe report` made this page|item,dataset,method,|<!DOCTYPE html>(?s:.{0,200})<title>Every cell"}
