package ensemble

import (
	"math"

	"gophe/phe/belief"
	"gophe/phe/stream/schema"
)

// stacking learns a correction of the mixture, by a regression on the forecasts of experts and mixture, and on recent labels and forecasts.
// It begins as the mixture. A mixture lies between its models. A sum of log-odds can be surer than each of them, when they know different
// things. The forecast keeps its inputs, with which stacking learns a label that comes late.
type stacking struct {
	weights posterior
	recent  recent
	without Ablation
}

// newStacking returns the parts that follow a mixture of a number of experts, and the number of their inputs.
func newStacking(experts int, t schema.Target, without Ablation) ([]Part, int) {
	n := experts + 1 + 2*len(windows)
	switch classes := len(t.Classes); {
	case t.Kind == schema.Amount:
		s := stacking{newPosterior(n+1, experts, without), newRecent(1, 0), without}
		return []Part{&numberStacking{s, []float64{0, 1}}}, n + 3
	case classes == 2:
		s := stacking{newPosterior(n, experts, without), newRecent(1, 0.5), without}
		return []Part{&binaryStacking{s}, newRecalibration(without)}, n
	default:
		s := stacking{newPosterior(n, experts, without), newRecent(classes, 1/float64(classes)), without}
		return []Part{&classStacking{s, make([]float64, classes), make([]float64, n)}}, n * classes
	}
}

func (s *stacking) resetCovariance() { s.weights.resetCovariance() }

func (s *stacking) tables() []belief.Part {
	weights := []belief.Part{belief.List("last step mean", s.weights.mean), belief.List("last step covariance", s.weights.cov)}
	return append(weights, s.recent.tables()...)
}

func sigmoid(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// minProbability keeps log-odds finite.
const minProbability = 1e-7

func logit(p float64) float64 { return math.Log(odds(p)) }

func odds(p float64) float64 {
	p = min(max(p, minProbability), 1-minProbability)
	return p / (1 - p)
}
