package run

import (
	"fmt"
	"gophe/phe/backend"
	"runtime"
)

// workerCount returns the number of jobs that run at a time: one a core on a CPU, but at most four, since each compiles its
// own programs. It returns 1 on a GPU, which a job fills alone.
func workerCount(name string) int {
	if name == backend.XLACUDA {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), 4)
}

// parallel tells how runs share the machine, for the manifest.
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
