// Package page shows a running stream in a browser: the score beside simpler models, rows a second, new items, calibration, and
// what the model has learned. The page is part of the program and asks no other server for anything.
//
// A Page is an http.Handler. It takes a stream.Moment from the learner at times: every quarter of a second in the beginning, once
// a second later, and more and more rarely while nobody looks. This takes less than a hundredth of the time. The page keeps a
// history of fixed size, so that a viewer who comes late sees the whole run. Viewers never delay learning.
//
// The charts are drawn by uPlot 1.6.32, which lies in the folder static beside its licence (MIT).
package page
