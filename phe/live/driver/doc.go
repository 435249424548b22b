// Package driver takes a learner along a source into a store, so that a kill loses no record and learns no record twice.
//
// A program calls Open, which loads a model or begins one, Choose, which goes on in a source behind the rows that were learned, and Run.
// The same lines begin a model and resume it.
//
// The order of the files is the way of a run: what a model keeps, its forecasts, the learning of a row, saves, and the run itself.
// Files, lowest first: settings state writer output open take threads save reading resume driver.
package driver
