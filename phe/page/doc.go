// Package page shows a running stream in a browser: the score beside simpler models, rows per second, new items, calibration, and
// the model's effects. The page is part of the program and contacts no other server.
//
// A Page is an http.Handler. It takes a stream.Moment from the learner every quarter of a second at first, later once a second, and
// more and more rarely without viewers. This takes less than a hundredth of the time. The page keeps a history of fixed size, so a
// viewer who comes late sees the whole run. Viewers never delay learning.
//
// uPlot 1.6.32 draws the charts. It is in the folder static beside its licence (MIT).
package page
