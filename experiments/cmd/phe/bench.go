package main

import (
	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/bench"
	"gophe/experiments/timing"
	"gophe/phe"
	"gophe/phe/backend"
)

type benchFlags struct {
	task, scheme, backend, export string
	batch, rows                   int
	timing                        timing.Options
}

func benchCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench",
		Short: "Time a model's training and print one line of JSON",
		Long: "Bench trains PHE on a task for --steps steps of the initial phase, and then learns --chunks chunks of the stream. It prints the scores\n" +
			"and both times, without compilation. If the steps make an epoch or more, they are rounded up to whole epochs.\n\n" +
			"With --export it computes nothing. It writes the task's data for programs in other frameworks.",
		Example: "  phe bench --task adult --scheme moments --seeds 5 --steps 8500 --chunks 317\n" +
			"  phe bench --task ncf --batch 65536 --rows 1000003 --backend xla:cuda\n" +
			"  phe bench --task dkf --export out/dkf",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.task, "task", "adult", "adult (a classifier), dkf (a deep Kalman filter of Retail) or ncf (a recommender)")
	c.Flags().StringVar(&f.scheme, "scheme", "", "sampling scheme (default: the task's)")
	c.Flags().IntVar(&f.timing.Seeds, "seeds", 1, "train seeds 0 … N−1 together in one program")
	c.Flags().IntVar(&f.batch, "batch", 0, "number of rows in a step (default: the task's)")
	c.Flags().IntVar(&f.rows, "rows", 0, "number of rows of the embedding table (default: the task's)")
	c.Flags().IntVar(&f.timing.Steps, "steps", 1000, "number of steps of the initial phase")
	c.Flags().IntVar(&f.timing.Chunks, "chunks", 0, "number of chunks of the stream; each is predicted, scored and learned")
	c.Flags().StringVar(&f.backend, "backend", backend.Auto, "auto, go, xla:cpu or xla:cuda")
	c.Flags().StringVar(&f.export, "export", "", "write the task's data to this folder, and do not train")
	return c
}

func (f *benchFlags) run(c *cobra.Command) error {
	w, err := timing.New(f.task, timing.Shape{Scheme: phe.Scheme(f.scheme), Batch: f.batch, Rows: f.rows})
	if err != nil {
		return err
	}
	if f.export != "" {
		return w.Export(f.export)
	}
	if f.timing.Backend, err = backend.Open(f.backend); err != nil {
		return err
	}
	defer f.timing.Backend.Finalize()
	f.timing.BackendName = backend.Resolve(f.backend)
	m, err := w.Time(c.Context(), f.timing)
	if err != nil {
		return errors.WithMessagef(err, "task %s", f.task)
	}
	return printJSON(c.OutOrStdout(), []bench.Measurement{m})
}
