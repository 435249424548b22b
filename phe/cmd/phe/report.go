package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/phe/disk/output"
)

func reportCommand() *cobra.Command {
	var folder, to string
	c := &cobra.Command{
		Use: "report", Short: "Write the pages with all results next to the paper's",
		Long: "Report fills pages with tables and numbers from the result files: REPRODUCTION.md, docs/one-pass.md, and a page for each topic\n" +
			"and every cell in docs/reproduction. It writes them into a folder, or prints the first. The pages name missing results.\n" +
			"`phe reproduce --list` lists all results.",
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
				if err := result.WriteWhole(filepath.Join(to, path), page, []byte(pages[path])); err != nil {
					return errors.WithMessage(err, "cannot write the pages; choose another folder with --to")
				}
				fmt.Fprintln(c.OutOrStdout(), filepath.Join(to, path))
			}
			return nil
		},
	}
	addFolderFlag(c, &folder, "folder of the result files")
	c.Flags().StringVar(&to, "to", "", "folder for the pages (default: print REPRODUCTION.md)")
	return c
}

var page = output.Kind{Name: "a page of results",
	Begins: "<!-- `phe report` made this page|item,dataset,method,|<!DOCTYPE html>(?s:.{0,200})<title>Every cell"}
