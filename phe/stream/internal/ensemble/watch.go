package ensemble

import (
	"math"
	"slices"

	"gophe/phe/belief"
	"gophe/phe/internal/text"
	"gophe/phe/onepass"
	"gophe/phe/stream/change"
	"gophe/phe/stream/schema"
)

// watch finds out whether the models still hold. The main forecast does not show it: it soon follows a change, and then holds again,
// although it has become bad. So the watch has a reference: a second stacking, of the experts that remember, which never forgets. Package
// change compares it with the alternatives in docs/stream-model.md. The error of a number, in deviations, lies in one of seven places. A
// count, whose model has no experts, shares its part of the distribution function out among the places.
type watch struct {
	model     *Model
	detector  *change.Detector
	kinds     [change.Ways]change.Kind // what has changed if an alternative forecasts best
	experts   []int                    // places of the forecasts of experts that remember
	reference posterior                // [experts, 1]
	bet       posterior                // slope, and shift
	slow      []float64                // shares of the classes, or of the places
	quick     []float64                // shares of the last of them
	noise     []float64                // variance of the error of a number, in deviations of the target

	block []float64 // of labels that come late: their number, sums of errors and of squares, number of blocks, and mean |z|
	miss  float64   // error of the reference in the row

	level           float64   // slope of an alarm of the level: a number's unit follows it, and a count's evidence holds no more
	x               []float64 // inputs of the reference, or gradient
	p, b, lift, log []float64 // by class
}

const (
	betVariance = 0.25 // variance of slope and shift before any row
	betForgets  = 0.01 // share of the way to its first belief that a bet goes in a row
	leastOf     = 1e-6 // bounds a probability, so that no label alone decides
	surest      = 15   // largest log-odds of the reference
	ofNumbers   = 0.8  // slope surely below which a number's items say something else
	ofClasses   = 0.65 // the same of classes: noise lowers their slope too
	grouped     = 1.5  // number of labels that count as one from which their slope counts no more
	lastClasses = 1. / 64
	lastPlaces  = 1. / 50
	noiseBlock  = 63 // labels of a block of distances, less one
)

func newWatch(m *Model) *watch {
	k, moved, last := len(m.target.Classes), change.BaseRate, [2]change.Kind{change.BaseRate, change.BaseRate}
	switch {
	case k == 0:
		k, moved, last = len(normal), change.Level, [2]change.Kind{change.Level, change.Level}
	case k > 2:
		last = [2]change.Kind{change.Noise, change.Items}
	}
	w := &watch{model: m, detector: m.statistics.Change, bet: newPosterior(2, 0, Ablation{}), slow: make([]float64, k),
		quick: make([]float64, k), noise: make([]float64, 1), block: make([]float64, 5)}
	w.kinds = [...]change.Kind{moved, moved, change.Noise, change.Items, last[0], last[1]}
	for i := 0; i < m.Design.outputs() && m.Counter == nil; i++ {
		if d := m.Design.Experts; len(d) == 1 || i >= len(d) || !d[i].Quick() {
			w.experts = append(w.experts, i)
		}
	}
	w.reference, w.x = newPosterior(len(w.experts)+1, 0, Ablation{}), make([]float64, len(w.experts)+1)
	w.reference.gain, w.bet.gain, w.bet.most = 0, 0, betVariance
	if w.level = change.Holds; m.Counter != nil {
		w.level = 0.7
	}
	for _, list := range []*[]float64{&w.p, &w.b, &w.lift, &w.log} {
		*list = make([]float64, k)
	}
	w.begin()
	return w
}

// begin begins a reference anew: the mean of the experts.
func (w *watch) begin() {
	for _, b := range []*posterior{&w.reference, &w.bet} {
		clear(b.mean)
		b.resetCovariance()
	}
	for i := range w.experts {
		w.reference.mean[i] = 1 / float64(len(w.experts))
	}
	w.bet.mean[0], w.noise[0] = 1, 1
	copy(w.slow, normal[:])
	for k := range w.model.target.Classes {
		w.slow[k] = 1 / float64(len(w.slow))
	}
	copy(w.quick, w.slow)
}

