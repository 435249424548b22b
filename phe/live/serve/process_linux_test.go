package serve

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
)

var began = float64(time.Now().Unix())

// TestProcess compares the numbers of the process with other answers of the system.
func TestProcess(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{})
	system := func() (list [5]float64) {
		var used syscall.Rusage
		filetest.Check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		list[0], list[4] = float64(used.Utime.Nano()+used.Stime.Nano())/1e9, began
		filetest.Must(fmt.Sscan(string(filetest.Must(os.ReadFile("/proc/self/statm"))(t)), &list[1], &list[2]))(t)
		for fd := range 1024 {
			if syscall.Fstat(fd, new(syscall.Stat_t)) == nil {
				list[3]++
			}
		}
		return list
	}
	before, text, after := system(), call(t, s, "GET", "/metrics", "").body, system()
	filetest.WantWords(t, text, `gophe_build_info{version="`, fmt.Sprintf("goversion=%q} 1\n", runtime.Version()))
	page := float64(os.Getpagesize())
	for i, name := range []string{"cpu_seconds_total", "virtual_memory_bytes", "resident_memory_bytes", "open_fds", "start_time_seconds"} {
		unit, near := [5]float64{1, page, page, 1, 1}[i], [5]float64{.03, 1 << 26, 4 << 20, 0, 60}[i]
		var got float64
		_, number, _ := strings.Cut(text, "\nprocess_"+name+" ")
		filetest.Must(fmt.Sscan(number, &got))(t)
		least, most := unit*min(before[i], after[i])-near, unit*max(before[i], after[i])+near
		filetest.True(t, least <= got && got <= most, "%s is %v, want %v to %v", name, got, least, most)
	}
}
