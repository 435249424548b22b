// Command streams compares phe stream with the programs that people would take instead, along known tables, row by row: predict,
// score, learn. Every program runs as a process of its own and writes its forecasts, and one scorer scores all of them.
//
//	streams --phe bin/phe --python PYTHON --to experiments/bench/streams/results.json
//	streams --phe bin/phe --python PYTHON --to out/trial.json --rows 5000 --streams ml_4,adult
//
// PYTHON is an interpreter that has the packages of .ci/streams.txt. Make target bench-streams installs them. Started again, the
// command continues with the runs that are missing. The data is found along PHE_DATA and in the checkout.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command().ExecuteContext(ctx)
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "streams: stopped; the same command continues with the missing runs")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "streams:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var wanted []string
	var b bench
	c := &cobra.Command{Use: "streams", Short: "Compare phe stream with other programs along known streams", Args: cobra.NoArgs,
		SilenceUsage: true, SilenceErrors: true}
	f := c.Flags()
	f.StringSliceVar(&wanted, "streams", nil, "streams to run (default: all)")
	f.StringSliceVar(&b.only, "only", nil, "contenders to run: gophe, 'Vowpal Wabbit', AdPredictor, river, "+
		"\"river's adaptive forest\", LightGBM, 'base rate', 'no change' (default: all)")
	f.IntVar(&b.maxRows, "rows", 0, "take the first rows of each stream only, for a trial")
	f.IntVar(&b.delay, "delay", 0, "number of rows after which the label of a row comes; LightGBM is then left out, and memory above 256K")
	f.StringVar(&b.phe, "phe", "bin/phe", "the phe command")
	f.StringVar(&b.python, "python", "python3", "interpreter that has the rivals' packages")
	f.StringVar(&b.rivals, "rivals", "experiments/bench/streams/rivals", "folder of the rivals' scripts")
	f.StringVar(&b.work, "work", "out/streams", "folder for the streams")
	f.StringVar(&b.to, "to", "out/streams.json", "file for the results")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if b.streams, err = find(wanted); err != nil {
			return err
		}
		if b.self, err = os.Executable(); err != nil {
			return errors.Wrap(err, "finding this program")
		}
		_, err = b.run(c.Context(), c.ErrOrStderr())
		return err
	}
	c.AddCommand(adPredictorCommand())
	return c
}
