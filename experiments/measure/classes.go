// Package measure scores predictions and summarises the scores of results. Each metric is a small pure function.
package measure

import "math"

// ClassAccuracy is the share of rows whose most probable class is the label, in [0, 1]; ties go to the lower class.
// logProbabilities is [rows, classes], row after row.
func ClassAccuracy(logProbabilities []float32, labels []int32, classes int) float64 {
	right := 0
	for i, y := range labels {
		row := logProbabilities[i*classes : (i+1)*classes]
		best := 0
		for k, p := range row {
			if p > row[best] {
				best = k
			}
		}
		if best == int(y) {
			right++
		}
	}
	return float64(right) / float64(len(labels))
}

// ClassLogLikelihood is the mean log predictive probability of the labels, in nats. logProbabilities is [rows, classes].
func ClassLogLikelihood(logProbabilities []float32, labels []int32, classes int) float64 {
	sum := 0.0
	for i, y := range labels {
		sum += float64(logProbabilities[i*classes+int(y)])
	}
	return sum / float64(len(labels))
}

// AllFinite tells whether all log probabilities are numbers; once a model has diverged they are not. −∞ is a number
// here: a sure prediction may round to it.
func AllFinite(logProbabilities []float32) bool {
	for _, p := range logProbabilities {
		if math.IsNaN(float64(p)) || math.IsInf(float64(p), 1) {
			return false
		}
	}
	return true
}
