//go:build !unix

package usage

import (
	"math"
	"time"
)

// measured returns zeros: this system is not asked.
func measured() (processor time.Duration, peak float64) { return 0, 0 }

// addressSpace returns infinity: no limit is known.
func addressSpace() float64 { return math.Inf(1) }
