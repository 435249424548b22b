package run

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/gomlx/compute"

	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/phe/learn"
	"gophe/phe/learn/backend"
)

// worker does one job after the other on a backend of its own. Jobs of one shape share compiled programs.
type worker struct {
	backend compute.Backend
	shape   shape                    // of the last job
	roots   map[shape]*learn.Learner // without data, for forks
}

// forget frees the programs. Jobs of one shape follow each other, so that nobody misses them.
func (w *worker) forget() {
	for _, root := range w.roots {
		root.Close()
	}
	w.roots = map[shape]*learn.Learner{}
}

// shape holds everything that programs depend on, except the sizes of batches.
type shape struct {
	task       task.Task
	config     spec.Config
	runs, most int
}

func shapeOf(t task.Task, c spec.Config, runs, most int) shape {
	c.Config = c.Shape()
	return shape{t, c, runs, most}
}

// shape returns the shape of a job's initial model.
func (j *job) shape() shape {
	return shapeOf(j.model.task, j.model.config, len(j.seeds), j.plan.LargestStep())
}

// take returns the next job for a worker: one whose programs it has, or else one of a shape that no worker has begun. It is nil at the end.
func (r *run) take(w *worker) *job {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.jobs) == 0 {
		return nil
	}
	i := slices.IndexFunc(r.jobs, func(j *job) bool { return j.shape() == w.shape })
	if i < 0 {
		i = slices.IndexFunc(r.jobs, func(j *job) bool { return !slices.Contains(r.begun, j.shape()) })
	}
	j := r.jobs[max(i, 0)]
	r.jobs = slices.Delete(r.jobs, max(i, 0), max(i, 0)+1)
	if w.shape != j.shape() {
		w.forget()
	}
	w.shape = j.shape()
	r.begun = append(r.begun, w.shape)
	return j
}

// workerCount returns the number of jobs that run at a time: one a core on a CPU, but at most four, since each compiles its
// own programs. It returns 1 on a GPU, which a job fills alone.
func workerCount(name string) int {
	if name == backend.XLACUDA {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), 4)
}

// parallel describes how runs share the machine, for the manifest.
func parallel(name string) string {
	together := "all seeds in one program"
	if name == backend.Go {
		together = "each seed alone"
	}
	jobs := "one job at a time"
	if n := workerCount(name); n > 1 {
		jobs = fmt.Sprintf("%d jobs at a time", n)
	}
	return together + ", " + jobs
}
