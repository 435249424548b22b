// Package ensemble is the model of a stream: parts that forecast a row and learn it.
//
// Every row takes one road, whenever its label comes. [Model.Read] turns the record into a [Row]. [Model.Begin] gives it to the base rate.
// [Take] gives it to [Model.Forecasters]: the experts, or a count's tree, and the exact model. No forecaster reads another's numbers, so
// threads can share them. [Model.Finish] gives it to the combiners: mixture, stacking and recalibration, each of which corrects the main
// forecast of the part before, and then the hedge, the scale of a number, the constant columns and the watch. Everything that a part needs
// to learn a row is in the row. For a late label the experts encode the record again; mixture and stacking learn from the forecasts that
// Ask saved.
//
// The files follow a row on this road. At the ground are the design and what the parts exchange: forecasts and rows.
//
// Files, lowest first: design prediction row reader constants statistics window scale baserate usual expert recent counter mixture
// posterior stacking classstacking numberstacking recalibration hedge watch model explain state.
package ensemble
