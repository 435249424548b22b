package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sync/errgroup"

	"gophe/experiments/progress"
	"gophe/experiments/usage"
)

// bench measures the runs that its results lack.
type bench struct {
	programs
	streams []known
	only    []string // contenders to run; nil runs all
	most    int      // rows of each stream, for a trial; 0 takes all
	jobs    int      // contenders that run at the same time
	work    string   // folder for the streams
	to      string   // file of the results, which is kept after each run

	machine, commit string
}

// job is a task that is not finished yet.
type job struct {
	task
	stream  *prepared
	seconds float64 // about
}

// run measures, and keeps every finished run. Called again, it continues with those that are missing, or whose contender or
// stream has changed.
func (b *bench) run(ctx context.Context, out io.Writer) (*results, error) {
	r, err := read(b.to)
	if err != nil {
		return nil, err
	}
	versions, err := b.versions()
	if err != nil {
		return nil, err
	}
	r.Machine, r.Jobs, r.Commit, r.Versions = b.machine, b.jobs, b.commit, versions
	var jobs []job
	for _, s := range b.streams {
		fmt.Fprintf(out, "preparing %s\n", s.name)
		p, err := prepare(s, b.work, b.most)
		if err != nil {
			return nil, err
		}
		r.Streams = put(r.Streams, measured{s.name, len(p.truth), p.numeric, p.sha256}, measured.key)
		for _, t := range tasks(p) {
			done := r.find(t)
			wanted := len(b.only) == 0 || slices.Contains(b.only, t.Contender)
			if wanted && (done == nil || done.Version != versions[t.Contender] || done.Data != p.check) {
				jobs = append(jobs, job{t, p, 0.3 + t.perRow*float64(len(p.truth))/1e6})
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	fmt.Fprintf(out, "%d runs to do, %d in %s already\n", len(jobs), len(r.Runs), b.to)
	return r, b.all(ctx, out, r, jobs)
}

// all runs jobs, some at a time, and keeps the results after each.
func (b *bench) all(ctx context.Context, out io.Writer, r *results, jobs []job) error {
	done, total, line := 0.0, 0.0, progress.NewLine(out, "streams")
	defer line.Finish()
	var lock sync.Mutex
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(1, b.jobs))
	for _, j := range jobs {
		total += j.seconds
	}
	for _, j := range jobs {
		work.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			own, err := b.one(ctx, j, r.Versions[j.Contender])
			if err != nil {
				return err
			}
			lock.Lock()
			defer lock.Unlock()
			done += j.seconds
			r.Runs = put(r.Runs, own, run.key)
			line.Finish()
			fmt.Fprintln(out, own)
			line.Update(done/total, fmt.Sprintf("%s %s", j.Stream, j.Contender))
			return r.write(b.to)
		})
	}
	return work.Wait()
}

// one runs one job and scores its forecasts.
func (b *bench) one(ctx context.Context, j job, version string) (own run, err error) {
	p := j.stream
	own = run{task: j.task, Version: version, Data: p.check}
	if score, ok := map[string]func() (scores, error){baseRate: p.scoreBaseRate, noChange: p.scoreNoChange}[j.Contender]; ok {
		own.Score, err = score()
		return own, err
	}
	scratch, err := os.MkdirTemp(b.work, "run")
	if err != nil {
		return own, errors.Wrap(err, "making a folder for forecasts; name another with --work")
	}
	defer os.RemoveAll(scratch)
	to := filepath.Join(scratch, "forecasts")
	if own.cost, err = measure(ctx, b.command(p, j.task, scratch, to)); err != nil {
		return own, err
	}
	own.Score, err = p.scoreFile(to)
	return own, errors.WithMessage(err, own.String())
}

// watchEvery is the time between two looks at a process. Its peak may be missed if it comes in the last moment.
const watchEvery = 10 * time.Millisecond

// measure runs a command to its end and returns its cost. When the context ends, the process is interrupted, and killed if it
// has not ended then. The peak of getrusage would not do: a child begins with its parent's.
func measure(ctx context.Context, command []string) (used cost, err error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "PYTHONHASHSEED=0")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	c.Stderr = &said
	start := time.Now()
	if err := c.Start(); err != nil {
		return used, errors.Wrapf(err, "starting %s", command[0])
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for running := true; running; {
		used.Peak = max(used.Peak, usage.PeakOf(c.Process.Pid))
		select {
		case <-tick.C:
		case err = <-ended:
			running = false
		}
	}
	used.CPU, used.Wall = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), time.Since(start).Seconds()
	if ctx.Err() != nil {
		return cost{}, ctx.Err()
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return used, errors.Wrapf(err, "%s: %s", strings.Join(command, " "), lines[len(lines)-1])
}
