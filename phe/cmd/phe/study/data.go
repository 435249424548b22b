package study

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
	"gophe/experiments/table"
	"gophe/phe/cmd/phe/streaming"
	"gophe/phe/disk/outfile"
	"gophe/phe/remedy/nearest"
	"gophe/phe/terminal"
)

func dataCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "data", Short: "List the data sets, download MovieLens, or export a data set as CSV",
		Example: "  phe data list\n  phe data fetch ml-32m\n  phe data export retail --to retail.csv",
		Args:    streaming.NoCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(dataListCommand(), dataFetchCommand(), dataExportCommand())
	return c
}

// listed is a data set as `phe data list` prints it.
type listed struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Rows     int    `json:"rows"`
	Licence  string `json:"licence"`
	Citation string `json:"citation"`
	Origin   string `json:"origin"`
	Path     string `json:"path"`             // "": not found
	Remedy   string `json:"remedy,omitempty"` // how to get it
}

func allListed() []listed {
	var all []listed
	for i, s := range append(uci.Sources(), ratings.Sources()...) {
		l := listed{Name: s.Name, Title: s.Title, Rows: s.Rows, Licence: s.Licence, Citation: s.Citation, Origin: s.Origin}
		var err error
		if l.Path, err = s.Find(); err != nil && i < len(uci.Sources()) {
			l.Remedy = committedRemedy
		} else if err != nil {
			l.Remedy = s.Remedy()
		}
		all = append(all, l)
	}
	return all
}

func dataListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the data sets with their rows, licences and places",
		Long: "List searches the folders of " + files.PathVariable + ", then data/uci and data/movielens of the checkout. " +
			"It says where each data set is, or how\nto get it. " +
			"It opens no file: `phe doctor` checks the UCI files, and loading a data set checks it too.",
		Example: "  phe data list\n  phe data list --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all := allListed()
			if asJSON {
				return printJSON(c.OutOrStdout(), all)
			}
			for _, l := range all {
				mark, where := "found", l.Path
				if l.Path == "" {
					mark, where = "missing", "→ "+l.Remedy
				}
				w, text := c.OutOrStdout(), func(text string) string { return table.Hang(c.OutOrStdout(), 26, text) }
				fmt.Fprintf(w, "%-8s %-16s %11s rows  %s\n%26s%s\n%26s%s\n", mark, l.Name, terminal.Grouped(int64(l.Rows)), l.Title, "",
					text(l.Licence), "", text(where))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each data set")
	return c
}

func dataFetchCommand() *cobra.Command {
	var folder, from string
	c := &cobra.Command{
		Use: "fetch NAME", Short: "Download MovieLens from its publisher",
		Long: "Fetch downloads NAME.zip from GroupLens and compares it with the declared checksum. " +
			"GroupLens allows research use, and commercial\nuse only with permission. Do not unpack the zip file: " +
			"the program reads it as it is.\n\n" +
			"Data sets: " + names(fetchNames()) + ".",
		Example: "  phe data fetch ml-32m                      239 MB, into the first folder of " + files.PathVariable +
			" or else data/movielens\n" +
			"  phe data fetch ml-latest-small --to mine   1 MB, for a look",
		Args: named(1, "one data set ("+strings.Join(fetchNames(), ", ")+")", "phe data fetch ml-latest-small"), ValidArgs: fetchNames(),
		RunE: func(c *cobra.Command, args []string) error {
			source, err := fetchable(args[0])
			if err != nil {
				return err
			}
			if folder == "" {
				if folder, err = files.FetchFolder(); err != nil {
					return err
				}
			}
			return fetch(c, source, folder, from)
		},
	}
	c.Flags().StringVar(&folder, "to", "",
		"folder for the file (default: the first folder of "+files.PathVariable+", or else data/movielens of the checkout)")
	c.Flags().StringVar(&from, "from", "", "URL of a mirror's folder (default: GroupLens)")
	return c
}

// fetchNames returns the names of the data sets that can be downloaded.
func fetchNames() []string {
	var names []string
	for _, s := range ratings.Sources() {
		if s.ZipBytes > 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// fetchable returns the source of a data set that can be downloaded. For another data set the error says where it comes from.
func fetchable(name string) (files.Source, error) {
	if s, ok := files.LookUp(ratings.Sources(), name); ok {
		if s.ZipBytes == 0 {
			return s, errors.Errorf("%s (%s) cannot be fetched: %s", name, s.Title, s.Remedy())
		}
		return s, nil
	}
	s, ok := files.LookUp(uci.Sources(), name)
	if !ok {
		return s, errors.Errorf("there is no data set %q; %s", name, nearest.Choose(name, fetchNames()))
	}
	return s, errors.Errorf("%s comes with the checkout, in data/uci, so there is nothing to fetch "+
		"(`git checkout -- data/uci` restores it); its source is %s", name, s.Origin)
}

// fetch downloads a data set. It prints the licence, the progress and the path.
func fetch(c *cobra.Command, source files.Source, folder, from string) error {
	w := c.ErrOrStderr()
	sayLicence(w, source)
	p := terminal.NewLine(w, source.Name)
	path, before, err := source.Fetch(c.Context(), files.FetchOptions{Folder: folder, BaseURL: from, Progress: func(done, total int64) {
		p.Count(done, total, fmt.Sprintf("%.1f of %.1f MB", float64(done)/1e6, float64(total)/1e6))
	}})
	p.Finish()
	if err != nil {
		return err
	}
	how := "fetched"
	if before {
		how = "already here"
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s; its checksum is the declared one\n", how, path)
	return err
}

func sayLicence(w io.Writer, s files.Source) {
	fmt.Fprintf(w, "%s: %s, about %.0f MB from %s\nLicence   %s. Its README has the terms.\nCite      %s\n",
		s.Name, s.Title, float64(s.ZipBytes)/1e6, s.Origin, s.Licence, s.Citation)
}

var exported = outfile.Kind{Name: "an exported data set",
	Begins: "age,workclass,|age,job,|label,cap_shape,|elevation,aspect,|InvoiceNo,StockCode,|userId,movieId,title,|order,time,customer,"}

func dataExportCommand() *cobra.Command {
	to := outfile.Place{Flag: "--to", Kind: exported}
	var altered bool
	c := &cobra.Command{
		Use: "export NAME", Short: "Write a data set as plain CSV",
		Long: "Export writes a data set as uncompressed CSV, to look at or to learn with `phe stream`. " +
			"MovieLens' ratings are sorted by time and\njoined with the films' titles, years and genres. A | separates genres. " +
			"`phe data list` says which data sets are here.\nThe orders are made up, the same on every machine.\n\n" +
			"Data sets: " + names(data.ExportNames()) + ".",
		Example: "  phe data export orders --to sales.csv\n" +
			"  phe data export retail --to retail.csv\n" +
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
func export(c *cobra.Command, name string, to outfile.Place, o files.Options) error {
	rows := 0
	write := func(w io.Writer) (err error) {
		buffer := bufio.NewWriterSize(w, 1<<16)
		if rows, err = data.Export(buffer, name, o); err != nil {
			return err
		}
		return errors.Wrapf(buffer.Flush(), "exporting %s", name)
	}
	if to.Path == "" || to.Path == outfile.Standard {
		return write(c.OutOrStdout())
	}
	if source, ok := files.LookUp(append(uci.Sources(), ratings.Sources()...), name); ok {
		to.Others, _ = source.FindAll() // the export itself reports a missing file
	}
	err := to.Write(write)
	if err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", to.Path, terminal.Counted(rows, "row"))
	}
	return err
}
