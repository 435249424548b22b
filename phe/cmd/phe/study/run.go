package study

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/phe/learn/backend"
	"gophe/phe/terminal"
)

type runFlags struct {
	specFlags
	json, refresh bool
}

// specFlags are the flags of commands that compute specs of the caller's choice.
type specFlags struct {
	computeFlags
	quick, resume, force bool
}

// add adds the flags. A thing is the command's product: a result or a sweep.
func (f *specFlags) add(c *cobra.Command, thing string) {
	f.computeFlags.add(c)
	flags := c.Flags()
	flags.BoolVar(&f.quick, "quick", false, "a look: one seed (or --seeds), a tenth of the initial epochs, thirty steps")
	flags.BoolVar(&f.resume, "resume", false, "continue the existing "+thing)
	flags.BoolVar(&f.force, "force", false, "start again; a finished "+thing+" stays until the new one is complete")
	c.MarkFlagsMutuallyExclusive("resume", "force")
}

// load reads a spec and cuts it as the flags say.
func (f *specFlags) load(name string) (spec.Spec, error) {
	s, err := spec.Load(name)
	if err != nil {
		return s, err
	}
	if f.seeds > 0 {
		s = s.WithSeeds(f.seeds)
	} else if f.quick {
		s = s.WithSeeds(1)
	}
	if f.quick {
		s = s.Quick()
	}
	return s, nil
}

// existing returns what to do about what exists. resume says how to continue it.
func (f *specFlags) existing(resume run.Existing) run.Existing {
	switch {
	case f.resume:
		return resume
	case f.force:
		return run.Replace
	}
	return run.Keep
}

// computeFlags are the flags of every command that computes.
type computeFlags struct {
	seeds        int
	backend, out string
	altered      bool
}

func (f *computeFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.seeds, "seeds", 0, "run seeds 0 … N−1 (default: the spec's)")
	c.Flags().StringVar(&f.backend, "backend", backend.Auto, "auto ($"+backend.Variable+", else xla:cpu if its plugin is installed, else go), go, xla:cpu or xla:cuda")
	addFolderFlag(c, &f.out, "folder for result files")
	c.Flags().BoolVar(&f.altered, "allow-altered", false, "accept a data file with another checksum than the declared one; the result says so")
}

func (f *computeFlags) check(c *cobra.Command) error {
	if c.Flags().Changed("seeds") && f.seeds < 1 {
		return errors.Errorf("--seeds is %d; give at least 1", f.seeds)
	}
	return nil
}

// open opens the backend, and returns the options of runs on it. Finalize the backend at the end.
func (f *computeFlags) open(c *cobra.Command, existing run.Existing) (run.Options, error) {
	another := func() (compute.Backend, error) { return backend.Open(f.backend) }
	b, err := another()
	return run.Options{Backend: b, BackendName: backend.Resolve(f.backend), Another: another, Out: f.out, Existing: existing, AllowAltered: f.altered,
		Say: func(note string) { fmt.Fprintln(c.ErrOrStderr(), note) }}, err
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run NAME…",
		Short: "Run experiments and write their results",
		Long: "Run runs specs by name (`phe list` lists them) or from .json files of yours. It writes OUT/NAME.json and OUT/NAME.series for each.\n" +
			"A finished result is shown and not computed again. --force computes it again, and keeps the old result until the new one is\n" +
			"complete. Ctrl-C stops after the current step and leaves a valid partial result. --resume continues it. Where a spec has gained or\n" +
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

// runAll runs specs one after the other. It calls then with each result.
func (f *computeFlags) runAll(c *cobra.Command, specs []spec.Spec, existing run.Existing, then func(f *result.File, began time.Time) error) error {
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

// show prints a result. A result that began before now was there already.
func show(w io.Writer, file *result.File, f runFlags, now time.Time) error {
	if f.json {
		return printJSON(w, report.Summary(file))
	}
	t, m := report.ResultTable(file), file.Manifest
	if started, err := time.Parse(time.RFC3339, m.Started); err == nil && started.Before(now) {
		t.Above = fmt.Sprintf("%s is already finished, computed by commit %.12s; --force computes it again\n", file.Name, m.Commit)
	}
	t.Above += fmt.Sprintf("%s on %s in %.1f s, peak memory %.0f MB → %s/%s.json\n\n", file.Name, m.Backend, m.Seconds, m.PeakMemoryMB, f.out, file.Name)
	t.Below += whatDiverged(file) + report.Legend(t.Page())
	return t.Page().Print(w)
}

// printJSON prints each object on a line.
func printJSON[T any](w io.Writer, objects []T) error {
	encoder := json.NewEncoder(w)
	for _, o := range objects {
		if err := encoder.Encode(o); err != nil {
			return errors.Wrap(err, "cannot print JSON")
		}
	}
	return nil
}
