// Package bench times programs that train the paper's models: this one, and rivals in other frameworks. It exports the workloads for the
// rivals, runs them, keeps the lines of the table of `phe bench`, and prints the table.
//
// To time one workload call New, then Workload.Time or Workload.Export. To measure the table fill in a Bench, and call Bench.Run and Table.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/phe/learn/backend"
	"gophe/phe/usage"
)

// work is a workload of the table.
type work struct {
	title, task   string
	steps, chunks int // of one call of the initial phase, and of the stream
}

// calls is the number of calls of the initial phase. The first one compiles.
const calls = 6

// worksOn returns the workloads of the table, and the limits of a line. On a GPU a call is an epoch. A processor takes fewer steps, because
// 256 replicas would take an hour.
func worksOn(backendName string) ([]work, limits) {
	if backendName == backend.XLACUDA {
		return []work{{"Adult PHE", "adult", 85, 20}, {"Retail DKF", "dkf", 87, 10}, {"Ratings NCF", "ncf", 277, 20}},
			limits{seconds: 8 * 60}
	}
	return []work{{"Adult PHE", "adult", 50, 6}, {"Retail DKF", "dkf", 10, 4}, {"Ratings NCF", "ncf", 10, 6}},
		limits{seconds: 2 * 60, bytes: 4 << 30}
}

// Bench measures the table of `phe bench`. It continues where a stopped one ended.
type Bench struct {
	Backend                       compute.Backend
	BackendName, Version, Machine string
	Task                          string // the only one to measure; all if empty
	Replicas                      []int  // ascending
	File                          string // of the finished lines
	Python                        string // that may have the rivals' frameworks; none if empty

	AllowAltered bool // accept a data file whose checksum is not the declared one
	Say          func(note string)
	Progress     func(done float64, doing string)

	works       []work
	limits      limits
	rivals      rivals
	kept        []Line // finished by earlier calls
	done, parts int
}

// Run measures the lines that are not finished, and returns all finished ones. A program that fails is not run on more replicas of the
// same work, and Run continues with the others.
func (b *Bench) Run(ctx context.Context) (lines []Line, err error) {
	if b.works == nil {
		b.works, b.limits = worksOn(b.BackendName)
	}
	if b.Task != "" {
		b.works = slices.DeleteFunc(b.works, func(w work) bool { return w.task != b.Task })
	}
	if len(b.works) == 0 {
		return nil, errors.Errorf("there is no task %q; choose adult, dkf or ncf", b.Task)
	}
	if b.kept, err = readLines(b.File); err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "phe-bench-*")
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a folder for data; set TMPDIR to another")
	}
	defer os.RemoveAll(scratch)
	var missing string
	if b.rivals, missing, err = findRivals(ctx, b.Python, scratch); err != nil {
		return nil, err
	}
	if missing != "" {
		b.Say(missing)
	}
	for _, work := range b.works {
		b.parts += len(b.Replicas) * len(b.programs(work))
	}
	failed := 0
	for _, work := range b.works {
		load := sync.OnceValues(func() (*Workload, error) {
			return New(Options{Task: work.task, Backend: b.Backend, BackendName: b.BackendName, Steps: work.steps, Repeat: calls,
				Chunks: work.chunks, AllowAltered: b.AllowAltered})
		})
		first := len(lines)
		for _, key := range b.programs(work) {
			own, err := b.program(ctx, load, key)
			if lines = append(lines, own...); ctx.Err() != nil {
				return lines, ctx.Err()
			}
			if err != nil {
				b.Say(fmt.Sprintf("%s failed on %s: %s", key.Program, work.title, err))
				failed++
			}
		}
		slices.SortStableFunc(lines[first:], func(a, b Line) int { return cmp.Compare(a.Replicas, b.Replicas) })
	}
	if failed > 0 {
		return lines, errors.Errorf("parts that failed, as said above: %d; the same command tries them again", failed)
	}
	return lines, nil
}

// programs returns the keys of the programs that do a work, without the number of replicas.
func (b *Bench) programs(work work) []Key {
	own := Key{Program: "gophe", Version: b.Version, Machine: b.Machine, Backend: b.BackendName, Flags: backend.Flags(),
		Work: work.title, Steps: work.steps, Chunks: work.chunks}
	keys := []Key{own}
	programs := []string{"jax", "torch-eager"}
	if own.Backend = "cpu"; b.BackendName == backend.XLACUDA {
		own.Backend, programs = "gpu", append(programs, "torch-graphs") // PyTorch may be faster by CUDA graphs
	}
	for _, own.Program = range programs {
		if version := b.rivals.version(own.Program); version != "" {
			own.Version = b.Version + " " + version
			keys = append(keys, own)
		}
	}
	return keys
}

// program measures a program on a workload, which load reads, with ever more replicas. Each line is on disk once it is measured.
func (b *Bench) program(ctx context.Context, load func() (*Workload, error), key Key) (lines []Line, err error) {
	for _, key.Replicas = range b.Replicas {
		i := slices.IndexFunc(b.kept, func(l Line) bool { return l.Key == key })
		if i < 0 {
			b.Progress(float64(b.done)/float64(b.parts), fmt.Sprintf("%s × %d, %s", key.Work, key.Replicas, key.Program))
			w, err := load()
			if err != nil {
				return lines, err
			}
			tables := 4 * 4 * float64(w.config.Encoder.NumParameters()) // parameters, gradients and Adam's two moments, in float32
			line := b.limits.expected(key, lines, tables)
			if line.LeftOut == "" {
				line, err = b.measure(ctx, w, line)
			}
			if err == nil {
				err = b.keep(line)
			}
			if err != nil {
				return lines, err
			}
			i = len(b.kept) - 1
		}
		lines = append(lines, b.kept[i])
		b.done++
	}
	return lines, nil
}

// measure fills in the times of a line.
func (b *Bench) measure(ctx context.Context, w *Workload, line Line) (Line, error) {
	if line.Program != "gophe" {
		return b.rivals.measure(ctx, line, w, b.limits)
	}
	own := *w
	own.Seeds = line.Replicas
	usage.ResetPeak()
	m, err := own.Time(ctx)
	line.take(m)
	line.PeakBytes = usage.Peak()
	return line, err
}
