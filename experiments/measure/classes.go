// Package measure scores predictions and summarises the scores of results. Each metric is a small pure function. A table or a page finds a
// method of a result by [Find], and takes its numbers from the [Row].
package measure

import (
	"math"
	"slices"
)

// ClassAccuracy returns the share of rows whose most probable class is the label, in [0, 1]. Ties go to the lower class.
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

// ClassLogLikelihood returns the mean log predictive probability of the labels, in nats. logProbabilities is [rows, classes].
func ClassLogLikelihood(logProbabilities []float32, labels []int32, classes int) float64 {
	sum := 0.0
	for i, y := range labels {
		sum += float64(logProbabilities[i*classes+int(y)])
	}
	return sum / float64(len(labels))
}

// AllFinite reports whether no value is NaN or +Inf, as after a model has diverged. −Inf is allowed: a sure prediction rounds to it.
func AllFinite(logProbabilities []float32) bool {
	return !slices.ContainsFunc(logProbabilities, func(p float32) bool { return math.IsNaN(float64(p)) || math.IsInf(float64(p), 1) })
}
