//go:build unix

package usage

import (
	"math"
	"runtime"
	"syscall"
	"time"
)

// measured returns the processor time of this process, and the most memory that it ever held, in bytes.
func measured() (processor time.Duration, peak float64) {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0, 0
	}
	unit := 1024.0 // Linux counts KiB
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), float64(used.Maxrss) * unit
}

// addressSpace returns the limit of the process's addresses, in bytes; infinity without one.
func addressSpace() float64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur < math.MaxInt64 {
		return float64(limit.Cur)
	}
	return math.Inf(1)
}
