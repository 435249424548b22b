package main

import (
	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gophe/phe/remedy/nearest"
)

// flagError returns the error about a flag. For an unknown flag it suggests one of the command's.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if best := nearest.Name(unknown.GetSpecifiedName(), known); best != "" {
			return errors.Errorf("%s; did you mean --%s?", err, best)
		}
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
