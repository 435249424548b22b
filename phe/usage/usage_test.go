package usage

import (
	"testing"
	"time"

	"gophe/phe/disk/filetest"
)

// A process that works uses processor time, and one that takes memory holds it.
func TestUsage(t *testing.T) {
	before := ProcessorTime()
	for start := time.Now(); time.Since(start) < 30*time.Millisecond; {
	}
	after := ProcessorTime()
	filetest.True(t, after > before, "processor time went from %v to %v", before, after)
	ResetPeak()
	const bytes = 64 << 20
	taken := make([]byte, bytes)
	for i := range taken {
		taken[i] = byte(i)
	}
	peak, resident := Peak(), Resident()
	filetest.True(t, min(peak, resident) > bytes,
		"a peak of %v bytes, resident %v, with %d bytes at byte %d", peak, resident, bytes, taken[77])
	filetest.True(t, Free() > 1e6, "%v bytes are free", Free())
}
