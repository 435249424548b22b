package streaming

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
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
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
	"gophe/phe/terminal"
)

func evalCommand() *cobra.Command {
	f := &streamFlags{}
	c := &cobra.Command{
		Use:   "eval MODEL | eval FILE --target COLUMN",
		Short: "Print the score of a model, or learn a file only to score it",
		Long: "Given a model, eval prints the score along the stream that the model learned. Given a file and a target, it learns the file as\n" +
			"`phe stream` does, prints the score, and keeps no model. Use it to see whether `phe stream` is the right tool, and what\n" +
			"--memory, --interactions and --delay do. Of a tenth of the rows, at most 10,000, it learns also with 16 times the\n" +
			"memory, with the logarithm of a number, and with late labels, and says at the end if one of these counts.",
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
		return f.print(c, l, records.Aside{}, state, "")
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
	helps := ""
	if err == nil || err == io.EOF {
		helps = f.tryHelp(c, in, d.Learner, d.State.Settings)
	}
	return cmp.Or(f.print(c, d.Learner, in.Aside(), d.State, helps), err)
}

// tryHelp learns the first rows of a file as the learner did, with more memory, with the logarithm of a number, and with late labels. It
// returns the first of these that counts, as a sentence. The rows are a tenth of the file's at most, and a run costs as much.
func (f *streamFlags) tryHelp(c *cobra.Command, in source.Source, l *stream.Learner, of driver.Settings) string {
	const most, times, fewest = 4 << 20, 16, 1000 // bytes above which more is not tried; factor; rows
	const least, flatters = 0.002, 0.02           // shares of a score that count
	o, s, rows := l.Options(), l.Schema, int(min(schema.Sample, l.Rows()/10))
	if !in.Seekable() || rows < fewest {
		return ""
	}
	first, _ := source.First(c.Context(), in, in.Condition())
	first = first[:min(rows, len(first))]
	usual, err := f.score(c, s, o, first, of, nil)
	these := terminal.Counted(len(first), "row")
	if more := o; o.Memory <= most && err == nil {
		more.Memory *= times
		if r, err := f.score(c, s, more, first, of, nil); err == nil && r.Gain(usual, 0, least) != "" {
			return fmt.Sprintf("More memory helps: for the first %s, --memory %s has %s.", these, terminal.Size(more.Memory),
				r.Gain(usual, 0, least))
		}
	}
	if s.Target.Kind == schema.Amount && s.Target.Transform == "" && s.PlaceOf(schema.Weight) < 0 && err == nil {
		if gain := f.logarithm(c, s, o, first, of).Gain(usual, 1, least); gain != "" {
			return fmt.Sprintf("The target has a long tail: for the first %s, --target 'log(%s)', brought back, has %s.", these,
				s.Target.Column, gain)
		}
	}
	if of.Late() || err != nil {
		return ""
	}
	of.Delay = len(first) / 100
	late, err := f.score(c, s, o, first, of, nil)
	if gain := usual.Gain(late, 0, flatters); gain != "" && err == nil {
		return fmt.Sprintf("Labels that come at once flatter: the first %s have %s with --delay %d.", these, gain, of.Delay)
	}
	return ""
}

// logarithm returns the score of medians that a learner of the target's logarithm forecasts. It lacks rows that have no logarithm.
func (f *streamFlags) logarithm(c *cobra.Command, s schema.Schema, o stream.Options, rows [][]string,
	of driver.Settings) score.Report {
	r, plain := score.Report{Target: s.Target, Models: make([]score.Score, 1), Parts: make([]score.Tally, 10)}, s.Target
	s.Target.Transform = "log"
	_, _ = f.score(c, s, o, rows, of, func(row int, forecast stream.Forecast) {
		if y, known, err := plain.Parse(rows[row][s.PlaceOf(schema.Label)]); known && err == nil {
			for _, t := range []*score.Tally{&r.Models[0].All, &r.Parts[row*10/len(rows)]} {
				t.AddNumber(math.Exp(forecast.Value), math.Exp(forecast.Low), math.Exp(forecast.High), y, 1)
			}
		}
	})
	r.Models[0].Late = r.Models[0].All
	return r
}

// score returns the score of a new learner of some rows. What cannot be learned is left out, and each is called with all others.
func (f *streamFlags) score(c *cobra.Command, s schema.Schema, o stream.Options, rows [][]string, of driver.Settings,
	each func(row int, forecast stream.Forecast)) (r score.Report, err error) {
	o.NoExactModel = true
	step, err := of.Stepper(s)
	if err != nil {
		return r, err
	}
	l, err := stream.New(s, o)
	for row := 0; row < len(rows) && err == nil; row++ {
		if forecast, failed := step(l, int64(row), rows[row]); failed == nil && each != nil {
			each(row, forecast)
		}
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
		if r, err := f.score(c, s, l.Options(), rows, of, nil); err == nil {
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
			column.Suspect += fmt.Sprintf(": without it, the first %s have %s in place of %s", terminal.Counted(len(rows), "row"),
				alone, with)
		}
	}
}

// equalBits says where rows and labels came in an order that may not come again.
func equalBits(row int64) string {
	return "equal bits end at row " + terminal.Grouped(row) + ": from there on, the order of rows and labels is how they came"
}

// print prints a learner's score, the rows that have none, and the verdict, to which it adds a sentence. On a terminal it shows control
// characters in the names of classes.
func (f *streamFlags) print(c *cobra.Command, l *stream.Learner, aside records.Aside, state driver.State, helps string) error {
	r, w := l.Report(), c.OutOrStdout()
	if helps != "" {
		r.Verdict = append(r.Verdict, helps)
	}
	verdict := r.Verdict
	if f.asJSON {
		return printJSON(c, struct {
			score.Report
			records.Aside
			Left int64 `json:"left,omitempty"` // rows of the last input that did not meet the condition
			Bad  int64 `json:"bad,omitempty"`  // rows of it that could not be learned
			repeats.Counts
			Labels source.Labels `json:"labels,omitzero"`
		}{r, aside, state.Left, state.Bad, state.Counts, state.Labels})
	}
	r.Target.Classes = slices.Clone(r.Target.Classes)
	for i, class := range r.Target.Classes {
		r.Target.Classes[i] = terminal.Shown(w, class)
	}
	r.Verdict = nil
	_, err := fmt.Fprint(w, r)
	for _, of := range r.Fields {
		if of.What == "again" {
			fmt.Fprintf(w, "\nthe same command with --id %q learns such rows once from then on\n", string(of.Column))
		}
	}
	labels := state.Labels
	for _, of := range []struct {
		n           int64
		thing, what string
	}{{state.Left, "row", "did not meet the condition"},
		{state.Repeated, "row", "came again, with the id and the values of an earlier one: not learned or scored again"},
		{state.Corrected, "row", "came again with another label: not learned; the first label counts"},
		{state.Reused, "row", "had the id of an earlier one, and other values: learned"},
		{labels.Reused, "row", "had the id of an earlier one, and other values: left out"},
		{labels.Passed, "row", "no longer waited for labels, since none came (--label-wait)"},
		{labels.Unmatched, "label", "matched no row that waits"}, {labels.Bad, "label", "could not be read: left out"},
		{labels.Repeated, "label", "came again: not learned"},
		{labels.Corrected, "label", "came again with another value: not learned; the first counts"},
		{state.Bad, "row", "could not be learned: left out; the last: " + string(state.Why)}} {
		if of.n > 0 {
			fmt.Fprintf(w, "\n%s %s\n", terminal.Counted(of.n, of.thing), of.what)
		}
	}
	if labels.End > 0 {
		fmt.Fprintf(w, "\n%s\n", equalBits(labels.End))
	}
	for i, sentence := range verdict {
		fmt.Fprint(w, map[bool]string{true: "\n"}[i == 0], sentence, "\n")
	}
	return errors.Wrap(err, "cannot print the score")
}
