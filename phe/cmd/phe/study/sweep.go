package study

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/run"
	"gophe/experiments/run/sweep"
	"gophe/phe/terminal"
)

type sweepFlags struct {
	specFlags
	try, methods []string
}

func sweepCommand() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep NAME",
		Short: "Search hyperparameters on a part of the initial rows",
		Long: "Sweep takes a spec by name or from a .json file of yours. It holds out a part of the initial rows. " +
			"For each method it scores every\npoint of a grid on that part. It never reads a row of the stream. " +
			"Without --try the grid is the paper's five learning rates by three\nnumbers of buckets. " +
			"A parameter that a method does not have is not tried for it: a vocabulary has no buckets.\n\n" +
			"OUT/NAME-sweep holds NAME-best.json with the best values for `phe run`, and the runs themselves with every score.\n" +
			"Ctrl-C keeps the points that are done. --resume continues, also with a larger grid. Parameters are model.learning_rate,\n" +
			"model.kl_weight, model.batch_size, model.encoder.num_buckets, the other fields of a spec's model, and update_epochs.\n" +
			"Points that differ only in learning rates, KL weights, initial_log_std_dev or update_epochs share compiled programs.",
		Example: "  phe sweep adult-online --method PHE --seeds 3\n" +
			"  phe sweep shop.json --try learning_rate=0.003,0.01,0.03 --try encoder.num_buckets=23,109\n" +
			"  phe sweep shop.json --resume                            continue after Ctrl-C\n" +
			"  phe run out/shop-sweep/shop-best.json                   the stream, with the best values\n" +
			"  phe sweep adult-online --quick                          a look: one seed, a tenth of the epochs",
		Args: named(1, "one experiment (`phe list` lists them) or a spec file", "phe sweep adult-online"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.add(c, "sweep")
	flags := c.Flags()
	flags.StringArrayVar(&f.try, "try", nil, "a parameter and its values: model.learning_rate=0.001,0.01,0.1; learning_rate=… will do")
	flags.StringArrayVar(&f.methods, "method", nil, "search only for this method of the spec; may be repeated")
	return c
}

// grid reads the spec and returns the points to search.
func (f sweepFlags) grid(c *cobra.Command, name string) (*sweep.Grid, error) {
	var axes []sweep.Axis
	if err := f.check(c); err != nil {
		return nil, err
	}
	for _, text := range f.try {
		axis, err := sweep.ParseAxis(text)
		if err != nil {
			return nil, err
		}
		axes = append(axes, axis)
	}
	s, err := f.load(name)
	if err != nil {
		return nil, err
	}
	if former, items := run.Sized(s, run.StoppedPath(filepath.Join(f.out, s.Name+"-sweep"), s.Name+"-sweep"),
		f.existing(run.Refresh)); items == 0 {
		s = former // an earlier sweep with the paper's sizes continues
	}
	return sweep.New(s, axes, f.methods)
}

func (f sweepFlags) run(c *cobra.Command, name string) error {
	g, err := f.grid(c, name)
	if err != nil {
		return err
	}
	o, err := f.open(c, f.existing(run.Refresh))
	if err != nil {
		return err
	}
	o.Out = filepath.Join(f.out, g.Spec.Name)
	fmt.Fprintf(c.ErrOrStderr(), "%s by %s: %s\n", terminal.Counted(len(g.Points), "point"), terminal.Counted(len(g.Spec.Seeds), "seed"),
		terminal.Counted(len(g.Points)*len(g.Spec.Seeds), "run"))
	p := terminal.NewLine(c.ErrOrStderr(), g.Spec.Name)
	o.Progress = p.Update
	report, err := g.Run(c.Context(), o)
	p.Finish()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.ErrOrStderr(), "stopped; the command with --resume continues from %s\n", run.StoppedPath(o.Out, g.Spec.Name))
	}
	if err != nil {
		return err
	}
	t := report.Table()
	t.Below += fmt.Sprintf("\nevery point: %s\nthe best values: phe run %s\n", filepath.Join(o.Out, g.Spec.Name+".json"), report.BestFile)
	return t.Page().Print(c.OutOrStdout())
}
