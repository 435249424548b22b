package bench

import (
	"fmt"
	"math"
	"strings"
)

// Limits are the time and the memory that measuring a figure may take.
type Limits struct {
	Seconds float64
	Bytes   float64 // of the process; 0 is no limit
}

// Expected returns the line of a key before it is measured. Time and memory are estimated from the finished lines of fewer replicas,
// and a figure that would exceed a limit is left out. perReplica is the size of a replica's tables while they are trained, in bytes.
// Memory grows by at least that much for each replica.
func (l Limits) Expected(key Key, fewer []Line, perReplica float64) Line {
	line := Line{Key: key}
	if len(fewer) == 0 {
		return line
	}
	last := fewer[len(fewer)-1]
	before := Line{PeakBytes: last.PeakBytes} // no replica takes no time, and the memory is the programs' and the data's
	if len(fewer) > 1 {
		before = fewer[len(fewer)-2]
	}
	more := float64(key.Replicas-last.Replicas) / float64(last.Replicas-before.Replicas)
	line.CompileSeconds = last.CompileSeconds
	line.PeakBytes = last.PeakBytes + max(more*(last.PeakBytes-before.PeakBytes), perReplica*float64(key.Replicas-last.Replicas))
	line.Step = l.Figure(line, last.Step.Needs+more*max(0, last.Step.Needs-before.Step.Needs))
	line.Row = l.Figure(line, last.Row.Needs+more*max(0, last.Row.Needs-before.Row.Needs))
	return line
}

// Figure returns a figure that will need some seconds in addition to compilation. It is left out where the limits say so.
func (l Limits) Figure(line Line, needs float64) Figure {
	f := Figure{Needs: needs}
	var over []string
	if l.Bytes > 0 && line.PeakBytes > l.Bytes {
		over = append(over, fmt.Sprintf("%.1f GiB", line.PeakBytes/(1<<30)))
	}
	if seconds := line.CompileSeconds + needs; seconds > l.Seconds {
		over = append(over, fmt.Sprintf("%.0f min", math.Ceil(seconds/60)))
	}
	if len(over) > 0 {
		f.LeftOut = "left out: needs " + strings.Join(over, " / ")
	}
	return f
}
