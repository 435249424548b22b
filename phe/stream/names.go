package stream

import (
	"gophe/phe/internal/text"
	"gophe/phe/stream/internal/evaluation"
	"gophe/phe/stream/internal/novelty"
	"gophe/phe/stream/internal/repeats"
)

// The parts of a learner are packages of their own. These names of theirs are for its users.
type (
	Report      = evaluation.Report      // the score of a learner along its stream, beside the models that it is compared with
	Score       = evaluation.Score       // of one model, or of a part of the stream
	Tally       = evaluation.Tally       // sums the outcomes of a group of rows
	Outcome     = evaluation.Outcome     // the score of one forecast
	Means       = evaluation.Means       // the mean scores of a tally
	Calibration = evaluation.Calibration // compares forecasts with what came
	ClassScore  = evaluation.ClassScore  // the score of the forecasts for one class
	Ratio       = evaluation.Ratio       // a number that may be NaN or infinite, for which JSON has null
	Fields      = evaluation.Fields      // counts fields that say nothing to the model, or something else than people think
	NewItem     = evaluation.NewItem     // an item that was learned for the first time
	Again       = repeats.Kind           // what a row is to the last rows; also the error of a label whose row is not learned again
	Repeats     = repeats.Counts         // counts rows that came again
)

// Values of Forecast.Again. A row that is repeated or corrected has no forecast, and is neither learned nor scored.
const (
	Reused    = repeats.Reused    // a row had its id, with other features
	Repeated  = repeats.Repeated  // a row had its id and its values
	Corrected = repeats.Corrected // a row had its id and its features, with another label
)

// Values of Fields.Of.
const Learned, Predicted = evaluation.Learned, evaluation.Predicted

// ModelNames returns the names of the models that a Report may have, in its order. The first is the learner itself.
func ModelNames() []string { return evaluation.ModelNames() }

// NoveltyTier returns the tier of a row whose rarest item was seen this number of times.
func NoveltyTier(seen int64) int { return novelty.Tier(seen) }

// NoveltyNames returns the tiers' names for people.
func NoveltyNames() []string { return novelty.Names() }

// Grouped writes a number of rows with commas.
func Grouped(n int64) string { return text.Grouped(n) }

// Counted writes a number of things, such as "1 row" or "1,000 rows".
func Counted[N int | int64 | uint64](n N, thing string) string { return text.Counted(n, thing) }

// Size writes a number of bytes as --memory takes it: "256K", "3M", "1G", or the number alone if no unit divides it.
func Size(bytes int) string { return text.Size(bytes) }
