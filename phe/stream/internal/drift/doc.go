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
