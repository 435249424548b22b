package page

import (
	"slices"
	"time"

	"gophe/phe/stream"
	"gophe/phe/stream/novelty"
	"gophe/phe/stream/score"
)

// point is the state of the stream at one time. Its counts and sums run from the beginning of the stream. The difference of two
// points covers the rows between them, so a dropped point costs only detail.
type point struct {
	Seconds float64 `json:"t"` // since the page began
	Rows    int64   `json:"rows"`
	Load    number  `json:"load"`
	Alarms  int     `json:"alarms"`
	Changes int     `json:"changes"`
}

// block is the score of some rows that follow one another. The blocks cover the stream from its first scored row on.
type block struct {
	Rows    int64   `json:"rows"`
	Scores  []ratio `json:"scores"`  // by model; zero for a model that has none
	Novelty []int64 `json:"novelty"` // rows by how often their rarest item had been learned; zero if that is not known
}

// ratio is a sum over rows and the weight of the rows. Their quotient is a mean.
type ratio [2]number

// newCourse returns the blocks of a moment.
func newCourse(m stream.Moment) (course []block) {
	names := score.ModelNames()
	for _, s := range m.Models {
		at := slices.Index(names, s.Name)
		for i, t := range s.Course.Tally {
			if i == len(course) {
				course = append(course, block{t.Rows, make([]ratio, len(names)), make([]int64, len(novelty.Names()))})
			}
			course[i].Scores[at] = loss(m.Metric, t)
			if i < len(s.Course.Novelty) {
				copy(course[i].Novelty, s.Course.Novelty[i][:])
			}
		}
	}
	return course
}

// loss returns the sum and the weight whose quotient a metric shows. RMSE is the square root of the quotient.
func loss(metric string, t score.Tally) ratio {
	switch metric {
	case "RMSE":
		return ratio{number(t.Sum.Square), number(t.Weight)}
	case "MAE":
		return ratio{number(t.Sum.Absolute), number(t.Weight)}
	}
	return ratio{number(t.Sum.LogLoss), number(t.Weight - t.Sum.Unknown)}
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
	tip        point   // the newest point, whether it is kept or not
	course     []block // only the last one grows
	generation int     // number of times that points were dropped or full blocks changed
}

func newHistory() history {
	return history{points: make([]point, 0, maxPoints), spacing: firstSpacing}
}

// add takes the newest point and the course. It keeps the point if the last kept one is old enough.
func (h *history) add(p point, course []block) {
	full := max(0, len(h.course)-1)
	same := func(a, b block) bool { return slices.Equal(a.Scores, b.Scores) }
	if len(course) < len(h.course) || !slices.EqualFunc(course[:full], h.course[:full], same) {
		h.generation++
	}
	h.tip, h.course = p, course
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
