package study

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/phe/terminal"
)

type runFlags struct {
	specFlags
	json, refresh bool
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run NAME…",
		Short: "Run experiments and write their results",
		Long: "Run runs specs by name (`phe list` lists them) or from .json files of yours. " +
			"It writes OUT/NAME.json and OUT/NAME.series for each.\nA finished result is shown and not computed again. " +
			"--force computes it again, and keeps the old result until the new one is\ncomplete. " +
			"Ctrl-C stops after the current step and leaves a valid partial result. --resume continues it. Where a spec has gained or\n" +
			"changed methods, --refresh computes these and keeps the runs of the others.\n\n" +
			"The exit code is 0, 1 after an error, 3 if a seed diverged (the result is complete and names the step), and 130 after Ctrl-C.",
		Example: "  phe run adult-online\n" +
			"  phe run adult-online --seeds 8 --resume     continue after Ctrl-C, or add seeds\n" +
			"  phe run adult-online --force                compute a finished result again\n" +
			"  phe run adult-online --quick                a look in seconds, under the name adult-online-quick\n" +
			"  phe run my-spec.json --backend go --out results\n" +
			"  phe run shop.json                           a spec with a \"source\" runs on a file of yours: see docs/commands.md",
		Args: named(0, "at least one experiment (`phe list` lists them)", "phe run adult-online"),
		RunE: func(c *cobra.Command, names []string) error { return f.run(c, names) },
	}
	f.add(c, "result")
	c.Flags().BoolVar(&f.refresh, "refresh", false, "compute the methods that changed, and keep the other runs")
	c.MarkFlagsMutuallyExclusive("resume", "force", "refresh")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object for each method and metric, in place of the table")
	return c
}

func (f runFlags) run(c *cobra.Command, names []string) error {
	if err := f.check(c); err != nil {
		return err
	}
	var specs []spec.Spec // read before the first runs, so that an error in the last is found at once
	for _, name := range names {
		s, err := f.load(name)
		if err != nil {
			return err
		}
		specs = append(specs, s)
	}
	existing := f.existing(run.Resume)
	if f.refresh {
		existing = run.Refresh
	}
	diverged := ""
	err := f.runAll(c, specs, existing, func(file *result.File, began time.Time) error {
		diverged += whatDiverged(file)
		return show(c.OutOrStdout(), file, f, began)
	})
	if err == nil && diverged != "" {
		return ErrDiverged
	}
	return err
}

// ErrDiverged ends the command with an exit code of its own. The lines below the table name the seeds.
var ErrDiverged = errors.New("a seed diverged; lower the learning rates or the initial log-variance, or use its scores up to that step")

// whatDiverged returns a line for each seed that diverged.
func whatDiverged(file *result.File) (lines string) {
	for _, m := range file.Methods {
		for _, r := range m.Runs {
			if r.Status == result.Diverged {
				lines += fmt.Sprintf("%s, seed %d, diverged at step %d\n", m.Label(), r.Seed, r.DivergedAt)
			}
		}
	}
	return lines
}

// runAll runs specs one after the other. It calls then with each result and the time when its run began.
func (f *computeFlags) runAll(c *cobra.Command, specs []spec.Spec, existing run.Existing, then func(*result.File, time.Time) error) error {
	o, err := f.open(c, existing)
	if err != nil {
		return err
	}
	for i, spec := range specs {
		name := spec.Name
		if len(specs) > 1 {
			name = fmt.Sprintf("[%d/%d] %s", i+1, len(specs), name)
		}
		p := terminal.NewLine(c.ErrOrStderr(), name)
		start := time.Now()
		o.Progress = p.Update
		file, err := run.Execute(c.Context(), spec, o)
		p.Finish()
		if errors.Is(err, context.Canceled) {
			again := "the command with --resume"
			if o.Existing == run.Refresh {
				again = "the same command"
			}
			fmt.Fprintf(c.ErrOrStderr(), "stopped; %s continues from %s\n", again, run.StoppedPath(o.Out, spec.Name))
		}
		if err != nil {
			return err
		}
		if err := then(file, start); err != nil {
			return err
		}
	}
	return nil
}

// show prints a result. One that began before now is not new: --force would have computed it again.
func show(w io.Writer, file *result.File, f runFlags, now time.Time) error {
	if f.json {
		return printJSON(w, report.Summary(file))
	}
	t, m := report.ResultTable(file), file.Manifest
	if started, err := time.Parse(time.RFC3339, m.Started); err == nil && started.Before(now) {
		t.Above = fmt.Sprintf("%s is already finished, computed by commit %.12s; --force computes it again\n", file.Name, m.Commit)
	}
	t.Above += fmt.Sprintf("%s on %s in %.1f s, peak memory %.0f MB → %s/%[1]s.json\n\n",
		file.Name, m.Backend, m.Seconds, m.PeakMemoryMB, f.out)
	t.Below += whatDiverged(file) + report.Legend(t.Page())
	return t.Page().Print(w)
}
