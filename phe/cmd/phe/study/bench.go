package study

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/bench"
	"gophe/experiments/result/machine"
	"gophe/phe/learn/backend"
	"gophe/phe/terminal"
)

type benchFlags struct {
	one                          bench.Options
	backend, export, out, python string
	only                         string
	asJSON                       bool
}

// oneFlags are the flags that choose one workload in place of the table.
var oneFlags = []string{"task", "scheme", "seeds", "batch", "rows", "steps", "chunks", "export"}

const benchHelp = "Bench measures the classifier of Adult, the deep Kalman filter of Retail and the recommender of " +
	"generated ratings on a backend. It prints\none table. Its words are:\n\n" +
	"  replicas   models that train side by side in one program, each with a seed of its own: 1, 5, 32 and 256\n" +
	"  step       one step of the optimiser in the initial phase, for all replicas together\n" +
	"  stream     rows that a second forecasts, scores and learns, for all replicas together. " +
	"Finding the rows of the tables and sending\n             data to the device count\n" +
	"  times ours a rival's time of a step and of a row of the stream, as multiples of ours: above 1 ours is faster\n" +
	"  share      the time of a step, or of a row of the stream, divided by the number of replicas\n" +
	"  compiling  seconds until the programs are ready; no other column has them\n" +
	"  left out   a line that would need more than 2 minutes or 4 GiB on a processor, or 8 minutes on a GPU, " +
	"as fewer replicas let expect\n\n" +
	"Each number is the median of several calls, without those that compile. " +
	"PyTorch and JAX do the same work if the Python of --python has\nthem.\n\n" +
	"Each finished line goes to OUT/bench.jsonl at once. After Ctrl-C or a kill the same command continues. " +
	"It takes a finished line over if\nprogram, machine, backend and settings are the same. Delete the file to measure again.\n\n" +
	"A flag of one workload, such as --task or --steps, prints a line of JSON in place of the table. " +
	"Bench then trains PHE for --steps steps\nof the initial phase, learns --chunks chunks of the stream, " +
	"and prints the scores and both times, without compilation. " +
	"If the steps make\nan epoch or more, they are rounded up to whole epochs. " +
	"With --export it computes nothing, and writes the task's data for programs in\nother frameworks."

func benchCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this machine trains the paper's models",
		Long:  benchHelp,
		Example: "  phe bench                                        the table, on the fastest installed backend of the processor\n" +
			"  phe bench --backend xla:cuda --python=           the table on an NVIDIA GPU, without PyTorch and JAX\n" +
			"  phe bench --json                                 the lines of the table as JSON\n" +
			"  phe bench --task adult --scheme moments --seeds 5 --steps 8500 --chunks 317\n" +
			"  phe bench --task ncf --batch 65536 --rows 1000003 --backend xla:cuda\n" +
			"  phe bench --task dkf --export out/dkf",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if slices.ContainsFunc(oneFlags, c.Flags().Changed) {
				return f.measure(c)
			}
			return f.table(c)
		},
	}
	c.Flags().StringVar(&f.out, "out", "out", "folder of bench.jsonl, which keeps the lines of the table")
	c.Flags().StringVar(&f.python, "python", "python3", "Python whose PyTorch and JAX the table measures too; empty leaves them out")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the lines of the table as JSON objects")
	c.Flags().StringVar(&f.only, "only", "", "measure only these lines of the table: a task and numbers of replicas, such as adult:1,5")
	c.Flags().StringVar(&f.one.Task, "task", "adult", "adult (a classifier), dkf (a deep Kalman filter of Retail) or ncf (a recommender)")
	c.Flags().StringVar((*string)(&f.one.Scheme), "scheme", "", "sampling scheme (default: the task's)")
	c.Flags().IntVar(&f.one.Seeds, "seeds", 1, "train seeds 0 … N−1 together in one program")
	c.Flags().IntVar(&f.one.Batch, "batch", 0, "number of rows in a step (default: the task's)")
	c.Flags().IntVar(&f.one.Rows, "rows", 0, "number of rows of the embedding table (default: the task's)")
	c.Flags().IntVar(&f.one.Steps, "steps", 1000, "number of steps of the initial phase")
	c.Flags().IntVar(&f.one.Chunks, "chunks", 0, "number of chunks of the stream; each is predicted, scored and learned")
	c.Flags().StringVar(&f.backend, "backend", backend.Auto, "auto, go, xla:cpu or xla:cuda")
	c.Flags().StringVar(&f.export, "export", "", "write the task's data to this folder, and do not train")
	for _, own := range []string{"out", "python", "only"} {
		for _, one := range oneFlags {
			c.MarkFlagsMutuallyExclusive(own, one)
		}
	}
	return c
}

// lines returns the task and the numbers of replicas of --only, or all.
func (f *benchFlags) lines() (task string, replicas []int, err error) {
	if f.only == "" {
		return "", []int{1, 5, 32, 256}, nil
	}
	task, list, _ := strings.Cut(f.only, ":")
	for number := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return "", nil, errors.Errorf("--only is %q; give a task and numbers of replicas, such as adult:1,5", f.only)
		}
		replicas = append(replicas, n)
	}
	slices.Sort(replicas)
	return task, replicas, nil
}

// table measures and prints the table. After Ctrl-C it prints the finished lines.
func (f *benchFlags) table(c *cobra.Command) error {
	task, replicas, err := f.lines()
	if err != nil {
		return err
	}
	on, err := backend.Open(f.backend)
	if err != nil {
		return err
	}
	program, err := programVersion()
	if err != nil {
		return err
	}
	name := backend.Resolve(f.backend)
	line := terminal.NewLine(c.ErrOrStderr(), "bench")
	processors := strings.Join(append(backend.GPUs(), machine.Processor()), ", ")
	b := bench.Bench{Backend: on, BackendName: name, Version: program, Machine: processors, Task: task, Replicas: replicas,
		File: filepath.Join(f.out, "bench.jsonl"), Python: f.python, Progress: line.Update,
		Say: func(note string) {
			line.Finish()
			fmt.Fprintln(c.ErrOrStderr(), note)
		}}
	lines, err := b.Run(c.Context())
	line.Finish()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.ErrOrStderr(), "stopped; %s keeps the finished lines, and the same command continues\n", b.File)
	} else if err == nil {
		fmt.Fprintf(c.ErrOrStderr(), "%s keeps these lines\n", b.File)
	}
	switch {
	case f.asJSON:
		return cmp.Or(printJSON(c.OutOrStdout(), lines), err)
	case len(lines) > 0:
		return cmp.Or(bench.Table(lines).Page().Print(c.OutOrStdout()), err)
	}
	return err
}

// programVersion returns the program's commit and the beginning of its checksum, because a checkout may have changes.
func programVersion() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", errors.Wrap(err, "cannot find this program; call it by its path")
	}
	content, err := os.ReadFile(path)
	return fmt.Sprintf("%s %.6x", machine.Commit(), sha256.Sum256(content)), errors.Wrap(err, "cannot read this program")
}

// measure prints the measurement of one workload.
func (f *benchFlags) measure(c *cobra.Command) (err error) {
	if f.export == "" {
		if f.one.Backend, err = backend.Open(f.backend); err != nil {
			return err
		}
		f.one.BackendName = backend.Resolve(f.backend)
	}
	w, err := bench.New(f.one)
	if err != nil {
		return err
	}
	if f.export != "" {
		return w.Export(f.export)
	}
	m, err := w.Time(c.Context())
	if err != nil {
		return errors.WithMessagef(err, "task %s", f.one.Task)
	}
	return printJSON(c.OutOrStdout(), []bench.Measurement{m})
}
