package streaming

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/terminal"
)

// choiceFlags say what to do with rows of the input that the model has learned before.
type choiceFlags struct{ again, append, compare bool }

func (f *choiceFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.again, "again", false,
		"learn the input from its first row, even if the model has learned it or has not finished another input")
	flags.BoolVar(&f.append, "append", false,
		"the rows of the pipe are new (default: the pipe begins again, and rows that were learned are skipped)")
	flags.BoolVar(&f.compare, "check", false,
		"compare all of the part that was learned with the file (default: its beginning, its end and a sample)")
}

// choose goes on in the input behind the rows that were learned, or begins it.
func (f *choiceFlags) choose(c *cobra.Command, in source.Source, d *driver.Driver) error {
	how := source.Choice{Again: f.again, Append: f.append}
	if f.compare {
		line := terminal.NewLine(c.ErrOrStderr(), in.Name())
		defer line.Finish()
		how.Compare = func(done, all int64) { line.Count(done, all, "comparing the part that was learned") }
	}
	return d.Choose(c.Context(), in, how)
}

// learn learns the input and prints the score.
func (f *streamFlags) learn(c *cobra.Command, args []string, d *driver.Driver, name string) (err error) {
	out, w := c.OutOrStdout(), c.ErrOrStderr()
	if d.Warning != "" {
		fmt.Fprintln(w, "warning:", d.Warning)
	}
	if d.Learner == nil && d.Replaces == nil && f.forecasts.Path != "" { // an error now loses no row of a pipe
		f.forecasts.Others = []string{f.schema}
		if err := f.forecasts.Check(); err != nil {
			return err
		}
	}
	if f.compare && slices.ContainsFunc(append(slices.Clip(args), d.State.Settings.Labels), isStream) {
		return errors.New("--check compares files; a stream is compared by a checksum at each start")
	}
	in, err := f.open(c, args, d)
	if err != nil {
		return err
	}
	defer in.Close()
	learned := int64(0)
	defer func() { err = in.Lost(err, learned) }()
	if err := f.choose(c, in, d); err != nil {
		return err
	}
	l, state := d.Learner, d.State
	sayWaiting(w, d)
	if state.Rows > 0 && !state.Ended {
		fmt.Fprintf(w, "%s continues after %s of %s\n", name, terminal.Counted(state.Rows, "row"), state.Name())
	}
	if f.rows > 0 && state.Records() > f.rows {
		return errors.Errorf("%s has learned %s of %s, and --rows is %d; give more, or name another file with --model", name,
			terminal.Counted(state.Records(), "row"), state.Name(), f.rows)
	}
	o := driver.Options{Threads: runtime.GOMAXPROCS(0), Every: f.every, Rows: f.rows, Output: f.forecasts.Path,
		Overwrite: f.forecasts.Overwrite, Others: slices.Concat(modelFiles(name), in.Paths(), []string{f.schema})}
	show := newShower(w, in, l)
	live, err := f.show(c, show)
	if err != nil {
		return err
	}
	defer live.close()
	o.Progress, o.Alarm = show.progress, show.alarm
	err = d.Run(c.Context(), o)
	now, saved := d.State, d.Saved
	learned = now.Records()
	show.line.Finish()
	if state.Ended && learned > state.Records() {
		fmt.Fprintf(w, "%s continues after %s of %s\n", name, terminal.Counted(state.Rows, "row"), state.Name())
	}
	live.finish(err)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(w, "stopped after %s; the same command continues from %s\n", terminal.Counted(now.Rows, "row"), name)
		return err
	}
	if err != nil {
		return stopped(err, now.Rows, saved.Rows, name)
	}
	if learned == f.rows && learned > 0 && !now.Ended {
		fmt.Fprintf(w, "stopped after row %s, as --rows says; the same command without it goes on\n", terminal.Grouped(learned))
	}
	if state.Ended && learned == state.Records() && now.Labels == state.Labels && !f.asJSON {
		fmt.Fprintf(out, "%s of %s are learned in %s, and none is new\n", terminal.Counted(now.Rows, "row"), now.Name(), name)
	} else if err = f.print(c, l, in.Aside(), now, ""); !f.asJSON && f.store != "" {
		fmt.Fprintf(out, "\nmodel: %[1]s, %[2]s; `phe serve --store %[1]s` forecasts\n", name, terminal.Counted(l.Rows(), "row"))
	} else if !f.asJSON {
		fmt.Fprintf(out, "\nmodel: %[1]s, %[2]s; `phe inspect %[1]s` shows what it learned, `phe predict %[1]s FILE` forecasts\n", name,
			terminal.Counted(l.Rows(), "row"))
	}
	sayLeftOut(w, in)
	live.stay(c)
	return err
}

// sayWaiting prints the memory and the number of rows that may wait for their labels. It limits the memory of the process.
func sayWaiting(w io.Writer, d *driver.Driver) {
	if !d.State.Settings.Late() {
		return
	}
	o := d.Learner.Options()
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // no GOMEMLIMIT; without a limit garbage takes as much as the rows
		debug.SetMemoryLimit(o.WaitingBytes + 8*int64(o.Memory) + 128<<20)
	}
	fmt.Fprintf(w, "rows wait for their labels in %s, which hold about %s\n", terminal.Size(int(o.WaitingBytes)),
		terminal.Counted(d.Learner.Room(), "row"))
}

// stopped adds the rows of this run, and the rows that the model's file keeps, to an error.
func stopped(err error, rows, kept int64, name string) error {
	switch {
	case rows == 0:
		return err
	case kept < rows:
		return errors.WithMessagef(err, "stopped after %s; %s keeps %s of them, and the same command learns the others again",
			terminal.Counted(rows, "row"), name, terminal.Grouped(kept))
	default:
		return errors.WithMessagef(err, "stopped after %s, which %s keeps", terminal.Counted(rows, "row"), name)
	}
}
