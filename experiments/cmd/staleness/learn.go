package main

import (
	"math"

	"gophe/phe/belief"
	"gophe/phe/onepass"
)

// trial is a way to share one pass.
type trial struct {
	Learners int
	Chunk    int     // rows
	Share    float64 // bound on staleness; -1 sets none
	Rule     rule    `json:",omitempty"`
	Ideal    bool    `json:",omitempty"` // the belief is one learner's, and only the forecasts come from stale priors
	// Delayed learners never wait for each other: each contribution lacks the newest Learners−1 others. Learners otherwise learn in
	// rounds.
	Delayed bool `json:",omitempty"`
}

// outcome is the result of a trial.
type outcome struct {
	trial
	Loss    float64 // progressive log-loss, nats a row
	Lost    float64 // Loss less the loss of one learner that learns row by row
	AtWork  float64 // mean number of learners whose contribution counts
	LostEnd float64 // Lost in the last quarter
}

// one learns all rows by one learner and returns each row's loss.
func (m *model) one() ([]float64, error) {
	l, err := onepass.New(m.config)
	if err != nil {
		return nil, err
	}
	r, err := m.reader()
	if err != nil {
		return nil, err
	}
	losses := make([]float64, m.rows)
	for i := range losses {
		row, class := r.read(i)
		losses[i] = loss(l.Step(row, class), class)
	}
	return losses, nil
}

// worker learns chunks from the shared belief.
type worker struct {
	reader  *reader
	learner *onepass.Learner // without forgetting, so that its deltas hold the data's terms only
	stamp   []int            // by bucket: the last row that touched it
}

func (m *model) worker() (*worker, error) {
	r, err := m.reader()
	if err != nil {
		return nil, err
	}
	c := m.config
	c.Tau = 0
	l, err := onepass.New(c)
	return &worker{r, l, make([]int, c.Buckets)}, err
}

// learn returns the delta of rows from … to−1.
func (w *worker) learn(s *shared, from, to int, losses []float64) delta {
	s.load(w.learner)
	touches := map[int]int{}
	for i := from; i < to; i++ {
		row, class := w.reader.read(i)
		losses[i] = loss(w.learner.Step(row, class), class)
		if s.config.Tau == 0 {
			continue
		}
		for _, c := range row.Cells {
			for _, b := range c.Buckets {
				if w.stamp[b] != i+1 {
					w.stamp[b] = i + 1
					touches[int(b)]++
				}
			}
		}
	}
	d := s.since(w.learner)
	d.rows, d.touches = to-from, touches
	return d
}

// run learns all rows by several learners and returns each row's loss, as its learner forecast it.
func (m *model) run(t trial) (losses []float64, atWork float64, err error) {
	w, err := m.worker()
	if err != nil {
		return nil, 0, err
	}
	s := newShared(w.learner)
	s.config = m.config
	bound := belief.Bound{Share: t.Share}
	if t.Share < 0 {
		bound.Share = math.MaxFloat64
	}
	losses = make([]float64, m.rows)
	if t.Ideal {
		return losses, float64(t.Learners), m.ideal(w, t, losses)
	}
	if t.Delayed {
		return losses, m.delayed(s, w, t, bound, losses), nil
	}
	rounds := 0
	for at := 0; at < m.rows; rounds++ {
		var deltas []delta
		lack := bound.Lack(uint64(s.rows))
		for k := 0; k < t.Learners && at < m.rows && (k == 0 || float64(k*t.Chunk) <= lack); k++ {
			to := min(m.rows, at+t.Chunk)
			deltas = append(deltas, w.learn(s, at, to, losses))
			at = to
		}
		for _, d := range deltas {
			s.fold(d, t.Rule)
		}
	}
	return losses, float64((m.rows+t.Chunk-1)/t.Chunk) / float64(rounds), nil
}

// delayed folds each delta after the next Learners−1 deltas were begun. A delta that the bound refuses waits no longer: fewer
// learners are then at work.
func (m *model) delayed(s *shared, w *worker, t trial, bound belief.Bound, losses []float64) (atWork float64) {
	var waiting []delta
	begun, chunks := 0, 0
	for at := 0; at < m.rows || len(waiting) > 0; {
		most := min(t.Learners, 1+int(min(bound.Lack(uint64(s.rows))/float64(t.Chunk), 1e6)))
		for at < m.rows && len(waiting) < most {
			to := min(m.rows, at+t.Chunk)
			waiting = append(waiting, w.learn(s, at, to, losses))
			at = to
			chunks++
		}
		begun += len(waiting)
		s.fold(waiting[0], t.Rule)
		waiting = waiting[1:]
	}
	return float64(begun) / float64(chunks)
}

// ideal forecasts the rows of each round from the belief that one learner has at the round's beginning. No rule of a fold that
// learns in rounds can be expected to lose less.
func (m *model) ideal(w *worker, t trial, losses []float64) error {
	l, err := onepass.New(m.config)
	if err != nil {
		return err
	}
	r, err := m.reader()
	if err != nil {
		return err
	}
	for at := 0; at < m.rows; {
		s := newShared(l)
		s.config = m.config // the worker's does not forget
		for range t.Learners {
			to := min(m.rows, at+t.Chunk)
			w.learn(s, at, to, losses)
			for ; at < to; at++ {
				row, class := r.read(at)
				l.Step(row, class)
			}
		}
	}
	return nil
}
