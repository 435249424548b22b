package score

import (
	"encoding/json"
	"math"

	"gophe/phe/stream/novelty"
)

// Scores are plain data, and JSON keeps all of them: a program that was stopped continues with the same score, to the last bit. JSON has no
// NaN and no infinite number. A forecast that is no number is a certain error in a Tally, and not in a Calibration and the ROC curve.

// Tally sums the outcomes of a group of rows.
type Tally struct {
	Rows   int64   `json:"rows"`
	Weight float64 `json:"weight"`
	Sum    Outcome `json:"sum"` // sum of the rows' outcomes, each times its row's weight
}

// Outcome is the score of one forecast. A field is 0 if it does not apply to the kind of target. Every field is finite in any case.
type Outcome struct {
	LogLoss  float64 `json:"log_loss"` // −log p of the class or count that came, in nats
	Unknown  float64 `json:"unknown"`  // 1 if that p is not known; LogLoss is then 0
	Brier    float64 `json:"brier"`    // Σ (p − outcome)² over the classes; with two classes, over the second class only
	Right    float64 `json:"right"`    // 1 if the likeliest class came
	Absolute float64 `json:"absolute"` // |error| of a number's mean or a count's median
	Square   float64 `json:"square"`   // error² of a number's mean or a count's median
	Covered  float64 `json:"covered"`  // 1 if the 90 % interval of a number or a count holds what came
}

// AddClasses adds a row whose target is a class: the classes' probabilities, and the class that came. A probability that is no number
// makes the forecast a certain error. The weight is positive and finite.
func (t *Tally) AddClasses(p []float64, class int, weight float64) {
	o := OfClasses(p, class)
	t.add(&o, weight)
}

// AddNumber adds a row whose target is a number: forecast mean and 90 % interval, and what came. The weight is positive and finite.
func (t *Tally) AddNumber(mean, low, high, y, weight float64) {
	o := OfNumber(mean, low, high, y)
	t.add(&o, weight)
}

// add adds a row's outcome, which a copy for each tally would delay.
func (t *Tally) add(o *Outcome, weight float64) {
	t.Rows++
	t.Weight += weight
	t.Sum.add(o, weight)
}

func (t *Tally) merge(other Tally) {
	t.Rows += other.Rows
	t.Weight += other.Weight
	t.Sum.add(&other.Sum, 1)
}

func (o *Outcome) add(other *Outcome, weight float64) {
	o.LogLoss += weight * other.LogLoss
	o.Unknown += weight * other.Unknown
	o.Brier += weight * other.Brier
	o.Right += weight * other.Right
	o.Absolute += weight * other.Absolute
	o.Square += weight * other.Square
	o.Covered += weight * other.Covered
}

// Means are the mean scores of a tally.
type Means struct {
	LogLoss  float64 // in nats, over the rows in which it is known
	Brier    float64
	Accuracy float64 // share of rows whose likeliest class came
	MAE      float64 // mean absolute error
	RMSE     float64 // root of the mean squared error
	Coverage float64 // share of rows inside their 90 % interval
}

// MarshalJSON returns the means by their names, and null for a mean of no rows.
func (m Means) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]Ratio{"log_loss": Ratio(m.LogLoss), "brier": Ratio(m.Brier), "accuracy": Ratio(m.Accuracy),
		"mae": Ratio(m.MAE), "rmse": Ratio(m.RMSE), "coverage": Ratio(m.Coverage)})
}

// Means returns the means over the rows, by their weights. They are NaN without rows.
func (t Tally) Means() Means {
	s, n := t.Sum, t.Weight
	return Means{s.LogLoss / (n - s.Unknown), s.Brier / n, s.Right / n, s.Absolute / n, math.Sqrt(s.Square / n), s.Covered / n}
}

// Bounds of a row's scores.
const (
	minScored   = 1e-6  // bound of a class's probability: one certain error must not decide a mean
	minLog      = -700  // bound of a count's log probability, which may be −∞
	maxAbsolute = 1e100 // a sum of its squares is still a number, for any weights
)

// OfClasses scores the probabilities of classes by the class that came.
func OfClasses(p []float64, class int) Outcome {
	o := Outcome{LogLoss: -math.Log(min(max(p[class], minScored), 1-minScored))}
	for k, v := range p {
		if len(p) == 2 && k == 0 {
			continue
		}
		if k == class {
			v--
		}
		o.Brier += v * v
	}
	if s := o.LogLoss + o.Brier; math.IsNaN(s) || math.IsInf(s, 0) {
		return Outcome{LogLoss: -math.Log(minScored), Brier: float64(min(len(p)-1, 2))} // the largest scores
	}
	if Likeliest(p) == class {
		o.Right = 1
	}
	return o
}

// Likeliest returns the class with the highest probability, and the first of equals.
func Likeliest(p []float64) int {
	best := 0
	for k, v := range p {
		if v > p[best] {
			best = k
		}
	}
	return best
}

