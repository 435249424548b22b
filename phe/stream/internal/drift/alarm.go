// Package drift watches the losses of a model that learns from a stream, and raises an alarm when the model has become worse than it was.
//
// # Method
//
// An Alarm averages losses over batches of 100 rows. It compares each average with a reference: the mean and the variance of
// about 500 averages before it. It adds up how far the averages lie above the reference, in standard deviations and less an
// allowance (a CUSUM chart). The alarm goes off when this sum passes a threshold, and the reference starts afresh. The
// reference also starts afresh, without an alarm, when the losses have fallen for good.
//
// The allowance is half a standard deviation of an average, or 15 % of the mean loss if that is more. A rise by less than 15 % is therefore
// no alarm. A slow cycle of ±20 % is none over 5,000 rows. Over 20,000 rows it is one: its peak lies 50 % above its trough.
//
// Two bounds tame heavy tails, so that one row never sets off the alarm: maxOfMean and maxDeviations.
//
// # Measurements
//
// GOPHE_TEST=long go test measures these figures. False alarms are those in 20 streams of 1,000,000 rows without a change. The other
// columns describe 200 streams whose losses rise after row 50,000: the share of rises noticed in time, and the median delay in rows.
//
//	losses                         false   ×2 within 2,000    ×1.3 within 20,000
//	0 or 1, p = 0.01               0       100 %, 3,300 *     not required
//	0 or 1, p = 0.1                0       100 %,   700       100 %, 3,700
//	0 or 1, p = 0.4                0       100 %,   700       100 %, 1,600
//	exponential                    0       100 %,   700       100 %, 1,500
//	squared Student-t(3)           0       100 %,   800        98 %, 4,100
//	log-loss, labels flipped       0       100 %,   600       100 %, 2,000
//	autocorrelated, ρ = 0.9        0       100 %,   700       100 %, 2,700
//
//	* within 20,000 rows
//
// A doubling after 5,000 rows is noticed as well (89 % for p = 0.01). A rise by 30 % needs more rows before it. After 20,000 rows
// 89 to 100 % are noticed, and after 5,000 rows 9 to 52 %: a young reference follows the rise.
//
// ADWIN (δ = 0.002) gave 6,554 false alarms on squared Student-t(3) losses, and DDM and the Page–Hinkley test far more. A CUSUM of single
// rows noticed 33 % of the doublings there.
package drift

import "math"

const (
	// allowance is subtracted from each average, in standard deviations. A CUSUM chart is quickest at a shift of twice that.
	allowance = 0.5
	// minBatches are not judged: their reference knows too little. 10 let 2 of 400 streams of rare errors (p = 0.01) begin
	// with a false alarm, 20 let 1.
	minBatches = 20
	// maxOfMean bounds a loss, in means. Without it squared Student-t(3) losses that double go unnoticed for 2,000 rows in
	// one stream of five. It leaves losses alone that are 1 in one row of 20, and scales rarer ones.
	maxOfMean = 20
	// maxDeviations bounds an average. At least five averages must then agree on an alarm, not one measurement gone wrong.
	maxDeviations = 4
	// maxLoss bounds a loss, so that its square is finite. Losses all below its inverse have no square, and never set off the alarm.
	maxLoss = 1e150
)

// Alarm watches one stream of losses. It has a fixed size. Its fields are exported for encoding/json: an Alarm that was
// marshalled and unmarshalled continues bit for bit like the original. Make one with New, and change no other field than Alarms.
type Alarm struct {
	Options Options `json:"options"`
	Alarms  int     `json:"alarms"`  // number of alarms so far; a caller may count its own too
	Ignored int     `json:"ignored"` // number of losses that were NaN or infinite

	// The batch that is not full yet.
	Rows  int     `json:"rows"`
	Sum   float64 `json:"sum"`   // sum of the bounded losses
	Sizes float64 `json:"sizes"` // sum of the losses' absolute values, not bounded

	// The reference. It starts afresh after each alarm.
	Batches  int     `json:"batches"`
	Mean     float64 `json:"mean"`     // mean of the averages: the level that the losses are compared with
	Variance float64 `json:"variance"` // variance of the averages
	Size     float64 `json:"size"`     // mean of the losses' absolute values, not bounded

	// The sums of deviations. One sets off the alarm, and the other moves the reference down.
	Worse  float64 `json:"worse"`
	Better float64 `json:"better"`
}

// Options are the constants of the method. A file of an alarm has them.
type Options struct {
	Batch     int     `json:"batch"`     // rows in an average; the alarm goes off in the last row of a batch
	Memory    int     `json:"memory"`    // batches that the reference remembers
	Rise      float64 `json:"rise"`      // rise of the mean loss that is not worth an alarm, as a share of the size of the mean
	Threshold float64 `json:"threshold"` // sum of standard deviations that sets off the alarm
}

// New returns an alarm for a new stream.
func New() *Alarm {
	return &Alarm{Options: Options{Batch: 100, Memory: 500, Rise: 0.15, Threshold: 18}}
}

// Add takes the loss of the next row. It returns true if the alarm goes off in this row. Then the alarm adapts to the new
// level, and can go off again. A loss that is NaN or infinite is counted in Ignored and else ignored.
func (a *Alarm) Add(loss float64) bool {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		a.Ignored++
		return false
	}
	loss = bound(loss, maxLoss)
	a.Rows++
	a.Sizes += math.Abs(loss)
	if a.Batches > 0 {
		loss = bound(loss, maxOfMean*a.Size)
	}
	a.Sum += loss
	if a.Rows < a.Options.Batch {
		return false
	}
	average, size := a.Sum/float64(a.Rows), a.Sizes/float64(a.Rows)
	a.Rows, a.Sum, a.Sizes = 0, 0, 0
	a.Batches++
	a.Size += (size - a.Size) / float64(min(a.Batches, a.Options.Memory))
	if a.Batches > 1 { // the losses of the first batch were not bounded
		a.compare(average, 1/float64(min(a.Batches-1, a.Options.Memory)))
	}
	worse, better := a.Worse > a.Options.Threshold, a.Better > a.Options.Threshold
	if worse || better { // the reference starts afresh
		*a = Alarm{Options: a.Options, Alarms: a.Alarms, Ignored: a.Ignored}
	}
	if worse {
		a.Alarms++
	}
	return worse
}

// compare adds a batch's average to the sums of deviations and then to the reference, where it has a weight.
func (a *Alarm) compare(average, weight float64) {
	deviation := average - a.Mean
	// The variance counts this average too. So the first error after a long time without any is no infinite deviation.
	sd := math.Sqrt((1 - weight) * (a.Variance + weight*deviation*deviation))
	if weight < 1 {
		deviation = bound(deviation, maxDeviations*sd)
	}
	if a.Batches > minBatches && sd > 0 {
		z := deviation / sd
		a.Worse = max(0, a.Worse+z-max(allowance, a.Options.Rise*math.Abs(a.Mean)/sd))
		a.Better = max(0, a.Better-z-allowance)
	}
	a.Mean += weight * deviation
	a.Variance = (1 - weight) * (a.Variance + weight*deviation*deviation)
}

// bound returns the number nearest to v whose absolute value is at most limit.
func bound(v, limit float64) float64 { return max(-limit, min(limit, v)) }
