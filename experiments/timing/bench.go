package timing

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/experiments/bench"
	"gophe/experiments/machine"
	"gophe/phe/backend"
)

// Work is a workload of the table.
type Work struct {
	Title, Task string
	Steps       int // of one call of the initial phase; 0 is an epoch
	Chunks      int // of one pass along the stream
	Rivals      []string
}

// Works returns the workloads of the table. On a GPU a call is an epoch, as in the studies, and PyTorch may be faster by CUDA graphs. A
// processor takes fewer steps, because 256 replicas would take an hour. Nobody wrote the filter in JAX.
func Works(backendName string) []Work {
	if backendName == backend.XLACUDA {
		return []Work{
			{"Adult PHE", "adult", 0, 10, []string{"jax", "torch-eager", "torch-graphs"}},
			{"Retail DKF", "dkf", 0, 5, []string{"torch-eager", "torch-graphs"}},
			{"Ratings NCF", "ncf", 0, 10, []string{"jax", "torch-eager", "torch-graphs"}},
		}
	}
	return []Work{
		{"Adult PHE", "adult", 85, 10, []string{"jax", "torch-eager"}},
		{"Retail DKF", "dkf", 15, 2, []string{"torch-eager"}},
		{"Ratings NCF", "ncf", 15, 4, []string{"jax", "torch-eager"}},
	}
}

// LimitsOf returns what a figure may take: two minutes and 4 GiB on a processor, and eight minutes on a GPU.
func LimitsOf(backendName string) bench.Limits {
	if backendName == backend.XLACUDA {
		return bench.Limits{Seconds: 8 * 60}
	}
	return bench.Limits{Seconds: 2 * 60, Bytes: 4 << 30}
}

// Bench measures the table of `phe bench`. It goes on where a stopped one ended.
type Bench struct {
	Backend                       compute.Backend
	BackendName, Version, Machine string
	Works                         []Work
	Replicas                      []int // ascending
	Limits                        bench.Limits
	LeastLap                      float64 // seconds of a repetition
	File                          bench.File
	Python                        string // that may have the rivals' frameworks; none if empty

	AllowAltered bool // accept a data file whose checksum is not the declared one
	Say          func(note string)
	Progress     func(done float64, doing string)

	rivals      bench.Rivals
	kept        []bench.Line // finished, also by earlier calls
	done, parts int
}

// own is this program's name among the programs.
const own = "gophe"

// job is a workload under way. Its data are loaded when a line needs them.
type job struct {
	Work
	loaded   *Workload
	exported bool
}

// Run measures the lines that are not finished, and returns all finished ones. A program that fails is not run on more replicas of the
// same work, and Run goes on with the others.
func (b *Bench) Run(ctx context.Context) (lines []bench.Line, err error) {
	if b.kept, err = b.File.Lines(); err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "phe-bench-*")
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a folder for data; set TMPDIR to another")
	}
	defer os.RemoveAll(scratch)
	rivals, missing, err := bench.FindRivals(ctx, b.Python, scratch)
	if err != nil {
		return nil, err
	}
	if b.rivals = rivals; missing != "" {
		b.Say(missing)
	}
	for _, work := range b.Works {
		b.parts += len(b.Replicas) * len(b.programs(work))
	}
	failed := 0
	for _, work := range b.Works {
		j := &job{Work: work}
		first := len(lines)
		for _, key := range b.programs(work) {
			own, failure, err := b.program(ctx, j, key)
			lines = append(lines, own...)
			if err != nil {
				return lines, err
			}
			if failure != nil {
				b.Say(failure.Error())
				failed++
			}
		}
		slices.SortStableFunc(lines[first:], func(a, b bench.Line) int { return cmp.Compare(a.Replicas, b.Replicas) })
	}
	if failed > 0 {
		return lines, errors.Errorf("%d programs failed, as said above; the same command tries them again", failed)
	}
	return lines, nil
}

// programs returns the keys of the programs that do a work, without the number of replicas.
func (b *Bench) programs(work Work) []bench.Key {
	keys := []bench.Key{{Program: own, Backend: b.BackendName, Device: machine.Device(b.Backend)}}
	device := "cpu"
	if b.BackendName == backend.XLACUDA {
		device = "gpu"
	}
	for _, rival := range b.rivals.Of(work.Rivals) {
		rival.Backend = device
		keys = append(keys, rival)
	}
	for i := range keys {
		k := &keys[i]
		k.Version = strings.TrimSpace(b.Version + " " + k.Version)
		k.Machine, k.Flags, k.Work, k.Steps, k.Chunks = b.Machine, os.Getenv("XLA_FLAGS"), work.Title, work.Steps, work.Chunks
	}
	return keys
}

// program returns a program's lines of a workload, with ever more replicas. Each line is on disk as soon as it is measured. A failure of
// the program ends them.
func (b *Bench) program(ctx context.Context, j *job, key bench.Key) (lines []bench.Line, failure, err error) {
	for _, key.Replicas = range b.Replicas {
		line := bench.Find(b.kept, key)
		if line == nil {
			if err := j.load(b.AllowAltered); err != nil {
				return lines, nil, err
			}
			measured, failure := b.measure(ctx, j, b.Limits.Expected(key, lines, j.loaded.tableBytes()))
			if ctx.Err() != nil {
				return lines, nil, ctx.Err()
			}
			if failure != nil {
				return lines, errors.WithMessagef(failure, "%s failed on %s × %d", key.Program, key.Work, key.Replicas), nil
			}
			if err := b.File.Append(&measured); err != nil {
				return lines, nil, err
			}
			line = &measured
		}
		lines = append(lines, *line)
		b.done++
	}
	return lines, nil, nil
}

// measure fills in the figures of a line that are not left out.
func (b *Bench) measure(ctx context.Context, j *job, line bench.Line) (bench.Line, error) {
	tell := func(doing string) {
		b.Progress(float64(b.done)/float64(b.parts), fmt.Sprintf("%s × %d, %s: %s", line.Work, line.Replicas, line.Program, doing))
	}
	switch {
	case line.Program == own:
		return j.loaded.measure(ctx, b, line, tell)
	case line.Step.LeftOut != "":
		line.Row.LeftOut = line.Step.LeftOut
		return line, nil
	}
	tell("compiling, steps and the stream")
	if !j.exported {
		if err := j.loaded.Export(b.rivals.Data(j.Task)); err != nil {
			return line, err
		}
		j.exported = true
	}
	return b.rivals.Measure(ctx, line, j.Task, j.loaded.callSteps(j.Steps), j.loaded.chunkRows(j.Chunks), b.Limits)
}

func (j *job) load(allowAltered bool) (err error) {
	if j.loaded == nil {
		j.loaded, err = New(j.Task, Shape{AllowAltered: allowAltered})
	}
	return err
}

// tableBytes returns the size of a replica's tables while they are trained: parameters, gradients, and Adam's two moments, in float32.
func (w *Workload) tableBytes() float64 { return 4 * 4 * float64(w.config.Encoder.NumParameters()) }
