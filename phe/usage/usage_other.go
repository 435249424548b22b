//go:build !unix

package usage

import (
	"math"
	"time"
)

// measured returns zeros: the program does not know how to ask this system.
func measured() (processor time.Duration, peak float64) { return 0, 0 }

// addressSpace returns infinity: no limit is known.
func addressSpace() float64 { return math.Inf(1) }
