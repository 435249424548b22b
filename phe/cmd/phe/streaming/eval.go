package streaming

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/data/records"
	"gophe/experiments/table"
	"gophe/phe/internal/text"
	"gophe/phe/live/feed"
	"gophe/phe/live/serve"
	"gophe/phe/stream"
)

func evalCommand() *cobra.Command {
	f := &streamFlags{}
	c := &cobra.Command{
		Use:   "eval MODEL | eval FILE --target COLUMN",
		Short: "Print the score of a model, or learn a file only to score it",
		Long: "Given a model, eval prints the score along the stream that the model learned. Given a file and a target, it learns the file as\n" +
			"`phe stream` does, prints the score, and keeps no model. Use it to see whether `phe stream` is the right tool, and what --memory,\n" +
			"--interactions and --delay do.",
		Example: "  phe eval sales.phe\n" +
			"  phe eval sales.csv --target 'Quantity>=12'\n" +
			"  phe eval sales.csv --target 'Quantity>=12' --delay 1000 --json",
		Args: oneFile("phe eval sales.phe"),
		RunE: func(c *cobra.Command, args []string) error { return f.eval(c, args[0]) },
	}
	f.addLearning(c)
	return c
}

// eval prints the score of a model, or learns a file to score it.
func (f *streamFlags) eval(c *cobra.Command, path string) error {
	if f.target == "" && f.schema == "" {
		l, state, err := serve.Peek(path, logTo(c))
		if err != nil {
			return err
		}
		return f.print(c, l, records.Aside{}, state)
	}
	if err := f.check(); err != nil {
		return err
	}
	in, err := f.openNew(c.Context(), path)
	if err != nil {
		return err
	}
	defer in.Close()
	l, err := f.learner(c, in)
	if err != nil {
		return in.Lost(err, 0)
	}
	o := f.feedOptions()
	show := newShower(c.ErrOrStderr(), in, l)
	o.Progress, o.Alarm = show.progress, show.alarm
	state, _, err := feed.Run(c.Context(), l, feed.State{Input: feed.Input{Name: text.Name(path)}}, nil, in, o)
	show.line.Finish()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(c.ErrOrStderr(), "stopped; this is the score so far")
	} else if err != nil && err != io.EOF {
		return err
	}
	sayColumns(c.ErrOrStderr(), in)
	if shown := f.print(c, l, in.Aside(), state); shown != nil {
		return shown
	}
	return err
}

// print prints a learner's score.
func (f *streamFlags) print(c *cobra.Command, l *stream.Learner, aside records.Aside, state feed.State) error {
	if f.asJSON {
		return printJSON(c, struct {
			stream.Report
			records.Aside
			Left int64 `json:"left,omitempty"` // rows of the last input that did not meet the condition
			Bad  int64 `json:"bad,omitempty"`  // rows of it that could not be learned
		}{l.Report(), aside, state.Left, state.Bad})
	}
	return printReport(c.OutOrStdout(), l.Report(), state)
}

// printReport prints a score, and the rows that have none. On a terminal it shows control characters in the names of classes.
func printReport(w io.Writer, r stream.Report, state feed.State) error {
	r.Target.Classes = slices.Clone(r.Target.Classes)
	for i, class := range r.Target.Classes {
		r.Target.Classes[i] = table.Shown(w, class)
	}
	_, err := fmt.Fprint(w, r)
	if state.Left > 0 {
		fmt.Fprintf(w, "\n%s did not meet the condition\n", stream.Counted(state.Left, "row"))
	}
	if state.Bad > 0 {
		fmt.Fprintf(w, "\n%s could not be learned: left out; the last: %s\n", stream.Counted(state.Bad, "row"), state.Why)
	}
	return errors.Wrap(err, "cannot print the score")
}