// OfNumber scores a number's mean and 90 % interval by the number that came.
func OfNumber(mean, low, high, y float64) (o Outcome) {
	o.Absolute = math.Abs(y - mean)
	if !(o.Absolute < maxAbsolute) { // also if it is NaN
		o.Absolute = maxAbsolute
	}
	o.Square = o.Absolute * o.Absolute
	if low <= y && y <= high {
		o.Covered = 1
	}
	return o
}

// OfCount scores a count. NaN says that the log probability is not known, and the mean log-loss then leaves the row out.
func OfCount(logProbability, median, low, high, y float64) Outcome {
	o := OfNumber(median, low, high, y)
	if math.IsNaN(logProbability) {
		o.Unknown = 1
	} else {
		o.LogLoss = -max(logProbability, minLog)
	}
	return o
}

// Board is the score of one model along a stream.
type Board struct {
	All     Tally                `json:"all"`
	Blocks  Blocks               `json:"blocks"`
	Novelty [novelty.Tiers]Tally `json:"novelty"`
}

// Add adds a row's outcome. seen is the number of times that the row's rarest item was seen before.
func (b *Board) Add(o Outcome, seen int64, weight float64) {
	b.All.add(&o, weight)
	b.Blocks.add(&o, weight)
	b.Novelty[novelty.Tier(seen)].add(&o, weight)
}

// Blocks tallies a stream block by block. At first a block has one row. When there are too many, pairs of neighbours join.
type Blocks struct {
	Size  int64   `json:"size"`  // rows of a block; the last block may have fewer
	Tally []Tally `json:"tally"` // in the order of the stream
	// Novelty counts the rows of a block by how often their rarest item was learned before. Only the learner's blocks have it.
	Novelty [][novelty.Tiers]int64 `json:"novelty,omitempty"`
}

// maxBlocks is even, so that the blocks join in pairs. After a join, a block holds at most 1/250 of the stream.
const maxBlocks = 500

// add adds a row's outcome, which a copy for each tally would delay.
func (b *Blocks) add(o *Outcome, weight float64) {
	if b.Size == 0 {
		b.Size = 1
	}
	if n := len(b.Tally); n == 0 || b.Tally[n-1].Rows == b.Size {
		if n == maxBlocks {
			b.join()
		}
		b.Tally = append(b.Tally, Tally{})
	}
	b.Tally[len(b.Tally)-1].add(o, weight)
}

// Count notes the tier of the row that was added last.
func (b *Blocks) Count(tier int) {
	for len(b.Novelty) < len(b.Tally) {
		b.Novelty = append(b.Novelty, [novelty.Tiers]int64{})
	}
	b.Novelty[len(b.Novelty)-1][tier]++
}

func (b *Blocks) join() {
	for i := range len(b.Novelty) / 2 {
		b.Novelty[i] = b.Novelty[2*i]
		for tier, n := range b.Novelty[2*i+1] {
			b.Novelty[i][tier] += n
		}
	}
	b.Novelty = b.Novelty[:len(b.Novelty)/2]
	for i := range maxBlocks / 2 {
		b.Tally[i] = b.Tally[2*i]
		b.Tally[i].merge(b.Tally[2*i+1])
	}
	b.Tally = b.Tally[:maxBlocks/2]
	b.Size *= 2
}

// late returns the tally of the rows after the first tenth of the stream. Most items are new in the first tenth. The cut is the
// first border between blocks at or after the tenth. It comes late by less than one row, or less than 1/250 of the stream.
func (b *Board) late() (later Tally) {
	for _, t := range b.Blocks.Late() {
		later.merge(t)
	}
	return later
}

// Late returns the blocks after the first tenth of the stream.
func (b *Blocks) Late() []Tally {
	all, seen, n := int64(0), int64(0), 0
	for _, t := range b.Tally {
		all += t.Rows
	}
	for n < len(b.Tally) && 10*seen < all {
		seen += b.Tally[n].Rows
		n++
	}
	return b.Tally[n:]
}

// parts returns the stream in n ≥ 1 parts with about equal numbers of blocks. There are fewer parts if there are fewer blocks.
func (b *Blocks) parts(n int) []Tally {
	n = min(n, len(b.Tally))
	parts := make([]Tally, n)
	for i, t := range b.Tally {
		parts[i*n/len(b.Tally)].merge(t)
	}
	return parts
}

// Calibration compares forecasts with outcomes, in bins of equal width from 0 to 1.
//
// For classes, a bin holds the rows whose forecast probability lies in it: of the second of two classes, or of the likeliest of several.
// For numbers and counts it is the probability integral transform, and the bins of calibrated forecasts have equal weights.
type Calibration struct {
	Weight   [calibrationBins]float64 `json:"weight"`
	Forecast [calibrationBins]float64 `json:"forecast"` // sums of probabilities; classes only
	Came     [calibrationBins]float64 `json:"came"`     // weight of the rows in which the class came; classes only
}

const calibrationBins = 20

func calibrationBin(p float64) int { return min(max(int(p*calibrationBins), 0), calibrationBins-1) }

