package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/phe/stream"
)

func dataExportCommand() *cobra.Command {
	var to string
	var altered bool
	c := &cobra.Command{
		Use: "export NAME", Short: "Write a dataset as plain CSV, to look at or to learn with phe stream: " + strings.Join(data.ExportNames(), ", "),
		Long: "Export writes the CSV file of a dataset, uncompressed. MovieLens' ratings come in the order of time, joined with their films: title,\n" +
			"year, and genres separated by |. phe data list says which datasets are here, and how to get the others.",
		Example: "  phe data export retail --to retail.csv\n" +
			"  phe data export ml-latest-small --to ratings.csv\n" +
			"  phe stream ratings.csv --target 'rating>=4' --drop title,timestamp\n" +
			"  phe data export adult | head",
		Args: named("one dataset ("+strings.Join(data.ExportNames(), ", ")+")", "phe data export retail --to retail.csv", false), ValidArgs: data.ExportNames(),
		RunE: func(c *cobra.Command, args []string) error {
			published := ratings.Sources()
			if i := slices.IndexFunc(published, func(s files.Source) bool { return s.Name == args[0] }); i >= 0 {
				sayLicence(c.ErrOrStderr(), published[i])
			}
			return export(c, args[0], to, files.Options{AllowAltered: altered})
		},
	}
	c.Flags().StringVar(&to, "to", "", "file to write (default: standard output)")
	c.Flags().BoolVar(&altered, "allow-altered", false, "accept a file whose checksum is not the declared one")
	return c
}

// export writes a dataset to a file, which appears when it is complete, or to standard output.
func export(c *cobra.Command, name, to string, o files.Options) error {
	if to == "" {
		_, err := exportTo(c.OutOrStdout(), name, o)
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".part-*")
	if err != nil {
		return errors.Wrap(err, "opening the file to export to; name another one with --to")
	}
	defer os.Remove(f.Name())
	rows, err := exportTo(f, name, o)
	if closed := f.Close(); err == nil {
		err = errors.Wrap(closed, "writing the export; free some space on the disk")
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return errors.Wrap(err, "making the export readable")
	}
	if err := os.Rename(f.Name(), to); err != nil {
		return errors.Wrap(err, "giving the export its name; name another file with --to")
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s: %s rows\n", to, stream.Grouped(int64(rows)))
	return nil
}

func exportTo(w io.Writer, name string, o files.Options) (rows int, err error) {
	buffer := bufio.NewWriterSize(w, 1<<16)
	if rows, err = data.Export(buffer, name, o); err != nil {
		return 0, err
	}
	return rows, errors.Wrapf(buffer.Flush(), "exporting %s", name)
}
