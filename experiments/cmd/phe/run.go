package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/compare"
	"gophe/experiments/progress"
	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/phe/backend"
)

type runFlags struct {
	computeFlags
	quick, resume, force, json bool
}

// computeFlags are those of every command that computes.
type computeFlags struct {
	seeds        int
	backend, out string
	altered      bool
}

func (f *computeFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.seeds, "seeds", 0, "run seeds 0 … N−1 in place of the spec's own")
	c.Flags().StringVar(&f.backend, "backend", backend.Auto, "auto (XLA on CPU where its plugin is installed, else pure Go), go, xla:cpu or xla:cuda")
	addFolderFlag(c, &f.out, "folder for result files")
	c.Flags().BoolVar(&f.altered, "allow-altered", false, "accept a data file whose checksum is not the declared one; the result says so")
}

func (f *computeFlags) check(c *cobra.Command) error {
	if c.Flags().Changed("seeds") && f.seeds < 1 {
		return errors.Errorf("--seeds is %d; give at least 1", f.seeds)
	}
	return nil
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run NAME…",
		Short: "Run experiments; each leaves one result file",
		Long: "Run runs specs by name (see `phe list`) or from .json files of yours, and writes OUT/NAME.json and OUT/NAME.series for each.\n" +
			"A result that is finished stays as it is and is shown. --force computes it again; the old result stays until the new one is\n" +
			"complete. Ctrl-C stops at the next step and leaves a valid partial result; --resume goes on from it, and keeps what is complete.\n\n" +
			"The exit code is 0, 1 after an error, 3 if a seed diverged (the result is complete and says where), and 130 after Ctrl-C.",
		Example: "  phe run adult-online --seeds 5\n" +
			"  phe run adult-online --seeds 5 --resume     go on after Ctrl-C, or from fewer seeds\n" +
			"  phe run adult-online --force                compute a finished result again\n" +
			"  phe run adult-online --quick                a look in seconds, under the name adult-online-quick\n" +
			"  phe run my-spec.json --backend go --out results\n" +
			"  phe run shop.json                           a file of yours, by a spec with a \"source\": see docs/your-stream.md",
		Args: named("at least one experiment (`phe list` lists them)", "phe run adult-online", true),
		RunE: func(c *cobra.Command, names []string) error { return f.run(c, names) },
	}
	f.add(c)
	c.Flags().BoolVar(&f.quick, "quick", false, "a look: one seed unless --seeds says more, a tenth of the initial epochs, thirty steps")
	c.Flags().BoolVar(&f.resume, "resume", false, "go on from the result that is there")
	c.Flags().BoolVar(&f.force, "force", false, "start anew; a finished result stays until the new one is complete")
	c.MarkFlagsMutuallyExclusive("resume", "force")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object a method and metric in place of the table")
	return c
}

func (f runFlags) run(c *cobra.Command, names []string) error {
	if err := f.check(c); err != nil {
		return err
	}
	var specs []spec.Spec // all are read before the first runs: an error in the last is found at once
	for _, name := range names {
		spec, err := spec.Load(name)
		if err != nil {
			return err
		}
		if f.seeds > 0 {
			spec = spec.WithSeeds(f.seeds)
		} else if f.quick {
			spec = spec.WithSeeds(1)
		}
		if f.quick {
			spec = spec.Quick()
		}
		specs = append(specs, spec)
	}
	o := run.Options{Out: f.out, Existing: f.existing(), AllowAltered: f.altered}
	diverged := false
	err := runAll(c, specs, f.backend, o, func(file *result.File, began time.Time) error {
		diverged = diverged || hasDiverged(file)
		return show(c.OutOrStdout(), file, f, began)
	})
	if err == nil && diverged {
		return errDiverged
	}
	return err
}

func (f runFlags) existing() run.Existing {
	switch {
	case f.resume:
		return run.Resume
	case f.force:
		return run.Replace
	}
	return run.Keep
}

// errDiverged ends the command with an exit code of its own. What diverged stands below the table.
var errDiverged = errors.New("a seed diverged; lower the learning rates or the initial log-variance, or read its scores up to that step")

func hasDiverged(file *result.File) bool {
	for _, m := range file.Methods {
		if slices.ContainsFunc(m.Runs, func(r result.Run) bool { return r.Status == result.Diverged }) {
			return true
		}
	}
	return false
}

// runAll runs specs one after the other, and hands each result to then.
func runAll(c *cobra.Command, specs []spec.Spec, backendName string, o run.Options, then func(f *result.File, began time.Time) error) error {
	b, err := backend.Open(backendName)
	if err != nil {
		return err
	}
	defer b.Finalize()
	o.Backend, o.BackendName = b, backend.Resolve(backendName)
	o.Another = func() (compute.Backend, error) { return backend.Open(backendName) }
	for i, spec := range specs {
		name := spec.Name
		if len(specs) > 1 {
			name = fmt.Sprintf("[%d/%d] %s", i+1, len(specs), name)
		}
		p := progress.NewLine(c.ErrOrStderr(), name)
		start := time.Now()
		o.Progress = p.Update
		o.Say = func(note string) { fmt.Fprintln(c.ErrOrStderr(), note) }
		file, err := run.Execute(c.Context(), spec, o)
		p.Finish()
		if errors.Is(err, context.Canceled) {
			again := "the command with --resume"
			if o.Existing == run.Refresh {
				again = "the same command"
			}
			fmt.Fprintf(c.ErrOrStderr(), "stopped; %s goes on from %s\n", again, run.StoppedPath(o.Out, spec.Name))
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

// show prints what a run measured, which began now or, if its result was there already, earlier.
func show(w io.Writer, file *result.File, f runFlags, now time.Time) error {
	if f.json {
		return printJSON(w, compare.Summary(file))
	}
	m := file.Manifest
	if started, err := time.Parse(time.RFC3339, m.Started); err == nil && started.Before(now) {
		fmt.Fprintf(w, "%s is finished already, computed by commit %.12s; --force computes it again\n", file.Name, m.Commit)
	}
	fmt.Fprintf(w, "%s on %s in %.1f s, peak memory %.0f MB → %s/%s.json\n\n%s", file.Name, m.Backend, m.Seconds, m.PeakMemoryMB, f.out, file.Name,
		report.ResultMarkdown(file))
	for _, m := range file.Methods {
		for _, r := range m.Runs {
			if r.Status == result.Diverged {
				fmt.Fprintf(w, "%s, seed %d, diverged at step %d\n", m.Label(), r.Seed, r.DivergedAt)
			}
		}
	}
	return nil
}

// printJSON prints one object a line.
func printJSON[T any](w io.Writer, objects []T) error {
	encoder := json.NewEncoder(w)
	for _, o := range objects {
		if err := encoder.Encode(o); err != nil {
			return errors.Wrap(err, "writing JSON")
		}
	}
	return nil
}
