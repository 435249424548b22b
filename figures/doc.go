// Package figures draws the paper's figures from result files: Fig. 3 (left), online accuracy on Adult, and the
// panels of Fig. 6 for the other tables.
//
// A figure is a function of results: nothing is trained or drawn at random here, and the same file gives the same
// bytes. A score that is not a number is an error. A run that diverged is drawn up to there and named in the caption.
//
// Colours and dashes belong to method names and are the same in every figure. They are told apart by colour-blind
// readers and in grey.
package figures
