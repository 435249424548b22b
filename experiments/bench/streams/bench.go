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
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/result/machine"
	"gophe/phe/usage"
)

// bench measures the runs that its results lack.
type bench struct {
	programs
	streams []known
	only    []string // contenders to run; nil runs all
	maxRows int      // rows of each stream, for a trial; 0 takes all
	delay   int      // rows after which the label of a row comes
	work    string   // folder for the streams
	to      string   // file of the results, which is kept after each run
}

// run measures what is missing, or whose contender or stream has changed. It keeps every finished run, so that it can be stopped.
func (b *bench) run(ctx context.Context, out io.Writer) (*results, error) {
	r, err := read(b.to)
	if err != nil {
		return nil, err
	}
	if r.Versions, err = b.versions(); err != nil {
		return nil, err
	}
	r.Machine, r.Jobs, r.Commit = machine.Processor(), 1, machine.Commit()
	for _, s := range b.streams {
		fmt.Fprintf(out, "preparing %s\n", s.name)
		p, err := prepare(s, b.work, b.maxRows, b.delay)
		if err != nil {
			return nil, err
		}
		r.Streams = put(r.Streams, measured{s.name, len(p.truth), p.numeric, p.sha256}, func(m measured) bool { return m.Name == s.name })
		if err := b.along(ctx, out, r, p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// along measures the runs that the results lack along one stream, and keeps the results after each.
func (b *bench) along(ctx context.Context, out io.Writer, r *results, p *prepared) error {
	jobs := slices.DeleteFunc(jobsOf(p), func(j job) bool {
		done := r.find(j.task)
		unwanted := len(b.only) > 0 && !slices.Contains(b.only, j.Contender)
		return unwanted || done != nil && done.Version == r.Versions[j.Contender] && done.Data == p.check
	})
	fmt.Fprintf(out, "%d runs to do, %d in %s already\n", len(jobs), len(r.Runs), b.to)
	for _, j := range jobs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		own, err := b.one(ctx, p, j)
		if err != nil {
			return err
		}
		own.Version = r.Versions[j.Contender]
		r.Runs = put(r.Runs, own, func(other run) bool { return other.task == own.task })
		fmt.Fprintln(out, own)
		if err := r.write(b.to); err != nil {
			return err
		}
	}
	return nil
}

// one runs one job and scores its forecasts.
func (b *bench) one(ctx context.Context, p *prepared, j job) (own run, err error) {
	own = run{task: j.task, Data: p.check}
	if commands[j.Contender].words == "" {
		own.Score = p.scoreRule(j.Contender)
		return own, nil
	}
	scratch, err := os.MkdirTemp(b.work, "run")
	if err != nil {
		return own, errors.Wrap(err, "making a folder for forecasts; name another with --work")
	}
	defer os.RemoveAll(scratch)
	to := filepath.Join(scratch, "forecasts")
	if own.cost, err = execute(ctx, b.command(p, j, scratch, to)); err != nil {
		return own, err
	}
	own.Score, err = p.scoreFile(to)
	return own, errors.WithMessage(err, own.String())
}

// watchEvery is the time between two readings of a process's memory. A peak in the last moment may be missed.
const watchEvery = 10 * time.Millisecond

// execute runs a command to its end and returns its cost. When the context ends, the process is interrupted, and killed if it
// has not ended then. The peak of getrusage would not do: a child begins with its parent's.
func execute(ctx context.Context, command []string) (used cost, err error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "PYTHONHASHSEED=0")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	c.Stderr = &stderr
	start := time.Now()
	if err := c.Start(); err != nil {
		return used, errors.Wrapf(err, "starting %s", command[0])
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for running := true; running; {
		used.Peak = max(used.Peak, usage.PeakOf(c.Process.Pid))
		select {
		case <-time.After(watchEvery):
		case err = <-ended:
			running = false
		}
	}
	used.CPU, used.Wall = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), time.Since(start).Seconds()
	if ctx.Err() != nil {
		return cost{}, ctx.Err()
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	return used, errors.Wrapf(err, "%s: %s", strings.Join(command, " "), lines[len(lines)-1])
}
