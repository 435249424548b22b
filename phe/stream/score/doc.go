// Package score keeps the score of a stream's forecasts in fixed memory. A Board has the score of one model: over all rows, by
// block of rows, and by novelty. Confusion has the score of each class, Calibration compares probabilities with shares, and Curve
// has the area under the ROC curve.
//
// Every type is plain data, and JSON keeps all of it. A program that was stopped therefore continues with the same score, to the
// last bit. JSON has no NaN and no infinite number. A forecast that is no number therefore counts as a certain error in a Tally,
// and is left out of Calibration and Curve.
package score
