// Package page shows a running stream in a browser: the score beside simpler models, rows a second, new items, calibration, and
// what the model has learned. The page is part of the program and asks no other server for anything.
//
// A Page is an http.Handler. It takes a stream.Moment from the learner, at most once a second and never for more than a hundredth
// of the time. It keeps a history of fixed size, so that a viewer who comes late sees the whole run. Viewers never delay learning.
package page
