package streaming

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/driver"
	"gophe/phe/live/serve"
	"gophe/phe/live/source"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/terminal"
)

func evalCommand() *cobra.Command {
	f := &streamFlags{}
	c := &cobra.Command{
		Use:   "eval MODEL | eval FILE --target COLUMN",
		Short: "Print the score of a model, or learn a file only to score it",
		Long: "Given a model, eval prints the score along the stream that the model learned. Given a file and a target, it learns the file as\n" +
			"`phe stream` does, prints the score, and keeps no model. Use it to see whether `phe stream` is the right tool, and what\n" +
			"--memory, --interactions and --delay do. It learns a tenth of the rows, at most 10,000, with 16 times the memory too, and\n" +
			"advises more memory if that was better.",
		Example: "  phe eval sales.phe\n" +
			"  phe eval sales.csv --target 'Quantity>=12'\n" +
			"  phe eval sales.csv --target 'Quantity>=12' --delay 1000 --json",
		Args: Named(1, "one file", "phe eval sales.phe"),
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
	d, in, err := f.trial(c, []string{path})
	if err != nil {
		return err
	}
	defer in.Close()
	if err := d.Choose(c.Context(), in, source.Choice{}); err != nil {
		return in.Lost(err, 0)
	}
	show := newShower(c.ErrOrStderr(), in, d.Learner)
	err = d.Run(c.Context(), driver.Options{Threads: runtime.GOMAXPROCS(0), Progress: show.progress, Alarm: show.alarm})
	show.line.Finish()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(c.ErrOrStderr(), "stopped; this is the score so far")
	} else if err != nil && err != io.EOF {
		return err
	}
	sayLeftOut(c.ErrOrStderr(), in)
	if shown := f.print(c, d.Learner, in.Aside(), d.State); shown != nil {
		return shown
	}
	f.tryMemory(c, in, d.Learner)
	return err
}

// tryMemory learns the first rows of a file twice, as the learner did and with more memory, and says so if more is better. The rows are a
// tenth of the file's at most, so that both runs cost at most a fifth of the stream.
func (f *streamFlags) tryMemory(c *cobra.Command, in source.Source, l *stream.Learner) {
	const most, times, fewest = 4 << 20, 16, 1000 // bytes above which more is not tried; factor; rows
	o, rows := l.Options(), int(min(schema.Sample, l.Rows()/10))
	if f.asJSON || !in.Seekable() || o.Memory > most || rows < fewest {
		return
	}
	first, _ := source.First(c.Context(), in, in.Condition())
	first = first[:min(rows, len(first))]
	less, err := f.score(c, l.Schema, o, first)
	o.Memory *= times
	if more, failed := f.score(c, l.Schema, o, first); cmp.Or(err, failed) == nil && more.Gain(less) != "" {
		fmt.Fprintf(c.OutOrStdout(), "advice: --memory %s is better for the first %s: %s\n", stream.Size(o.Memory),
			stream.Counted(rows, "row"), more.Gain(less))
	}
}

// score returns the score of a new learner of some rows. What cannot be learned is left out.
func (f *streamFlags) score(c *cobra.Command, s schema.Schema, o stream.Options, rows [][]string) (r stream.Report, err error) {
	o.NoExactModel = true
	l, err := stream.New(s, o)
	for row := 0; row < len(rows) && err == nil; row++ {
		_, _ = l.StepLate(int64(row), rows[row], f.delay)
		err = c.Context().Err()
	}
	if err == nil {
		_, _ = l.LearnWaiting(0)
		r = l.Report()
	}
	return r, err
}

// tryWithout adds the score without it to the first columns that may give the target away. A pipe's rows come once.
func (f *streamFlags) tryWithout(c *cobra.Command, in source.Source, s schema.Schema, of driver.Settings) {
	const most, cells = 5000, 400_000 // rows and cells of a run, which takes a second at most
	var rows [][]string
	score := func(s schema.Schema) (text string) { // empty if no input is there, or the run is stopped
		l, err := of.Begin(s)
		if err != nil {
			return ""
		}
		if r, err := f.score(c, s, l.Options(), rows); err == nil {
			text, _, _ = strings.Cut(r.Line(), ", ")
		}
		return text
	}
	with, left := "", 3 // score, and number of columns to try
	for i := range s.Columns {
		column, without := &s.Columns[i], s
		if column.Suspect == "" {
			continue
		}
		if column.Suspect += " (--drop " + column.Name + ")"; !in.Seekable() || left == 0 {
			continue
		}
		if left--; rows == nil {
			rows, _ = source.First(c.Context(), in, in.Condition())
			rows = rows[:min(len(rows), most, cells/len(s.Columns))]
			with = score(s)
		}
		without.Columns = slices.Clone(s.Columns)
		without.Columns[i] = schema.Column{Name: column.Name, Kind: schema.Dropped}
		if alone := score(without); alone != "" {
			column.Suspect += fmt.Sprintf(": without it, the first %s have %s in place of %s", stream.Counted(len(rows), "row"),
				alone, with)
		}
	}
}

// print prints a learner's score, and the rows that have none. On a terminal it shows control characters in the names of classes.
func (f *streamFlags) print(c *cobra.Command, l *stream.Learner, aside records.Aside, state driver.State) error {
	r, w := l.Report(), c.OutOrStdout()
	if f.asJSON {
		return printJSON(c, struct {
			stream.Report
			records.Aside
			Left int64 `json:"left,omitempty"` // rows of the last input that did not meet the condition
			Bad  int64 `json:"bad,omitempty"`  // rows of it that could not be learned
			stream.Repeats
		}{r, aside, state.Left, state.Bad, state.Repeats})
	}
	r.Target.Classes = slices.Clone(r.Target.Classes)
	for i, class := range r.Target.Classes {
		r.Target.Classes[i] = terminal.Shown(w, class)
	}
	_, err := fmt.Fprint(w, r)
	for _, of := range r.Fields {
		if of.What == "again" {
			fmt.Fprintf(w, "\na new model with --id %q learns such rows once\n", string(of.Column))
		}
	}
	for _, of := range []struct {
		rows int64
		what string
	}{{state.Left, "did not meet the condition"},
		{state.Repeated, "came again, with the id and the values of an earlier one: not learned or scored again"},
		{state.Corrected, "came again with another label: not learned; the first label counts"},
		{state.Reused, "had the id of an earlier one, and other values: learned"}} {
		if of.rows > 0 {
			fmt.Fprintf(w, "\n%s %s\n", stream.Counted(of.rows, "row"), of.what)
		}
	}
	if state.Bad > 0 {
		fmt.Fprintf(w, "\n%s could not be learned: left out; the last: %s\n", stream.Counted(state.Bad, "row"), state.Why)
	}
	return errors.Wrap(err, "cannot print the score")
}
