package streaming

import (
	"context"
	"fmt"
	"io"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/feed"
	"gophe/phe/stream"
)

// evalFlags are those of `phe eval`.
type evalFlags struct {
	streamFlags
}

func evalCommand() *cobra.Command {
	f := &evalFlags{}
	c := &cobra.Command{
		Use:   "eval MODEL | eval FILE --target COLUMN",
		Short: "Print the score of a model, or of learning a file, and keep nothing",
		Long: "Eval of a model prints the score that it has had along its stream. Eval of a file learns it as `phe stream` does, prints the score\n" +
			"and keeps nothing: to see whether this is the right tool, and what --memory, --interactions and --delay do.",
		Example: "  phe eval sales.phe\n" +
			"  phe eval sales.csv --target 'Quantity>=12'\n" +
			"  phe eval sales.csv --target 'Quantity>=12' --delay 1000 --json",
		Args: oneFile("phe eval sales.phe"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.addLearning(c)
	return c
}

func (f *evalFlags) run(c *cobra.Command, path string) error {
	if f.target == "" && f.schema == "" {
		l, _, err := load(c, path)
		if err != nil {
			return err
		}
		return f.print(c, l)
	}
	if err := f.check(); err != nil {
		return err
	}
	in, err := openSource(path, &f.inputFlags, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	l, err := f.learner(c, in)
	if err != nil {
		return err
	}
	o := feed.Options{Delay: f.delay, SkipBad: f.bad == skipBad}
	if o.Keep, err = f.keep(in.Columns()); err != nil {
		return err
	}
	show := newShower(c.ErrOrStderr(), in, l)
	o.Progress = show.progress
	err = feed.New(l, feed.State{Input: feed.Input{Name: path}}, nil, in, o).Run(c.Context())
	show.finish()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(c.ErrOrStderr(), "stopped; this is the score so far")
	} else if err != nil && err != io.EOF {
		return err
	}
	if shown := f.print(c, l); shown != nil {
		return shown
	}
	return err
}

func (f *evalFlags) print(c *cobra.Command, l *stream.Learner) error {
	if f.asJSON {
		return printJSON(c, l.Report())
	}
	_, err := fmt.Fprint(c.OutOrStdout(), l.Report())
	return errors.Wrap(err, "printing the score")
}
