// Command streams compares phe stream with Vowpal Wabbit, river, AdPredictor and gradient boosting along known streams.
//
//	streams --phe bin/phe --python PYTHON --to experiments/streams/results.json
//	streams --phe bin/phe --python PYTHON --to out/trial.json --rows 5000 --streams ml_4,adult
//
// PYTHON is an interpreter that has the packages of .ci/streams.txt. Make target bench-streams installs them. Started again, the
// command goes on with the runs that are missing. The data is found along PHE_DATA and in the checkout.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/machine"
	"gophe/experiments/streams"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command().ExecuteContext(ctx)
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "streams: stopped; the same command goes on with the runs that are missing")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "streams:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var names []string
	for _, s := range streams.Streams() {
		names = append(names, s.Name)
	}
	b := streams.Bench{}
	c := &cobra.Command{Use: "streams", Short: "Compare phe stream with other programs along known streams", Args: cobra.NoArgs, SilenceUsage: true, SilenceErrors: true}
	f := c.Flags()
	f.StringSliceVar(&names, "streams", names, "streams to run")
	f.StringSliceVar(&b.Only, "only", nil, "contenders to run: gophe, 'Vowpal Wabbit', AdPredictor, river, \"river's adaptive forest\", LightGBM, 'base rate', 'no change' (default: all)")
	f.IntVar(&b.Most, "rows", 0, "take the first rows of each stream only, for a trial")
	f.IntVar(&b.Jobs, "jobs", 1, "contenders to run at the same time")
	f.StringVar(&b.Phe, "phe", "bin/phe", "the phe command")
	f.StringVar(&b.Python, "python", "python3", "interpreter that has the rivals' packages")
	f.StringVar(&b.Rivals, "rivals", "experiments/streams/rivals", "folder of the rivals' scripts")
	f.StringVar(&b.Work, "work", "out/streams", "folder for the streams")
	f.StringVar(&b.To, "to", "out/streams.json", "file for the results")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if b.Streams, err = streams.Find(names); err != nil {
			return err
		}
		if b.Self, err = os.Executable(); err != nil {
			return errors.Wrap(err, "finding this program")
		}
		b.Machine, b.Commit = machine.Processor(), machine.Commit()
		_, err = b.Run(c.Context(), c.ErrOrStderr())
		return err
	}
	c.AddCommand(adPredictor())
	return c
}

// adPredictor is the command of a contender that is our own, so that its time is a process's like the others'.
func adPredictor() *cobra.Command {
	var a streams.AdPredictor
	var inputs, to string
	c := &cobra.Command{Use: "adpredictor", Short: "Learn a stream's inputs by AdPredictor and write its forecasts", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.Run(inputs, to) }}
	f := c.Flags()
	f.StringVar(&inputs, "inputs", "", "file of the target and the inputs")
	f.StringVar(&to, "to", "", "file for the forecasts")
	f.IntVar(&a.Bytes, "bytes", 256<<10, "memory of the beliefs")
	f.Int64Var(&a.Seed, "seed", 1, "draws the hash function")
	f.BoolVar(&a.Pairs, "pairs", false, "learn pairs of items too")
	return c
}
