package data

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestLoadMemory loads the whole Covertype. The columns kept weigh 67 MB; in one piece instead of blocks gota takes 670 MB.
func TestLoadMemory(t *testing.T) {
	testPeakMemory(t, 300, func() {
		if table := loaded(t, "covertype"); table.NumRows() != 581012 {
			t.Errorf("%d rows", table.NumRows())
		}
	})
}

// TestGenerateMemory: 3.2 million ratings take 80 MB while they are made, of which 42 remain, and a process 20.
func TestGenerateMemory(t *testing.T) {
	testPeakMemory(t, 150, func() {
		if _, err := GenerateRatings(MovieLens32MShape().Scaled(0.1), 1); err != nil {
			t.Error(err)
		}
	})
}

// testPeakMemory calls do in a process of its own and looks at its peak memory.
func testPeakMemory(t *testing.T, limitMB int, do func()) {
	t.Helper()
	const child = "GOPHE_TEST_PEAK_MEMORY"
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("reads /proc, and takes some seconds")
	}
	if raceEnabled {
		t.Skip("the race detector's own memory would be measured")
	}
	if os.Getenv(child) != "" {
		do()
		kB := peakMemory(t)
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
