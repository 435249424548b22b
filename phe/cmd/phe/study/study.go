package study

import (
	"github.com/spf13/cobra"

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
