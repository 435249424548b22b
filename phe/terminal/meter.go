package terminal

import (
	"fmt"
	"time"
)

// Meter estimates the time that is left. It uses the speed of the last half of the time so far, since the phases of a run differ in
// speed. Its time begins after the first step, for which programs are compiled. The zero value is ready.
type Meter struct {
	start time.Time
	moved bool   // the first step is done
	marks []mark // ascending in time; the first is as old as half the time so far, if there is one
}

type mark struct {
	at   time.Time
	done float64
}

// An estimate needs minSpan of time, and until earlySpan also earlyShare of the work.
const (
	minSpan    = 2 * time.Second
	earlySpan  = 30 * time.Second
	earlyShare = 0.01
)

// update notes that a share of the work, in [0, 1], was done at a time. It returns the time left. ok is false while there is no
// estimate.
func (m *Meter) update(now time.Time, done float64) (left time.Duration, ok bool) {
	first := !m.moved && len(m.marks) > 0 && done > m.marks[0].done
	if len(m.marks) == 0 || done == 0 || first { // data are read before work begins, at a speed of their own
		m.start, m.marks, m.moved = now, nil, first
	}
	soFar := now.Sub(m.start)
	if n := len(m.marks); n == 0 || now.Sub(m.marks[n-1].at) > soFar/200 { // a mark costs memory
		m.marks = append(m.marks, mark{now, done})
	}
	for len(m.marks) > 1 && now.Sub(m.marks[1].at) >= soFar/2 {
		m.marks = m.marks[1:]
	}
	from := m.marks[0]
	if soFar < minSpan || done <= from.done || soFar < earlySpan && done-from.done < earlyShare {
		return 0, false
	}
	return time.Duration(float64(now.Sub(from.at)) * (1 - done) / (done - from.done)), true
}

// Text returns a share done and the time left, for people: "37 %, about 12s left".
func (m *Meter) Text(now time.Time, done float64) string {
	left, ok := m.update(now, done)
	if !ok {
		return fmt.Sprintf("%.0f %%", 100*done)
	}
	return fmt.Sprintf("%.0f %%, about %s left", 100*done, left.Round(time.Second))
}
