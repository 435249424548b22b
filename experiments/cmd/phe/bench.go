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
		Long: "Bench trains PHE on a task for some steps of the initial phase, takes it along some chunks of the stream, and prints the time of\n" +
			"both, without compilation, beside the scores. An initial phase of one epoch or more has whole epochs, so the line may have more steps\n" +
			"than were asked for. With --export it computes nothing and writes the task's data for programs in other frameworks.",
		Example: "  phe bench --task adult --scheme moments --seeds 5 --steps 8500 --chunks 317\n" +
			"  phe bench --task ncf --batch 65536 --rows 1000003 --backend xla:cuda\n" +
			"  phe bench --task dkf --export out/dkf",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().StringVar(&f.task, "task", "adult", "adult (a classifier), dkf (a deep Kalman filter of Retail) or ncf (a recommender)")
	c.Flags().StringVar(&f.scheme, "scheme", "", "sampling scheme in place of the task's own")
	c.Flags().IntVar(&f.timing.Seeds, "seeds", 1, "seeds 0 … N−1 side by side in one program")
	c.Flags().IntVar(&f.batch, "batch", 0, "rows a step in place of the task's own")
	c.Flags().IntVar(&f.rows, "rows", 0, "rows of the embedding table in place of the task's own")
	c.Flags().IntVar(&f.timing.Steps, "steps", 1000, "steps of the initial phase")
	c.Flags().IntVar(&f.timing.Chunks, "chunks", 0, "chunks of the stream after it, each predicted, scored and learned")
	c.Flags().StringVar(&f.backend, "backend", backend.Auto, "auto, go, xla:cpu or xla:cuda")
	c.Flags().StringVar(&f.export, "export", "", "folder to write the task's data to, in place of training")
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
