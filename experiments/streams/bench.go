package streams

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/pkg/errors"

	"gophe/experiments/progress"
)

// Bench measures the runs that its result lacks.
type Bench struct {
	Programs
	Streams []Stream
	Only    []string // contenders to run; nil runs all
	Most    int      // rows of each stream, for a trial; 0 takes all
	Jobs    int      // contenders that run at the same time
	Work    string   // folder for the streams
	To      string   // file of the result, which is kept after each run

	Machine, Commit string
}

// job is a task that is not finished yet.
type job struct {
	Task
	stream  *Prepared
	seconds float64 // about
}

// Run measures, and keeps every finished run. Called again, it goes on with those that are missing, or whose contender or
// stream has changed.
func (b *Bench) Run(ctx context.Context, out io.Writer) (*Result, error) {
	r, err := Read(b.To)
	if err != nil {
		return nil, err
	}
	versions, err := b.Versions()
	if err != nil {
		return nil, err
	}
	r.Machine, r.Jobs, r.Commit, r.Versions = b.Machine, b.Jobs, b.Commit, versions
	var jobs []job
	total := 0.0
	for _, s := range b.Streams {
		fmt.Fprintf(out, "preparing %s\n", s.Name)
		p, err := Prepare(s, b.Work, b.Most)
		if err != nil {
			return nil, err
		}
		r.stream(Measured{s.Name, p.Rows, p.Numeric, p.SHA256})
		for _, t := range Tasks(p) {
			done := r.find(t)
			if b.wants(t) && (done == nil || done.Version != versions[t.Contender] || done.Data != p.Check) {
				seconds := 0.3 + t.cost*float64(p.Rows)/1e6
				jobs = append(jobs, job{t, p, seconds})
				total += seconds
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	fmt.Fprintf(out, "%d runs to do, %d in %s already\n", len(jobs), len(r.Runs), b.To)
	return r, b.all(ctx, out, r, jobs, total)
}

func (b *Bench) wants(t Task) bool {
	if len(b.Only) == 0 {
		return true
	}
	for _, name := range b.Only {
		if t.Contender == name {
			return true
		}
	}
	return false
}

// all runs jobs, some at a time, and keeps the result after each.
func (b *Bench) all(ctx context.Context, out io.Writer, r *Result, jobs []job, total float64) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var lock sync.Mutex
	done, line := 0.0, progress.NewLine(out, "streams")
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var workers sync.WaitGroup
	for range max(1, b.Jobs) {
		workers.Go(func() {
			for j := range queue {
				if ctx.Err() != nil {
					return
				}
				run, err := b.one(ctx, j, r.Versions[j.Contender])
				lock.Lock()
				if err == nil {
					done += j.seconds
					r.put(run)
					err = r.Write(b.To)
					line.Finish()
					fmt.Fprintln(out, run)
					line.Update(done/total, fmt.Sprintf("%s %s", j.Stream, j.Contender))
				}
				lock.Unlock()
				if err != nil {
					stop(err)
					return
				}
			}
		})
	}
	workers.Wait()
	line.Finish()
	return context.Cause(ctx)
}

// one runs one job and scores its forecasts.
func (b *Bench) one(ctx context.Context, j job, version string) (Run, error) {
	p := j.stream
	run := Run{Task: j.Task, Version: version, Data: p.Check}
	switch j.Contender {
	case BaseRate:
		run.Score = baseRate(p.Truth, p.Numeric)
		return run, nil
	case NoChange:
		run.Score = noChange(p.Truth, p.Numeric)
		return run, nil
	}
	scratch, err := os.MkdirTemp(b.Work, "run")
	if err != nil {
		return run, errors.Wrap(err, "making a folder for forecasts; name another with --work")
	}
	defer os.RemoveAll(scratch)
	to := filepath.Join(scratch, "forecasts")
	used, err := measure(ctx, b.command(p, j.Task, scratch, to))
	if err != nil {
		return run, err
	}
	run.CPU, run.Wall, run.Peak = used.cpu, used.wall, used.peak
	run.Score, err = ScoreFile(to, p.Truth, p.Numeric)
	return run, errors.WithMessage(err, run.String())
}

// String is a line about the run.
func (r Run) String() string {
	text := fmt.Sprintf("%-10s %s", r.Stream, r.Contender)
	if r.Setting != "" {
		text += ", " + r.Setting
	}
	if r.Memory > 0 {
		text += ", " + memoryText(r.Memory)
	}
	if r.Seed > 0 {
		text += fmt.Sprintf(", seed %d", r.Seed)
	}
	return fmt.Sprintf("%-70s late %.4f, all %.4f; %.1f s, %.0f MB", text, r.Score.Late, r.Score.All, r.CPU, r.Peak/1e6)
}

func memoryText(bytes int) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%dM", bytes>>20)
	}
	return fmt.Sprintf("%dK", bytes>>10)
}
