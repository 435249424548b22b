// Package figures draws the paper's figures: from result files Figs. 1, 3, 5 to 11, of MovieLens what Figs. 6 and 7 show, and
// six that the paper lacks: Calibration, how far predictions can be believed, ColdStart, what new users and films cost,
// Frontier, accuracy against memory, Memory, what a process holds while users keep appearing, OnePass, what one pass over the
// rows gives, and Pays, when online learning pays. Figs. 2 and 4 are diagrams, which need no results; the table rows in Fig. 2 are computed by package hash.
//
// A figure is a function of results: nothing is trained or drawn at random here, and the same files give the same
// bytes. A score that is not a number is an error. A run that diverged is drawn up to there and named in the caption.
// What is not finished is left out and named there too (Figure3 draws it as far as it goes).
//
// Colours and dashes belong to method names and are the same in every figure. They are told apart by colour-blind
// readers and in grey.
package figures