func (w *watch) Forecast(*Row) {}

// Learn compares the reference with the alternatives, and tells the row of an alarm.
func (w *watch) Learn(r *Row) {
	d, s, rows := w.detector, w.model.statistics, w.model.Rows
	const pace = 0.002 // least rate of the running mean
	s.Lag += max(1/float64(rows+1), pace) * (float64(rows-r.Predictions.Rows) - s.Lag)
	if r.Predictions.Rows < d.Since || w.model.Counter == nil && len(r.Predictions.Main.Inputs) == 0 {
		return // the scale was not known
	}
	var ratios [change.Ways]float64
	t, one := w.dependent(s.Lag), 1. // t by the rows before
	switch {
	case w.model.target.Kind != schema.Classes:
		ratios, one = w.ofNumber(r)
	case len(w.slow) == 2:
		ratios = w.ofTwo(r)
	default:
		ratios = w.ofClasses(r)
	}
	measure(w.block, w.miss, s.Lag, d.Learns())
	raise(&ratios, t, one)
	held := d.Learns()
	over, slope := d.Add(ratios, rows+1), w.bet.mean[0]
	kind := w.kind(slope)
	switch {
	case d.Read > 0 && rows+1 >= d.Read:
		if kind == change.Level {
			slope = w.level
		}
		if t > grouped { // the labels are of a group that passes, and say little of later rows
			slope = change.Holds
		}
		d.Choose(rows+1, kind, slope, int64(s.Lag))
		w.begin()
	case d.Read == 0 && over:
		if told := d.Raise(rows+1, kind); told != nil {
			r.Reason, r.Changed = text.And(r.Reason, told.String()), told.Row
		}
	case held && !d.Learns():
		w.bet.resetCovariance() // the bet is to learn the rows since then
	}
}

// dependent returns t, the number of labels that count as one. Late labels have errors in common, since no forecast knew the labels
// between, and so have rows of a group that passes, such as an invoice. A power 1/t of a ratio has a smaller mean.
func (w *watch) dependent(lag float64) (t float64) {
	if w.block[3] < few {
		t = lag + 1
	} else if t = together(w.block); lag == 0 && t <= grouped && w.model.Counter == nil { // this may be chance
		t = 1
	}
	return t
}

const few = 4 // blocks that say nothing yet

// raise takes the power 1/t of the ratios, and one of all but ofMean as well.
func raise(ratios *[change.Ways]float64, t, one float64) {
	if t <= 1 && one == 1 {
		return
	}
	onepass.Logarithms(ratios[:])
	for k, log := range ratios {
		if k != ofMean {
			log *= one
		}
		ratios[k] = math.Exp(log / max(1, t))
	}
}

// together returns the number of labels that count as one, from blocks.
func together(block []float64) float64 { return math.Pi / 2 * block[4] * block[4] } // E|z| = √(2/π)

// measure adds an error to a block. In blocks of the lag, the sum of errors has the deviation √Σe² if they are independent.
func measure(block []float64, miss, lag float64, learns bool) {
	const memory, least = 50, 32 // blocks; labels in a block, of which fewer are far from normal
	const longest = 200 * least  // labels in short blocks
	labels, sum, squares, blocks, z := &block[0], &block[1], &block[2], &block[3], &block[4]
	if learns {
		*labels, *sum, *squares = *labels+1, *sum+miss, *squares+miss*miss
	}
	if *labels > max(lag, least-1) && *squares > 0 {
		*blocks = min(*blocks+1, max(memory, longest/max(lag, least)))
		*z += (math.Abs(*sum)/math.Sqrt(*squares) - *z) / *blocks
		*labels, *sum, *squares = 0, 0, 0
	}
}

// kind tells what has changed, by the alternative that forecasts best and by the slope. Noise and level leave a number's slope as it is,
// and so does a change of all counts alike.
func (w *watch) kind(slope float64) change.Kind {
	lead, most := w.detector.Lead(), slope+2*math.Sqrt(w.bet.cov[0])
	if w.model.Counter != nil && slope < change.Holds || w.model.target.Kind == schema.Amount && most < ofNumbers ||
		lead <= 1 && most < ofClasses {
		return change.Items
	}
	return w.kinds[lead]
}

