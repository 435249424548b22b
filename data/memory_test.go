package data

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestLoadMemory loads the whole Covertype in a process of its own and looks at its peak memory. The columns kept weigh
// 67 MB; in one piece instead of blocks gota takes 670 MB.
func TestLoadMemory(t *testing.T) {
	const child, limitMB = "GOPHE_TEST_LOAD_MEMORY", 300
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("reads /proc, and takes some seconds")
	}
	if os.Getenv(child) != "" {
		if table := loaded(t, "covertype"); table.NumRows() != 581012 {
			t.Errorf("%d rows", table.NumRows())
		}
		kB := peakMemory(t)
		t.Logf("peak memory %d MB", kB/1000)
		if kB/1000 > limitMB {
			t.Errorf("the peak is above %d MB", limitMB)
		}
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestLoadMemory$", "-test.v")
	command.Env = append(os.Environ(), child+"=1")
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "peak memory") {
		t.Errorf("%v:\n%s", err, output)
	}
}

// peakMemory returns the most memory that this process has held so far, in kB.
func peakMemory(t testing.TB) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	kB, err := strconv.Atoi(strings.Fields(peak)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kB
}

func BenchmarkLoadCovertype(b *testing.B) {
	b.Setenv(PathVariable, "")
	b.ReportAllocs()
	b.SetBytes(75170064)
	for b.Loop() {
		if _, err := Load("covertype", Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
