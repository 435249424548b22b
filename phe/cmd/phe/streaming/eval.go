package streaming

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/driver"
	"gophe/phe/live/serve"
	"gophe/phe/live/source"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/score"
	"gophe/phe/terminal"
)

// learnFlags are the flags of the commands that learn rows and print the score.
type learnFlags struct {
	rowFlags
	threads int
	asJSON  bool
}

func (f *learnFlags) add(c *cobra.Command) {
	f.rowFlags.add(c, "learn")
	f.modelFlags.add(c)
	f.labelFlags.add(c)
	c.Flags().IntVar(&f.threads, "threads", 0,
		"threads that learn (default: one for each processor); the model and the forecasts are the same for any number")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the score as JSON")
}

// check returns an error if a flag has no meaning, and sets the number of threads.
func (f *learnFlags) check() error {
	if f.threads < 0 || f.threads > 1024 {
		return errors.Errorf("--threads is %d; give 1 to 1024, or leave it out", f.threads)
	}
	if f.threads > 0 {
		runtime.GOMAXPROCS(f.threads)
	}
	return f.rowFlags.check()
}

func evalCommand() *cobra.Command {
	f := &learnFlags{}
	c := &cobra.Command{
		Use:   "eval MODEL | eval FILE --target COLUMN",
		Short: "Print the score of a model, or learn a file only to score it",
		Long: "Given a model, eval prints the score along the stream that the model learned. " +
			"Given a file and a target, it learns the file as\n`phe stream` does, prints the score, and keeps no model. " +
			"Use it to see whether `phe stream` is the right tool, and what\n--memory, --interactions and --delay do. " +
			"Of a tenth of the rows, at most 10,000, it learns also with 16 times the\nmemory, with the logarithm of a number, " +
			"and with late labels, and says at the end if one of these counts.",
		Example: "  phe eval sales.phe\n" +
			"  phe eval sales.csv --target 'Quantity>=12'\n" +
			"  phe eval sales.csv --target 'Quantity>=12' --delay 1000 --json",
		Args: Named(1, "one file", "phe eval sales.phe"),
		RunE: func(c *cobra.Command, args []string) error { return f.eval(c, args[0]) },
	}
	f.add(c)
	return c
}

// eval prints the score of a model, or learns a file to score it.
func (f *learnFlags) eval(c *cobra.Command, path string) error {
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
		helps = tryHelp(c.Context(), in, d.Learner, d.State.Settings)
	}
	return cmp.Or(f.print(c, d.Learner, in.Aside(), d.State, helps), err)
}

// print prints a learner's score, the rows that have none, and the verdict, to which it adds a sentence. On a terminal it shows control
// characters in the names of classes.
func (f *learnFlags) print(c *cobra.Command, l *stream.Learner, aside records.Aside, state driver.State, helps string) error {
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
			fmt.Fprintf(w, "\nthe same command with --id %q learns a row that comes again only once, from then on\n", string(of.Column))
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
