// Package figures draws the paper's figures, and seven that the paper lacks. Figures 1, 3 and 5 to 11 show results; Figures 2 and
// 4 are diagrams, which are SVGs without code. MovieLens results are shown by Figures 6 and 7.
//
// The seven others are Calibration (how well predicted distributions fit), ColdStart (errors on new users and films), Frontier
// (accuracy against memory), LateItems (what items that keep coming are worth), Memory (memory while users keep appearing), OnePass
// (one pass over the rows) and Pays (when online learning pays).
//
// A figure is a function of results. Nothing is trained or drawn at random here, so the same files give the same bytes. A score
// that is not a number is an error. A diverged run is drawn up to the step where it diverged, and the caption names it. A run
// that is not finished is left out, and the caption names it too.
//
// Lines, points and bars are means over the seeds that got so far. Bands and whiskers are ±1 standard deviation (n−1) between them; a
// single seed has neither, and among many lines only One pass and PHE have bands. gaussianFilter smooths each seed by sigma steps.
//
// A method has the same colour and dashes in every figure. Colour-blind readers can tell them apart, also in grey.
package figures

import "github.com/pkg/errors"

// failure is an error on its way from anywhere in a figure to its end: check panics with it, and caught returns it.
type failure struct{ error }

// check ends the figure if err is not nil.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// failf ends the figure with an error.
func failf(format string, args ...any) { check(errors.Errorf(format, args...)) }

// caught is deferred by each figure, and sets its error.
func caught(err *error) {
	switch ended := recover().(type) {
	case nil:
	case failure:
		*err = ended.error
	default:
		panic(ended)
	}
}