// bets moves the bet along the inputs of its last variance. Then it forgets a little, unless the reference is suspected.
func (w *watch) bets(rows, variance, gradient, curvature float64) {
	w.bet.step(rows, variance, gradient, curvature)
	if !w.detector.Learns() {
		return
	}
	for i := range w.bet.cov {
		w.bet.cov[i] *= 1 - betForgets
	}
	for i, first := range [...]float64{1, 0} {
		w.bet.mean[i] += betForgets * (first - w.bet.mean[i])
		w.bet.cov[3*i] += betForgets * betVariance
	}
}

// ofTwo returns the ratios of two classes: by main forecast, bet, reference with 30 % of random labels, base rate, and odds e·o and o/e.
func (w *watch) ofTwo(r *Row) (ratios [change.Ways]float64) {
	for i, at := range w.experts {
		w.x[i] = r.Predictions.Main.Inputs[at]
	}
	w.x[len(w.experts)] = 1
	variance := w.reference.variance(w.x)
	o := max(-surest, min(surest, w.reference.sum(w.x)))
	in := [...]float64{o, 1}
	spread := w.bet.variance(in[:])
	odds := math.Exp(-o) // of the first class
	p, b := 1/(1+odds), sigmoid(w.bet.sum(in[:])/math.Sqrt(1+math.Pi*spread/8))
	came := func(second float64) float64 {
		if r.Y == 0 {
			second = 1 - second
		}
		return min(max(second, leastOf), 1-leastOf)
	}
	none := (1-ofBaseRate)*r.Predictions.BaseRate.Classes[1] + ofBaseRate*p
	own := came(p)
	for k, q := range [...]float64{r.Predictions.Main.Classes[1], b, 0.7*p + 0.15, none, 1 / (1 + odds/math.E),
		1 / (1 + odds*math.E)} {
		ratios[k] = came(q) / own
	}
	w.miss = r.Y - p
	if w.bets(r.counts, spread, r.Y-b, b*(1-b)); w.detector.Learns() {
		w.reference.step(r.counts, variance, r.Y-p, p*(1-p))
	}
	return ratios
}

// ofClasses returns the ratios of more classes: by the main forecast, the bet, √p, and mixtures with the base rate and with equal shares.
// The bet has the logarithms of the probabilities, and of the shares of the last classes relative to the usual ones.
func (w *watch) ofClasses(r *Row) (ratios [change.Ways]float64) {
	k, y, inputs := len(w.slow), int(r.Y), r.Predictions.Main.Inputs
	clear(w.log)
	for i, at := range w.experts {
		for o, l := range inputs[at*k:][:k] {
			w.log[o] += w.reference.mean[i] * l
		}
	}
	onepass.SoftmaxInto(w.p, w.log)
	sum, roots := math.Log(w.p[y])-w.log[y], 0.0
	for o := range w.log {
		w.log[o] = max(w.log[o]+sum, math.Log(minProbability))
		w.lift[o] = math.Log((1-ofBaseRate)*w.quick[o]/w.slow[o] + ofBaseRate)
		w.b[o] = w.bet.mean[0]*w.log[o] + w.bet.mean[1]*w.lift[o]
		roots += math.Sqrt(w.p[o])
	}
	onepass.SoftmaxInto(w.b, w.b)
	best := slices.Index(w.p, slices.Max(w.p))
	if w.miss = -w.p[best]; best == y {
		w.miss++
	}
	own, base := max(w.p[y], leastOf), r.Predictions.BaseRate.Classes[y]
	for i, q := range [...]float64{r.Predictions.Main.Classes[y], w.b[y], math.Sqrt(w.p[y]) / roots, 0.1*own + 0.9*base,
		0.8*own + 0.2/float64(k), (1 - w.p[y]) / float64(k-1)} {
		ratios[i] = max(q, leastOf) / own
	}
	gradient := [...]float64{w.gradient(w.b, w.log, y), w.gradient(w.b, w.lift, y)}
	w.bets(r.counts, w.bet.variance(gradient[:]), 1, 1)
	if w.detector.Learns() {
		for i, at := range w.experts {
			w.x[i] = w.gradient(w.p, inputs[at*k:][:k], y)
		}
		w.reference.step(r.counts, w.reference.variance(w.x), 1, 1)
	}
	clear(w.b)
	w.b[y] = 1
	w.move(w.b, r.counts*lastClasses, r.counts*w.detector.Rate()/2)
	return ratios
}

