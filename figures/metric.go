package figures

import (
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
)

// metric is the score that a figure shows of a method.
type metric struct {
	name    string // in the result file
	label   string // of an axis
	isShare bool   // of something whole: drawn in %
	isError bool   // lower is better, and there is no highest
}

var (
	accuracy       = metric{name: "accuracy", label: "Accuracy (%)", isShare: true}
	reconstruction = metric{name: "absolute_error", label: "Reconstruction error (units)", isError: true}
	forecast       = metric{name: "whole_absolute_error", label: "Forecast error (units)", isError: true}
	testedForecast = metric{name: "absolute_error", label: "Forecast error (units)", isError: true}
	sampleError    = metric{name: "sample_error", label: "Error (%)", isShare: true, isError: true}
	ratingError    = metric{name: "rating_error", label: "Error (%)", isShare: true, isError: true}
)

// leading is the metric that a method's protocol and convention are about: where the authors' program decides, the
// quantity that is scored is itself an input, and a rating's error is that of the prediction's samples, not of their mean.
func leading(m *result.Method) metric {
	isForecast := m.Convention == "paper"
	switch {
	case m.Protocol == recommend && m.Convention == "authors":
		return sampleError
	case m.Protocol == recommend:
		return ratingError
	case m.Protocol == daily && isForecast:
		return forecast
	case m.Protocol == products && isForecast:
		return testedForecast
	case m.Protocol == daily || m.Protocol == products:
		return reconstruction
	}
	return accuracy
}

// Protocols whose scores are errors.
const (
	daily     = "daily"
	products  = "products"
	recommend = "recommend"
)

// drawn checks a score, which must be a share, or an error from 0 on, and returns it as figures show it: shares in %.
func (of metric) drawn(score float64) (float64, error) {
	switch {
	case of.isError && (math.IsNaN(score) || math.IsInf(score, 0) || score < 0):
		return 0, errors.Errorf("%s %v is not a number from 0 on", of.name, score)
	case !of.isError && (math.IsNaN(score) || score < 0 || score > 1):
		return 0, errors.Errorf("%s %v is not in [0, 1]", of.name, score)
	}
	if of.isShare {
		return 100 * score, nil
	}
	return score, nil
}

// ofTest picks the metric from a test's scores.
func (of metric) ofTest(score result.Score) float64 {
	if of.isError {
		return score.AbsoluteError
	}
	return score.Accuracy
}

// average is the label of its mean over sets.
func (of metric) average() string {
	if of.isError {
		return "Average error (units)"
	}
	return "Average " + strings.ToLower(of.label[:1]) + of.label[1:]
}

// bound keeps methods that fail from pressing the others together: the axis of a share spans at most so many points.
func (of metric) bound(p *panel, points float64) {
	if of.isError {
		p.bestBelow = true
	} else {
		p.isShare, p.maxSpan = true, points
	}
}

// errorNotes explain the errors that are drawn beside accuracies, or alone, those of one kind together.
func errorNotes(sources []source) (says []string) {
	for i, s := range sources {
		what := s.metric().means()
		alike := func(other source) bool { return other.metric().means() == what }
		if what == "" || slices.ContainsFunc(sources[:i], alike) {
			continue
		}
		var names []string
		for _, other := range sources[i:] {
			if alike(other) {
				names = append(names, other.dataset())
			}
		}
		says = append(says, strings.Join(names, " and ")+": "+what+".")
	}
	return says
}

// means says what an error is of; empty for accuracy.
func (of metric) means() string {
	const ofSales = "the mean absolute error, in units sold, of the last quantity of a window of sales"
	const ofRatings = "the mean absolute error of the ratings of each day that has any, in % of five stars, "
	switch of {
	case reconstruction:
		return ofSales + ", reconstructed by a model that has read it"
	case forecast:
		return ofSales + ", forecast from the sales before it; windows that are padded do not count"
	case testedForecast:
		return ofSales + ", forecast from the sales before it"
	case sampleError:
		return ofRatings + "by the samples of the prediction"
	case ratingError:
		return ofRatings + "by the mean of the prediction"
	}
	return ""
}
