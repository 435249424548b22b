// Package study has the commands that run the paper's experiments and show their results.
package study

import (
	"strings"

	"github.com/spf13/cobra"

	"gophe/experiments/table"
	"gophe/phe/cmd/phe/streaming"
)

// Group is the group of the experiments in the help text.
const Group = "paper"

// Commands returns the commands of the study, and those that check the machine and the data.
func Commands() []*cobra.Command {
	all := []*cobra.Command{listCommand(), runCommand(), sweepCommand(), reproduceCommand(), tableCommand(), figureCommand(),
		compareCommand(), reportCommand(), benchCommand()}
	for _, c := range all {
		c.GroupID = Group
	}
	return streaming.WithRemedies(append(all, doctorCommand(), dataCommand())...)
}

// addFolderFlag adds the flag --out for the folder of results.
func addFolderFlag(c *cobra.Command, folder *string, usage string) {
	c.Flags().StringVar(folder, "out", "out", usage)
}

// helpWidth is the width of help texts.
const helpWidth = 120

// names returns names in a list of lines for a help text.
func names(all []string) string {
	return strings.Join(table.Wrap(strings.Join(all, ", "), helpWidth), "\n")
}

// named demands a number of names; 0 is at least one.
var named = streaming.Named
