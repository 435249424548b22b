// Package page shows a running stream in a browser: the scores of the model and of simpler models, rows per second, new items,
// calibration, and the model's effects. The page is part of the program and contacts no other server.
//
// A program calls New, mounts the Page, calls Finish when the stream ends, and Close before its HTTP server stops.
//
// A Page is an http.Handler. It takes a stream.Moment from the learner every quarter of a second at first, later once a second, and
// more and more rarely without viewers. This takes less than a hundredth of the time. The page keeps a history of fixed size, and the
// learner the course of its scores. A late viewer sees the whole run, and a viewer of a full model its past. Viewers never delay
// learning.
//
// uPlot 1.6.32 draws the charts. It is in the folder static, with its licence (MIT).
package page
