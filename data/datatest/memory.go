package datatest

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// LimitPeak calls do in a process of its own and checks that process's peak memory. Where that cannot be told, it only calls do.
func LimitPeak(t *testing.T, limitMB int, do func()) {
	t.Helper()
	const child = "GOPHE_TEST_PEAK_MEMORY"
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	if runtime.GOOS != "linux" || race { // the race detector's own memory would be measured
		do()
		return
	}
	if os.Getenv(child) != "" {
		do()
		status := filetest.Must(os.ReadFile("/proc/self/status"))(t)
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		kB := filetest.Must(strconv.Atoi(strings.Fields(peak)[0]))(t)
		t.Logf("peak memory %d MB", kB/1000)
		if kB/1000 > limitMB {
			t.Errorf("the peak is above %d MB", limitMB)
		}
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	command.Env = append(os.Environ(), child+"=1")
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "peak memory") {
		t.Errorf("%v:\n%s", err, output)
	}
	t.Logf("%s", output)
}
