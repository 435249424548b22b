package cluster

import (
	"slices"
	"time"
)

// numRecent is the number of contributions that rates and quantiles are taken over.
const numRecent = 4096

// measurement describes the fold of a contribution.
type measurement struct {
	at   time.Time
	lag  time.Duration // from the server's timestamp to the fold; negative if the follower was not at the end of the log yet
	rows uint64        // of the belief
}

// recent holds measurements of the last contributions.
type recent []measurement

// add adds a measurement, and drops the oldest if there are enough.
func (r *recent) add(m measurement) { *r = append((*r)[max(0, len(*r)+1-numRecent):], m) }

// rate returns the rows learned in a second.
func (r recent) rate() float64 {
	if len(r) == 0 {
		return 0
	}
	first, last := r[0], r[len(r)-1]
	return float64(last.rows-first.rows) / max(last.at.Sub(first.at), time.Microsecond).Seconds()
}

// lagP99 returns the 99th percentile of the lags, and 0 if there are none.
func (r recent) lagP99() time.Duration {
	var lags []time.Duration
	for _, m := range r {
		if m.lag >= 0 {
			lags = append(lags, m.lag)
		}
	}
	if len(lags) == 0 {
		return 0
	}
	slices.Sort(lags)
	return lags[int(0.99*float64(len(lags)))]
}

// moment is the time for which a follower counts as caught up: a contribution that was published just now does not change it.
const moment = 5 * time.Second

// FollowerMetrics describe a follower.
type FollowerMetrics struct {
	Position uint64 // contributions folded
	Rows     uint64
	End      uint64        // contributions of the log, as far as the follower knows
	Behind   uint64        // contributions that it has not folded yet
	CaughtUp bool          // a moment ago the follower was connected, and nothing was behind
	Age      time.Duration // time since the last fold
	RowsASec float64       // rows that the last contributions brought in a second
	LagP99   time.Duration // 99th percentile of the time from the server's timestamp of a contribution to its fold
	Learner  LearnerMetrics
	Saved    uint64 // checkpoints that Keep stored
	SavedAt  uint64 // contributions that the newest of them has folded
}

// Metrics returns the follower's metrics. Lags compare the clock of the server with the clock of this machine.
func (f *Follower) Metrics() FollowerMetrics {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.metrics
	m.Position, m.Rows = f.state.Position, f.state.Rows
	m.Behind = max(m.End, m.Position) - m.Position
	if m.Behind == 0 && f.err == nil && f.log.NATS.IsConnected() {
		f.caughtUp = time.Now()
	}
	m.CaughtUp = time.Since(f.caughtUp) < moment
	m.Age, m.RowsASec, m.LagP99 = time.Since(f.folded), f.recent.rate(), f.recent.lagP99()
	return m
}
