package main

import (
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gophe/experiments/nearest"
)

// noCommand refuses arguments of a command that only has subcommands. Its error suggests the subcommand that was probably meant.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			names = append(names, sub.Name())
		}
	}
	return errors.Errorf("%s has no command %q; %s", c.CommandPath(), args[0], nearest.Choose(args[0], names))
}

// flagError returns the error about a flag. For an unknown flag it suggests one of the command's.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return errors.Errorf("%s; `%s --help` lists the flags", err, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if best := nearest.Name(unknown.GetSpecifiedName(), names); best != "" {
		return errors.Errorf("%s; did you mean --%s?", err, best)
	}
	return errors.Errorf("%s; `%s --help` lists the flags", err, c.CommandPath())
}

// named demands one name or, if several are allowed, at least one. Its error shows the usage and an example.
func named(what, example string, several bool) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 || len(args) > 1 && !several {
			return errors.Errorf("name %s; usage: %s, as in: %s", what, strings.TrimSuffix(c.UseLine(), " [flags]"), example)
		}
		return nil
	}
}
