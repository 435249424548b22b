package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/uci"
	"gophe/experiments/progress"
	"gophe/phe/stream"
)

func dataCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "data", Short: "Say which datasets there are and where; fetch the one that is not part of the checkout, MovieLens; export one as CSV",
		Example: "  phe data list\n  phe data fetch ml-32m\n  phe data export retail --to retail.csv",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(dataListCommand(), dataFetchCommand(), dataExportCommand())
	return c
}

// listed is what data list says of a dataset.
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
	for _, s := range uci.Sources() {
		l := listed{Name: s.Name, Title: s.Title, Rows: s.Rows, Licence: s.Licence, Citation: s.Citation, Origin: s.Origin}
		var err error
		if l.Path, err = s.Find(); err != nil {
			l.Remedy = committedRemedy
		}
		all = append(all, l)
	}
	for _, s := range ratings.Sources() {
		l := listed{Name: s.Name, Title: s.Title, Rows: s.Rows, Licence: s.Licence, Citation: s.Citation, Origin: s.Origin}
		var err error
		if l.Path, err = s.Find(); err != nil {
			l.Remedy = s.Remedy()
		}
		all = append(all, l)
	}
	return all
}

func dataListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the datasets: rows, licence, and where each is or how to get it",
		Long: "List says where each dataset was found: along " + files.PathVariable + ", then in data/uci and data/movielens of the checkout. It opens no file:\n" +
			"what is altered shows when it is loaded, and for the UCI files in phe doctor.",
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
				if _, err := fmt.Fprintf(c.OutOrStdout(), "%-8s %-16s %11s rows  %s\n%26s%s\n%26s%s\n", mark, l.Name, stream.Grouped(int64(l.Rows)), l.Title, "", l.Licence, "", where); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a dataset")
	return c
}

func dataFetchCommand() *cobra.Command {
	var folder, from string
	c := &cobra.Command{
		Use: "fetch NAME", Short: "Download MovieLens from its publisher: " + strings.Join(fetchNames(), ", "),
		Long: "Fetch downloads NAME.zip from GroupLens, whose terms are narrower than this program's (research use, no commercial use without\n" +
			"permission), and compares it with the checksum published beside it. Stop it with Ctrl-C and call it again: it goes on where it\n" +
			"was. The zip file is read as it is; do not unpack it.",
		Example: "  phe data fetch ml-32m                      239 MB, into the first folder of " + files.PathVariable + " or else data/movielens\n" +
			"  phe data fetch ml-latest-small --to mine   1 MB, for a look",
		Args: named("one dataset ("+strings.Join(fetchNames(), ", ")+")", "phe data fetch ml-latest-small", false), ValidArgs: fetchNames(),
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
	c.Flags().StringVar(&folder, "to", "", "folder to put the file into (default: the first folder of "+files.PathVariable+", or else data/movielens of the checkout)")
	c.Flags().StringVar(&from, "from", "", "URL of the folder of a mirror to fetch from (default: GroupLens)")
	return c
}

// fetchNames lists the datasets that can be downloaded.
func fetchNames() []string {
	var names []string
	for _, s := range ratings.Sources() {
		if s.ZipBytes > 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// fetchable returns the source of a dataset to download; the error says where another one comes from.
func fetchable(name string) (files.Source, error) {
	published := ratings.Sources()
	if i := slices.IndexFunc(published, func(s files.Source) bool { return s.Name == name }); i >= 0 {
		if published[i].ZipBytes == 0 {
			return files.Source{}, errors.Errorf("%s (%s) cannot be fetched: %s", name, published[i].Title, published[i].Remedy())
		}
		return published[i], nil
	}
	own := uci.Sources()
	if i := slices.IndexFunc(own, func(s files.Source) bool { return s.Name == name }); i >= 0 {
		return files.Source{}, errors.Errorf("%s need not be fetched: it comes with the checkout, in data/uci (git checkout -- data/uci brings it back); its source is %s",
			name, own[i].Origin)
	}
	return files.Source{}, errors.Errorf("unknown dataset %q; can be fetched: %s", name, strings.Join(fetchNames(), ", "))
}

// fetch downloads a dataset and says what it may be used for, how far it is, and where it is.
func fetch(c *cobra.Command, source files.Source, folder, from string) error {
	w := c.ErrOrStderr()
	sayLicence(w, source)
	p := progress.NewLine(w, source.Name)
	fetched, err := source.Fetch(c.Context(), files.FetchOptions{Folder: folder, BaseURL: from, Progress: func(done, total int64) {
		p.Update(float64(done)/float64(total), fmt.Sprintf("%.1f of %.1f MB", float64(done)/1e6, float64(total)/1e6))
	}})
	p.Finish()
	if err != nil {
		if c.Context().Err() != nil {
			fmt.Fprintf(w, "%s: stopped; what came so far stays in %s, and the same command goes on from there\n", source.Name, folder)
		}
		return err
	}
	how := "fetched"
	if fetched.Was {
		how = "there already"
	}
	checked := "its MD5 is the published one"
	if !fetched.Checked {
		checked = "MD5 " + fetched.MD5 + "; none is published, so that its content is checked when it is loaded"
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s; %s\n", how, fetched.Path, checked)
	return err
}

func sayLicence(w io.Writer, s files.Source) {
	fmt.Fprintf(w, "%s: %s, about %.0f MB from %s\nLicence   %s. Its README has the terms.\nCite      %s\n",
		s.Name, s.Title, float64(s.ZipBytes)/1e6, s.Origin, s.Licence, s.Citation)
}
