package page

import (
	"math"
	"time"

	"gophe/phe/stream"
)

// point is the state of the stream at one time. Its counts and sums run from the beginning of the stream. The difference of two
// points covers the rows between them, so a dropped point costs only detail.
type point struct {
	Seconds float64  `json:"t"` // since the page began
	Rows    int64    `json:"rows"`
	Scores  []*ratio `json:"scores"` // by model; null for a model that has none
	Covered ratio    `json:"covered"`
	Novelty []int64  `json:"novelty"` // rows by how often their rarest item had been learned
	Load    number   `json:"load"`
	Alarms  int      `json:"alarms"`
	Changes int      `json:"changes"`
}

// ratio is a sum over rows and the weight of the rows. Their quotient is a mean.
type ratio [2]number

// newPoint returns the point of a moment.
func newPoint(m stream.Moment, since time.Duration) point {
	models := stream.ModelNames()
	p := point{Seconds: math.Round(since.Seconds()*1000) / 1000, Rows: m.Rows, Scores: make([]*ratio, len(models)), Load: number(m.Load),
		Alarms: m.Alarms, Changes: m.Changes, Novelty: make([]int64, len(stream.NoveltyNames()))}
	for i, name := range models {
		for _, s := range m.Models {
			if s.Name == name {
				p.Scores[i] = loss(m.Metric, s.All)
			}
		}
	}
	if len(m.Models) > 0 {
		all := m.Models[0].All
		p.Covered = ratio{number(all.Sum.Covered), number(all.Weight)}
	}
	for i, t := range m.Novelty {
		p.Novelty[i] = t.Rows
	}
	return p
}

// loss returns the sum and the weight whose quotient a metric shows. RMSE is the square root of the quotient.
func loss(metric string, t stream.Tally) *ratio {
	switch metric {
	case "RMSE":
		return &ratio{number(t.Sum.Square), number(t.Weight)}
	case "MAE":
		return &ratio{number(t.Sum.Absolute), number(t.Weight)}
	}
	return &ratio{number(t.Sum.LogLoss), number(t.Weight - t.Sum.Unknown)}
}

const (
	// maxPoints is the largest number of points.
	maxPoints = 480
	// firstSpacing is the time between two points of a short run.
	firstSpacing = 250 * time.Millisecond
	// early is the time by which a moment may come too early, since timers are not exact.
	early = 50 * time.Millisecond
)

// history is the whole run in a limited number of points. When it is full, it drops every second point and doubles the spacing.
type history struct {
	points     []point
	spacing    time.Duration
	tip        point // the newest point, whether it is kept or not
	generation int   // number of times that points were dropped
}

func newHistory() history {
	return history{points: make([]point, 0, maxPoints), spacing: firstSpacing}
}

// add takes the newest point. It keeps the point if the last kept one is old enough.
func (h *history) add(p point) {
	h.tip = p
	if n := len(h.points); n > 0 && p.Seconds-h.points[n-1].Seconds < (h.spacing-early).Seconds() {
		return
	}
	if len(h.points) == maxPoints {
		for i := range maxPoints / 2 {
			h.points[i] = h.points[2*i]
		}
		h.points = h.points[:maxPoints/2]
		h.spacing *= 2
		h.generation++
	}
	h.points = append(h.points, p)
}
