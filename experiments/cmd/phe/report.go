package main

import (
	"fmt"
	"os"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/report"
	"gophe/experiments/result"
)

func reportCommand() *cobra.Command {
	var folder, to string
	c := &cobra.Command{
		Use: "report", Short: "Write REPRODUCTION.md, the page that lays all results beside the paper",
		Long: "Report fills the page with tables and numbers from the result files and prints it, or writes it to a file. Where a result is\n" +
			"not there, the page says which; `phe reproduce --list` lists all.",
		Example: "  phe report --out out/mine\n  phe report --out experiments/out --to REPRODUCTION.md",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			page, err := report.Report(result.OpenFolder(folder))
			if err != nil {
				return err
			}
			if to == "" {
				_, err = fmt.Fprint(c.OutOrStdout(), page)
				return errors.Wrap(err, "printing the page")
			}
			return errors.Wrap(os.WriteFile(to, []byte(page), 0o644), "cannot write the page; choose another file with --to")
		},
	}
	addFolderFlag(c, &folder, "folder of the result files")
	c.Flags().StringVar(&to, "to", "", "file to write; without it the page is printed")
	return c
}
