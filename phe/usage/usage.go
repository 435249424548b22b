// Package usage measures the processor time and the memory of this process. A number is 0 where the system does not give it.
package usage

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// ProcessorTime returns the time that the process has used of the processors so far. Other processes do not count.
func ProcessorTime() time.Duration {
	processor, _ := measured()
	return processor
}

// Peak returns the most memory that the process held since ResetPeak, in bytes.
func Peak() float64 {
	if peak := PeakOf(os.Getpid()); peak > 0 {
		return peak
	}
	_, peak := measured()
	return peak
}

// PeakOf returns the most memory that a process has held, in bytes. Only Linux gives it.
func PeakOf(process int) float64 { return account(fmt.Sprintf("/proc/%d/status", process), "VmHWM") }

// Resident returns the memory that the process holds now, in bytes. Only Linux gives it.
func Resident() float64 { return account("/proc/self/status", "VmRSS") }

// Virtual returns the addresses that the process has, in bytes. Only Linux gives it.
func Virtual() float64 { return account("/proc/self/status", "VmSize") }

// ResetPeak begins the count of Peak anew, where the system allows it (Linux): a study runs many specs in one process.
func ResetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where this fails, the peak counts from the start
}

// account reads a number of bytes from a file of Linux about memory.
func account(path, line string) float64 {
	content, _ := os.ReadFile(path)
	kB := regexp.MustCompile(line + `:\s+(\d+) kB`).FindSubmatch(content)
	if kB == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(string(kB[1]), 64)
	return 1024 * n
}

// Free returns the memory that this process can still take, in bytes: the least of the system's
// available memory, the control group's limit and the process's own limit. It is infinite where the system gives none of these.
func Free() float64 {
	free := cmp.Or(account("/proc/meminfo", "MemAvailable"), math.Inf(1))
	for _, files := range [][2]string{{"memory.max", "memory.current"}, {"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"}} {
		limit, errLimit := readNumber(files[0])
		used, errUsed := readNumber(files[1])
		if errLimit == nil && errUsed == nil {
			free = min(free, max(0, limit-used))
		}
	}
	return min(free, max(0, addressSpace()-Virtual()))
}

// readNumber reads a file of the control group. Its "max", which is no limit, gives an error.
func readNumber(name string) (float64, error) {
	content, err := os.ReadFile(filepath.Join("/sys/fs/cgroup", name))
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(content)), 64)
}
