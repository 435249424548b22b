package score

import "math"

// Tally sums the outcomes of a group of rows. Its means weight each row, and are NaN without rows.
type Tally struct {
	Rows   int64   `json:"rows"`
	Weight float64 `json:"weight"`
	Sum    Outcome `json:"sum"` // sum of the rows' outcomes, each times its row's weight
}

// Add adds a row's outcome. The weight is positive and finite.
func (t *Tally) Add(o Outcome, weight float64) {
	t.Rows++
	t.Weight += weight
	t.Sum.add(o, weight)
}

// merge adds another tally.
func (t *Tally) merge(other Tally) {
	t.Rows += other.Rows
	t.Weight += other.Weight
	t.Sum.add(other.Sum, 1)
}

// Since returns the tally of the rows that came after an earlier state of this tally.
func (t Tally) Since(before Tally) Tally {
	t.Rows -= before.Rows
	t.Weight -= before.Weight
	t.Sum.add(before.Sum, -1)
	return t
}

func (o *Outcome) add(other Outcome, weight float64) {
	o.LogLoss += weight * other.LogLoss
	o.Unknown += weight * other.Unknown
	o.Brier += weight * other.Brier
	o.Right += weight * other.Right
	o.Absolute += weight * other.Absolute
	o.Square += weight * other.Square
	o.Covered += weight * other.Covered
}

// LogLoss returns the mean log-loss in nats, over the rows in which it is known.
func (t Tally) LogLoss() float64 { return t.Sum.LogLoss / (t.Weight - t.Sum.Unknown) }

// Brier returns the mean Brier score.
func (t Tally) Brier() float64 { return t.Sum.Brier / t.Weight }

// Accuracy returns the share of rows whose likeliest class came.
func (t Tally) Accuracy() float64 { return t.Sum.Right / t.Weight }

// MAE returns the mean absolute error.
func (t Tally) MAE() float64 { return t.Sum.Absolute / t.Weight }

// RMSE returns the root of the mean squared error.
func (t Tally) RMSE() float64 { return math.Sqrt(t.Sum.Square / t.Weight) }

// Coverage returns the share of rows inside their 90 % interval.
func (t Tally) Coverage() float64 { return t.Sum.Covered / t.Weight }
