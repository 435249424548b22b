package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/uci"
	"gophe/phe/disk/output"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream"
)

var exported = output.Kind{Name: "an exported data set",
	Begins: "age,workclass,|age,job,|label,cap_shape,|elevation,aspect,|InvoiceNo,StockCode,|userId,movieId,title,"}

func dataExportCommand() *cobra.Command {
	to := output.Place{Flag: "--to", Kind: exported}
	var altered bool
	c := &cobra.Command{
		Use: "export NAME", Short: "Write a data set as plain CSV",
		Long: "Export writes a data set as uncompressed CSV, to look at or to learn with `phe stream`. MovieLens' ratings are sorted by time and\n" +
			"joined with the films' titles, years and genres. A | separates genres. `phe data list` says which data sets are here.\n\n" +
			"Data sets: " + names(data.ExportNames()) + ".",
		Example: "  phe data export retail --to retail.csv\n" +
			"  phe data export ml-latest-small --to ratings.csv\n" +
			"  phe stream ratings.csv --target 'rating>=4' --drop title,timestamp\n" +
			"  phe data export adult | head",
		Args:      named(1, "one data set ("+strings.Join(data.ExportNames(), ", ")+")", "phe data export retail --to retail.csv"),
		ValidArgs: data.ExportNames(),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(data.ExportNames(), args[0]) {
				return errors.Errorf("there is no data set %q; %s", args[0], nearest.Choose(args[0], data.ExportNames()))
			}
			if s, ok := files.LookUp(ratings.Sources(), args[0]); ok {
				sayLicence(c.ErrOrStderr(), s)
			}
			return export(c, args[0], to, files.Options{AllowAltered: altered})
		},
	}
	c.Flags().StringVar(&to.Path, "to", "", "file to write (default: standard output)")
	c.Flags().BoolVar(&to.Overwrite, "overwrite", false, "replace the file of --to, if it holds a data set of this command")
	c.Flags().BoolVar(&altered, "allow-altered", false, "accept a file with another checksum than the declared one")
	return c
}

// export writes a data set to standard output or to a file. The file appears when it is complete.
func export(c *cobra.Command, name string, to output.Place, o files.Options) error {
	if to.Path == "" {
		_, err := exportTo(c.OutOrStdout(), name, o)
		return err
	}
	source, _ := files.LookUp(append(uci.Sources(), ratings.Sources()...), name)
	to.Others, _ = source.FindAll() // what is not there is the error of the export
	rows := 0
	err := to.Write(func(w io.Writer) (err error) {
		rows, err = exportTo(w, name, o)
		return err
	})
	if err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", to.Path, stream.Counted(rows, "row"))
	}
	return err
}

func exportTo(w io.Writer, name string, o files.Options) (rows int, err error) {
	buffer := bufio.NewWriterSize(w, 1<<16)
	if rows, err = data.Export(buffer, name, o); err != nil {
		return 0, err
	}
	return rows, errors.Wrapf(buffer.Flush(), "exporting %s", name)
}