// gradient returns how the logarithm of the probability p of a class grows with the weight of an input.
func (w *watch) gradient(p, input []float64, class int) float64 {
	g := input[class]
	for o, x := range input {
		g -= p[o] * x
	}
	return g
}

// move moves the shares towards the classes or places that came.
func (w *watch) move(came []float64, quick, slow float64) {
	if !w.detector.Learns() {
		slow = 0
	}
	for k, share := range came {
		w.quick[k] += quick * (share - w.quick[k])
		w.slow[k] += slow * (share - w.slow[k])
	}
}

// ends part the places of an error in deviations, normal are their shares of N(0, 1), and tilts multiply shares: outside, above and below.
var (
	ends      = [...]float64{-2, -1, -0.3, 0.3, 1, 2}
	normal    = [...]float64{0.0228, 0.1359, 0.2234, 0.2358, 0.2234, 0.1359, 0.0228}
	distances = [...]float64{3, 1.4, 0.6, 0, 0.6, 1.4, 3}
	tilts     = [...][len(normal)]float64{{8, 3, 1, 0.5, 1, 3, 8}, {0.1, 0.2, 0.4, 0.7, 1.2, 3, 8}, {8, 3, 1.2, 0.7, 0.4, 0.2, 0.1}}
)

// ofMean is the place of the ratio by the mean of all labels, which gains little by noise.
const ofMean = 3

// ofNumber returns the ratios of a number or a count: by the main forecast's error, the shares of the last places, and the tilts. Rows of
// one hour may have more noise than others, so a number's row is the share one of a witness of noise, by t and two deviations of its
// estimate.
func (w *watch) ofNumber(r *Row) (ratios [change.Ways]float64, one float64) {
	blocks, far := w.detector.Far[:], 0.0
	if ratios[0], ratios[1], ratios[ofMean], one = 1, 0.5, 1, 1; w.model.Counter != nil {
		w.shareOut(r)
		w.betOnCount(r)
	} else {
		ratios[0], ratios[ofMean] = w.placeOf(r)
		one = 1 / max(1, together(blocks)*(1+3/math.Sqrt(max(1, blocks[3]))))
	}
	for k, share := range w.p {
		if share > 0 {
			ratios[1] += share * w.quick[k] / w.slow[k] / 2
		}
		far += (share - w.slow[k]) * distances[k]
	}
	for i, at := range [...]int{2, 4, 5} {
		came, sum := 0.0, 0.0
		for k, share := range w.slow {
			came += tilts[i][k] * w.p[k]
			sum += tilts[i][k] * share
		}
		ratios[at] = came / sum
	}
	measure(blocks, far, noiseBlock, w.detector.Learns())
	w.move(w.p, r.counts*lastPlaces, r.counts*w.detector.Rate())
	return ratios, one
}

