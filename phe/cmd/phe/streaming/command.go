package streaming

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/checkpoint"
	"gophe/phe/live/source"
	"gophe/phe/remedy/nearest"
	"gophe/phe/terminal"
)

// NoCommand refuses arguments of a command that only has subcommands. Its error suggests the subcommand that was probably meant.
func NoCommand(c *cobra.Command, args []string) error {
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

// Named demands a number of names; 0 is at least one. Its error shows the usage and an example.
func Named(number int, what, example string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 || number > 0 && len(args) != number {
			return errors.Errorf("name %s; usage: %s, as in: %s", what, strings.TrimSuffix(c.UseLine(), " [flags]"), example)
		}
		return nil
	}
}

// modelFiles returns the names of everything that belongs to a model: its generations, and the journal of its server.
func modelFiles(path string) []string { return append(checkpoint.Files(path), path+".journal") }

// logTo returns a function that prints lines to the command's standard error.
func logTo(c *cobra.Command) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(c.ErrOrStderr(), terminal.Shown(c.ErrOrStderr(), line))
	}
}

func printJSON(c *cobra.Command, v any) error {
	encoder := json.NewEncoder(c.OutOrStdout())
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return errors.Wrap(encoder.Encode(v), "cannot print JSON")
}

// equalBits returns a sentence about the row from which a second run may meet rows and labels in another order.
func equalBits(row int64) string {
	return "equal bits end at row " + terminal.Grouped(row) + ": from there on, the order of rows and labels is how they came"
}

// maxNamed is the largest number of columns that a line names.
const maxNamed = 20

// sayLeftOut prints the columns and lines of an input that were not learned.
func sayLeftOut(w io.Writer, in source.Source) {
	if line := in.Unfinished(); line > 0 {
		fmt.Fprintf(w, "line %d of %s has no line end and was not learned, since a program may still be writing it; "+
			"write its line end, or add --complete if the line is whole, and repeat the command\n", line, in.Name())
	}
	aside, file := in.Aside(), in.Name()
	if files := in.Paths(); len(files) > 0 {
		file = files[len(files)-1] // the open one
	}
	if names := aside.Ignored; len(names) > 0 {
		var shown []string
		for i, name := range names[:min(maxNamed, len(names))] {
			if shown = append(shown, strconv.Quote(name)); aside.Rows != nil {
				shown[i] += " in " + terminal.Counted(aside.Rows[name], "row")
			}
		}
		fmt.Fprintf(w, "%s has %s that the model does not know, left out: %s\n", file, terminal.Counted(len(names), "column"), shown)
	}
	for _, name := range aside.Missing {
		fmt.Fprintf(w, "no record read from %s has %q, which the model reads%s\n", file, name, nearest.Hint(name, aside.Ignored))
	}
	if aside.Above+aside.Copies > 0 {
		fmt.Fprintf(w, "%s: left out %s above its header, and %s of later lines that repeat these or the header, or are comments\n", file,
			terminal.Counted(aside.Above, "line"), terminal.Grouped(aside.Copies))
	}
}