// addProbability adds the forecast probability of a class, and whether the class came. It ignores NaN.
func (c *Calibration) addProbability(p float64, came bool, weight float64) {
	if math.IsNaN(p) {
		return
	}
	p = min(max(p, 0), 1)
	bin := calibrationBin(p)
	c.Weight[bin] += weight
	c.Forecast[bin] += weight * p
	if came {
		c.Came[bin] += weight
	}
}

// AddTransform adds the probability integral transform of an outcome y, which runs from P(Y < y) to P(Y ≤ y) under the forecast. For a
// count they differ, and the weight is spread evenly between them (Czado, Gneiting and Held, 2009). AddTransform ignores NaN.
func (c *Calibration) AddTransform(from, to, weight float64) {
	if math.IsNaN(from) || math.IsNaN(to) {
		return
	}
	from, to = min(max(from, 0), 1), min(max(to, 0), 1)
	first, last := calibrationBin(from), calibrationBin(to)
	if first >= last {
		c.Weight[first] += weight
		return
	}
	for bin := first; bin <= last; bin++ {
		low, high := max(from, float64(bin)/calibrationBins), min(to, float64(bin+1)/calibrationBins)
		c.Weight[bin] += weight * max(0, high-low) / (to - from)
	}
}

// Error returns the expected calibration error of classes: the rows' mean of |mean forecast − share that came| in a bin; NaN without rows.
func (c *Calibration) Error() float64 {
	sum, rows := 0., 0.
	for bin, n := range c.Weight {
		sum += math.Abs(c.Forecast[bin] - c.Came[bin])
		rows += n
	}
	return sum / rows
}

// Confusion counts predicted classes by the class that came.
type Confusion struct {
	Weight  [][]float64 `json:"weight"`   // [came, predicted] sums
	LogLoss []float64   `json:"log_loss"` // [came] sums
}

func newConfusion(n int) *Confusion {
	c := &Confusion{LogLoss: make([]float64, n)}
	for range n {
		c.Weight = append(c.Weight, make([]float64, n))
	}
	return c
}

func (c *Confusion) add(p []float64, class int, logLoss, weight float64) {
	c.Weight[class][Likeliest(p)] += weight
	c.LogLoss[class] += weight * logLoss
}

// ClassScore is the score of the forecasts for one class.
type ClassScore struct {
	Weight    float64 `json:"weight"`    // weight of the rows in which the class came
	Precision Ratio   `json:"precision"` // share of right predictions in all predictions of the class; NaN without one
	Recall    Ratio   `json:"recall"`    // share of right predictions in the rows in which the class came; NaN without one
	LogLoss   Ratio   `json:"log_loss"`  // mean over the rows in which the class came; NaN without one
}

// Ratio is a number that may be NaN or infinite, for which JSON has null.
type Ratio float64

// MarshalJSON returns a number or null.
func (r Ratio) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(r))
}

func (c *Confusion) classes() []ClassScore {
	list := make([]ClassScore, len(c.Weight))
	for k := range list {
		came, predicted, right := 0., 0., c.Weight[k][k]
		for other := range c.Weight {
			came += c.Weight[k][other]
			predicted += c.Weight[other][k]
		}
		list[k] = ClassScore{came, Ratio(right / predicted), Ratio(right / came), Ratio(c.LogLoss[k] / came)}
	}
	return list
}

// ROC is the ROC curve of two classes. It counts the rows of each class in bins of the forecast's logit.
type ROC struct {
	Count [2][]float64 `json:"count"` // [class, bin] weight of the rows; no bins before the first row
}

const (
	curveBins  = 3000 // each is about 0.01 wide
	curveRange = 15.  // the first and the last bin take the logits beyond ±15
)

// add adds the forecast probability of class 1, and the class that came, 0 or 1. It ignores NaN.
func (c *ROC) add(probability float64, class int, weight float64) {
	if math.IsNaN(probability) {
		return
	}
	if c.Count[class] == nil {
		c.Count[0], c.Count[1] = make([]float64, curveBins), make([]float64, curveBins)
	}
	probability = min(max(probability, 0), 1)          // a sum of shares may be 1 and a little more
	logit := math.Log(probability / (1 - probability)) // ±Inf at 0 and 1
	bin := int((min(max(logit, -curveRange), curveRange) + curveRange) / (2 * curveRange) * (curveBins - 1))
	c.Count[class][bin] += weight
}

// whole reports whether the curve has all bins or, before the first row, none. A curve from a damaged file may lack some.
func (c *ROC) whole() bool {
	n := len(c.Count[0])
	return n == len(c.Count[1]) && (n == 0 || n == curveBins)
}

// auc returns the area under the curve: the probability that a row of class 1 has a higher forecast than a row of class 0. Two
// rows in one bin count half, as equal forecasts do. auc is NaN unless both classes came.
func (c *ROC) auc() float64 {
	below, area, ones := 0., 0., 0.
	for i, n := range c.Count[0] {
		m := c.Count[1][i]
		area += m * (below + n/2)
		below += n
		ones += m
	}
	return area / (below * ones)
}