// shareOut shares a count y out among the places, by its part of the distribution function: from P(Y < y) to P(Y ≤ y). If the forecast
// holds, each ratio is one of two distributions of y, however different the rows are. For a late label only the interval is known.
func (w *watch) shareOut(r *Row) {
	p, low, high := &r.Predictions.Main, 0.5, 1-normal[0]
	switch {
	case p.Count != nil:
		high = max(p.Count.CDF(int(r.Y)), leastOf)
		low = min(p.Count.CDF(int(r.Y)-1), high-leastOf)
	case r.Y < p.Low:
		low, high = 0, normal[0]
	case r.Y > p.High:
		low, high = high, 1
	case r.Y < p.Median:
		low, high = normal[0], low
	}
	from, sum := 0.0, 0.0
	w.miss = 0
	for k, share := range normal {
		w.slow[k] = max(w.slow[k], leastOf) // a place may be empty for long
		w.p[k] = max(0, min(from+share, high)-max(from, low)) * w.slow[k] / share
		from, sum = from+share, sum+w.p[k]
	}
	for k := range w.p {
		w.p[k] /= sum
		w.miss += (w.p[k] - w.slow[k]) * float64(k)
	}
}

// betOnCount moves the bet, which is on the logarithm of 1 + y here, relative to the base rate's.
func (w *watch) betOnCount(r *Row) {
	log := func(p *Prediction) float64 {
		return (math.Log1p(p.Low) + math.Log1p(p.Median) + math.Log1p(p.High)) / 3
	}
	usual := log(&r.Predictions.BaseRate)
	in, y := [...]float64{log(&r.Predictions.Main) - usual, 1}, math.Log1p(r.Y)-usual
	spread, sd := w.bet.variance(in[:]), math.Sqrt(w.noise[0])
	bound := func(e float64) float64 { return max(-maxError*sd, min(maxError*sd, e)) }
	w.bets(r.counts, spread, bound(y-w.bet.sum(in[:]))/w.noise[0], 1/w.noise[0])
	if e := bound(y - in[0]); w.detector.Learns() {
		w.noise[0] += r.counts * w.detector.Rate() * (max(e*e, minNoise) - w.noise[0])
	}
}

// placeOf finds the place of a number's error. It returns ratios of the densities of the main forecast and of the mean.
func (w *watch) placeOf(r *Row) (main, none float64) {
	const most, farthest = 3, 5 // of the logarithm of the ratio; deviations
	all := r.Predictions.Main.Inputs
	u, d, n := all[len(all)-2], all[len(all)-1], len(w.experts)
	for i, at := range w.experts {
		w.x[i] = all[at]
	}
	w.x[n] = 1
	variance, mean, sd, y := w.reference.variance(w.x), w.reference.sum(w.x), math.Sqrt(w.noise[0]), (r.Y-u)/d
	square := func(mean float64) float64 { return min(math.Abs(y-mean)/sd, farthest) }
	z := square(mean)
	ratio := func(mean float64) float64 {
		other := square(mean)
		return math.Exp(max(-most, min(most, (z*z-other*other)/2)))
	}
	place, at := 0, (y-mean)/sd
	for _, end := range ends {
		if end < at {
			place++
		}
	}
	clear(w.p)
	w.p[place] = 1
	in, noise := [...]float64{mean, 1}, 0.0
	for k, share := range w.quick { // the noise of the last rows may be larger than usual
		if share < normal[k] {
			share = normal[k]
		}
		noise += share * distances[k] * distances[k] * w.noise[0]
	}
	spread := w.bet.variance(in[:])
	bound := func(e, sd float64) float64 { return max(-maxError*sd, min(maxError*sd, e)) }
	w.bets(r.counts, spread, bound(y-w.bet.sum(in[:]), math.Sqrt(noise))/noise, 1/noise)
	w.miss = bound(y-mean, sd)
	if e := w.miss; w.detector.Learns() {
		w.reference.step(r.counts, variance, e/w.noise[0], 1/w.noise[0])
		w.noise[0] += r.counts * w.detector.Rate() * (max(e*e, minNoise) - w.noise[0])
	}
	return (1 + ratio((r.Predictions.Main.Mean-u)/d)) / 2, ratio(0)
}

func (w *watch) tables() []belief.Part {
	return []belief.Part{belief.List("reference mean", w.reference.mean), belief.List("reference covariance", w.reference.cov),
		belief.List("bet mean", w.bet.mean), belief.List("bet covariance", w.bet.cov), belief.List("reference noise", w.noise),
		belief.List("late labels", w.block), belief.List("usual shares", w.slow), belief.List("last shares", w.quick)}
}
