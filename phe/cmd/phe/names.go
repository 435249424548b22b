package main

import (
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gophe/experiments/table"
	"gophe/phe/cmd/phe/streaming"
	"gophe/phe/remedy/nearest"
)

// noCommand refuses arguments of a command that only has subcommands. Its error suggests the subcommand that was probably meant.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			known = append(known, sub.Name())
		}
	}
	return errors.Errorf("%s has no command %q; %s", c.CommandPath(), args[0], nearest.Choose(args[0], known))
}

// flagError returns the error about a flag. For an unknown flag it suggests one of the command's.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return errors.Errorf("%s; `%s --help` lists the flags", err, c.CommandPath())
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if best := nearest.Name(unknown.GetSpecifiedName(), known); best != "" {
		return errors.Errorf("%s; did you mean --%s?", err, best)
	}
	return errors.Errorf("%s; `%s --help` lists the flags", err, c.CommandPath())
}

// stopping describes the effect of the first signal on a command, and the next start after a second one.
func stopping(c *cobra.Command) (first, next string) {
	switch c.Name() {
	case "stream":
		return "", ", and the same command continues from the last checkpoint"
	case "feed":
		return "", ", and the same command goes on behind the stream's last row"
	case "reproduce":
		return " after the current step", ", and the same command continues from the last checkpoint"
	case "run", "sweep":
		return " after the current step", ", and --resume continues from the last checkpoint"
	}
	return "", ""
}

// helpWidth is the width of help texts.
const helpWidth = 120

// names returns names in a list of lines for a help text.
func names(all []string) string {
	return strings.Join(table.Wrap(strings.Join(all, ", "), helpWidth), "\n")
}

// named demands a number of names; 0 is at least one.
var named = streaming.Named
