package figures

import (
	"math"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// metric is the score that a figure shows.
type metric struct {
	name  string // in the table of package measure
	label string // of an axis
	means string // the measured quantity, if the score is an error
}

const (
	ofSales   = "the mean absolute error, in units sold, of the last quantity of a window of sales, "
	ofRatings = "the mean absolute error of a day's ratings, in % of five stars, by "
)

var (
	accuracy       = metric{measure.Accuracy, "Accuracy (%)", ""}
	reconstruction = metric{measure.AbsoluteError, "Reconstruction error (units)", ofSales + "reconstructed by a model that has read it"}
	forecast       = metric{measure.WholeError, "Forecast error (units)", testedForecast.means + "; windows that are padded do not count"}
	testedForecast = metric{measure.AbsoluteError, "Forecast error (units)", ofSales + "forecast from the sales before it"}
	sampleError    = metric{measure.SampleError, "Error (%)", ofRatings + "the samples of the prediction"}
	ratingError    = metric{measure.RatingError, "Error (%)", ofRatings + "the mean of the prediction"}
)

// isError reports whether less is better.
func (of metric) isError() bool { return measure.Named(of.name).Less }

// leads holds what figures call the main metrics of package measure. In the authors' program the scored quantity of a sale is itself
// an input, and a rating's error is the mean error of the prediction's samples.
var leads = map[string]metric{measure.SampleError: sampleError, measure.RatingError: ratingError, measure.WholeError: forecast,
	measure.AbsoluteError: reconstruction}

// leading returns the main metric of a method.
func leading(m *result.Method) metric {
	lead, known := leads[measure.Metrics(m)[0]]
	switch {
	case known:
		return lead
	case m.Protocol == protocol.Products && m.Convention == protocol.Authors:
		return reconstruction
	case m.Protocol == protocol.Products:
		return testedForecast
	}
	return accuracy
}

// drawn checks a score and returns it as figures show it: a share in %. A share must be in [0, 1]; an error must not be
// negative. An error says where the score is.
func (m *method) drawn(score float64, where string) float64 {
	of := m.metric
	switch {
	case of.isError() && !(score >= 0 && score <= math.MaxFloat64):
		m.source.fail("%s: %s: %s %v is not a number of at least 0", m.label, where, of.name, score)
	case !of.isError() && !(score >= 0 && score <= 1):
		m.source.fail("%s: %s: %s %v is not in [0, 1]", m.label, where, of.name, score)
	}
	return measure.Named(of.name).Scale * score
}

// average returns the label of the mean over test sets.
func (of metric) average() string {
	if of.isError() {
		return "Average error (units)"
	}
	return "Average " + strings.ToLower(of.label[:1]) + of.label[1:]
}

// bound limits the y axis, so that methods that fail do not press the others together. The axis of a share spans at most the given points.
func (of metric) bound(p *draw.Chart, points float64) {
	if of.isError() {
		p.Range.BestBelow = true
	} else {
		p.Range.Share, p.Range.MaxSpan = true, points
	}
}

// errorNotes explains the errors that a figure shows. Data sets with the same kind of error share a sentence.
func errorNotes(sources []*source) string {
	var kinds, says []string
	of := map[string][]string{} // the data sets of a kind
	for _, s := range sources {
		kind := s.metric().means
		kinds, of[kind] = append(kinds, kind), append(of[kind], s.dataset())
	}
	for i, kind := range kinds {
		if kind != "" && slices.Index(kinds, kind) == i {
			says = append(says, strings.Join(of[kind], " and ")+": "+kind+".")
		}
	}
	return sentences(says...)
}
