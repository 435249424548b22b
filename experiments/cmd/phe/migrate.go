package main

import (
	"fmt"
	"gophe/experiments/run"

	"github.com/spf13/cobra"
)

func migrateCommand() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use: "migrate", Short: "Rewrite results of an older format; every number stays",
		Long: "Migrate rewrites the results in a folder that an older version of this program wrote, and prints each identity that changed:\n" +
			"result, method (empty for the whole spec), old hash, new hash. Results of the present format stay as they are.",
		Example: "  phe migrate --out out",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := run.Migrate(folder)
			for _, m := range all {
				fmt.Fprintf(c.OutOrStdout(), "%s,%s,%s,%s\n", m.Result, m.Method, m.Old, m.New)
			}
			return err
		},
	}
	addFolderFlag(c, &folder, "folder of the result files")
	return c
}
