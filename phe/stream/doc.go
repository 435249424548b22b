// Package stream learns a table row by row in fixed memory, and keeps the score of its forecasts.
//
// [Begin] infers the columns of a table and returns a [Learner]. [Progressive] takes the learner along the table: each row is forecast,
// scored and then learned. A program that has its own loop calls [Learner.Predict] and [Learner.Learn], or [Learner.Step] for both. If
// labels come late, it calls [Learner.Ask] and [Learner.Label]. [Learner.Report] returns the score, and [Learner.Inspect] what was learned.
// [Learner.Write] and [Read] keep a learner in a file.
//
// A learner has three parts, in internal packages. The ensemble forecasts, learns and watches for change. The evaluation scores forecasts
// and learns the width of intervals. The observer counts items. Every call takes a row through them in one way.
//
// Package schema describes tables, package score has the report, and package onepass has the models of one encoder.
//
// The files follow a learner: its options, a row that it learns at once, rows whose labels come late, and what people ask about it.
//
// Files, lowest first: options forecast learner pipeline pending progressive explain inspect save.
package stream
