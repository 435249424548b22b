package study

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/table"
	"gophe/phe/cmd/phe/streaming"
	"gophe/phe/learn/backend"
)

// names returns names in lines of a help text.
func names(all []string) string { return strings.Join(table.Wrap(strings.Join(all, ", "), 120), "\n") }

// named demands a number of names; 0 is at least one.
var named = streaming.Named

// computeFlags are the flags of every command that computes.
type computeFlags struct {
	seeds        int
	backend, out string
	altered      bool
}

func (f *computeFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.seeds, "seeds", 0, "run seeds 0 … N−1 (default: the spec's)")
	c.Flags().StringVar(&f.backend, "backend", backend.Auto,
		"auto ($"+backend.Variable+", else xla:cpu if its plugin is installed, else go), go, xla:cpu or xla:cuda")
	c.Flags().StringVar(&f.out, "out", "out", "folder for result files")
	c.Flags().BoolVar(&f.altered, "allow-altered", false,
		"accept a data file with another checksum than the declared one; the result says so")
}

func (f *computeFlags) check(c *cobra.Command) error {
	if c.Flags().Changed("seeds") && (f.seeds < 1 || f.seeds > spec.MaxRuns) {
		return errors.Errorf("--seeds is %d; give at least 1, and at most %d", f.seeds, spec.MaxRuns)
	}
	return nil
}

// open opens the backend, and returns the options of runs on it. Finalize the backend at the end.
func (f *computeFlags) open(c *cobra.Command, existing run.Existing) (run.Options, error) {
	another := func() (compute.Backend, error) { return backend.Open(f.backend) }
	say := func(note string) { fmt.Fprintln(c.ErrOrStderr(), note) }
	b, err := another()
	return run.Options{Backend: b, BackendName: backend.Resolve(f.backend), Another: another, Out: f.out, Existing: existing,
		AllowAltered: f.altered, Say: say}, err
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
