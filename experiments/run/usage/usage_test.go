package usage

import (
	"testing"
	"time"
)

// A process that works uses processor time, and one that takes memory holds it.
func TestUsage(t *testing.T) {
	before := ProcessorTime()
	for start := time.Now(); time.Since(start) < 30*time.Millisecond; {
	}
	if after := ProcessorTime(); !(after > before) {
		t.Errorf("processor time went from %v to %v", before, after)
	}
	ResetPeak()
	const bytes = 64 << 20
	taken := make([]byte, bytes)
	for i := range taken {
		taken[i] = byte(i)
	}
	if peak := Peak(); !(peak > bytes) || !(Resident() > bytes) {
		t.Errorf("a peak of %v bytes, resident %v, with %d bytes at byte %d", peak, Resident(), bytes, taken[77])
	}
	if free := Free(); !(free > 1e6) {
		t.Errorf("%v bytes are free", free)
	}
}
