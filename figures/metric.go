package figures

import (
	"math"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/result"
)

// metric is the score that a figure shows of a method.
type metric struct {
	name    string // in the result file
	label   string // of an axis
	isError bool   // lower is better, and there is no highest
}

var (
	accuracy       = metric{name: "accuracy", label: "Accuracy (%)"}
	reconstruction = metric{name: "absolute_error", label: "Reconstruction error (units)", isError: true}
	forecast       = metric{name: "whole_absolute_error", label: "Forecast error (units)", isError: true}
	testedForecast = metric{name: "absolute_error", label: "Forecast error (units)", isError: true}
)

// leading is the metric that a method's protocol and convention are about: where the authors' program decides, the
// quantity that is scored is itself an input.
func leading(m *result.Method) metric {
	isForecast := m.Convention == "paper"
	switch {
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
	daily    = "daily"
	products = "products"
)

// drawn checks a score, which must be a share, or an error from 0 on, and returns it as figures show it: shares in %.
func (of metric) drawn(score float64) (float64, error) {
	switch {
	case of.isError && (math.IsNaN(score) || math.IsInf(score, 0) || score < 0):
		return 0, errors.Errorf("%s %v is not a number from 0 on", of.name, score)
	case of.isError:
		return score, nil
	case math.IsNaN(score) || score < 0 || score > 1:
		return 0, errors.Errorf("%s %v is not in [0, 1]", of.name, score)
	}
	return 100 * score, nil
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
		p.maxSpan = points
	}
}

// errorNotes explain the errors that are drawn beside accuracies, or alone.
func errorNotes(sources []source) (says []string) {
	for _, s := range sources {
		of := s.metric()
		if !of.isError {
			continue
		}
		what := "the mean absolute error, in units sold, of the last quantity of a window of sales"
		if of == reconstruction {
			what += ", reconstructed by a model that has read it"
		} else {
			what += ", forecast from the sales before it"
		}
		if of == forecast {
			what += "; windows that are padded do not count"
		}
		says = append(says, s.dataset()+": "+what+".")
	}
	return says
}
