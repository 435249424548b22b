package cluster

import (
	"slices"
	"time"

	"gophe/phe/internal/fold"
)

// numRecent is the number of contributions that rates and quantiles are taken over.
const numRecent = 4096

// recent holds measurements of the last contributions.
type recent struct {
	at    [numRecent]time.Time
	lag   [numRecent]time.Duration // from the server's timestamp to the fold; negative if the follower was not at the end of the log yet
	rows  [numRecent]uint64
	count int
}

func (r *recent) add(at time.Time, lag time.Duration, rows uint64, live bool) {
	i := r.count % numRecent
	if lag = max(lag, 0); !live { // clocks of two machines may differ
		lag = -1
	}
	r.at[i], r.lag[i], r.rows[i] = at, lag, rows
	r.count++
}

// rate returns the rows learned in a second.
func (r *recent) rate() float64 {
	if r.count < 2 {
		return 0
	}
	last, first := (r.count-1)%numRecent, 0
	if r.count > numRecent {
		first = r.count % numRecent
	}
	seconds := r.at[last].Sub(r.at[first]).Seconds()
	if !(seconds > 0) {
		return 0
	}
	return float64(r.rows[last]-r.rows[first]) / seconds
}

// lagP99 returns the 99th percentile of the lags, and 0 if there are none.
func (r *recent) lagP99() time.Duration {
	lags := slices.DeleteFunc(slices.Clone(r.lag[:min(r.count, numRecent)]), func(d time.Duration) bool { return d < 0 })
	if len(lags) == 0 {
		return 0
	}
	slices.Sort(lags)
	return lags[int(0.99*float64(len(lags)))]
}

// FollowerMetrics describe a follower.
type FollowerMetrics struct {
	Position uint64 // contributions folded
	Rows     uint64
	Counted  uint64
	Repeated uint64
	Refused  uint64
	End      uint64        // contributions of the log, as far as the follower knows
	Behind   uint64        // contributions that it has not folded yet
	CaughtUp bool          // connected, and nothing is behind
	Age      time.Duration // time since the last fold
	RowsASec float64       // rows that the last contributions brought in a second
	LagP99   time.Duration // 99th percentile of the time from the server's timestamp of a contribution to its fold
	Learner  learnerMetrics
	Saved    uint64 // checkpoints that Keep stored
	SavedAt  uint64 // contributions that the newest of them has folded
}

// verdicts returns the number of contributions of each verdict.
func verdicts(s *fold.State) (counted, repeated, refused uint64) {
	v := s.Verdicts
	return v[fold.Counted], v[fold.Repeated], v[fold.Refused]
}

// Metrics returns the follower's metrics. Lags compare the clock of the server with the clock of this machine.
func (f *Follower) Metrics() FollowerMetrics {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.state
	m := FollowerMetrics{Position: s.Position, Rows: s.Rows, End: f.end, Age: time.Since(f.folded), RowsASec: f.recent.rate()}
	m.Counted, m.Repeated, m.Refused = verdicts(s)
	m.Behind = max(f.end, s.Position) - s.Position
	m.CaughtUp = m.Behind == 0 && f.err == nil && f.log.nc.IsConnected()
	m.LagP99 = f.recent.lagP99()
	if f.learner != nil {
		m.Learner = f.learner.work()
	}
	if f.keeper != nil {
		m.Saved, m.SavedAt = f.keeper.saved.Load(), f.keeper.position.Load()
	}
	return m
}
