package onepass

import (
	"math"
	"math/bits"
	"slices"

	"gophe/phe/internal/modulus"
)

// evidence is a term of the logit that pools the labels of each item's earlier rows. Each item has a slot with n, the number of its
// rows, and P, the mean of their labels. The evidence of an item is x = link((nP + κg)/(n + κ)) − link(g), where g is the running
// base rate. A weight for each column and each power of two of n says how far to trust the evidence. The weights are beliefs too:
//
//	η = link(g) + b + Σ W[column, bin(n)] x
//
// The link is the logit of a probability of two classes, the logarithm of a rate or of one of several probabilities, and the identity
// for a number. For a number, P is the mean of the model's errors in the item's rows, and g is their mean in all rows. Slots have
// check bits, so a new item finds no evidence of other items. Each of several outputs has its own P, g, b and weights.
//
// P tells what came of an item in all its rows, so in a large table it is mostly old. With Config.Latest, each slot also has the label y of
// its item's latest row. It has a weight for each column, which begins at 0, and another one if that row was the row learned just before:
//
//	η = … + Σ U[column, just before] (z − x),  z = link((y + κg)/(1 + κ)) − link(g)
//
// A small table has replaced most items but the last rows', which is why it forecasts well where neighbouring rows are alike.
type evidence struct {
	Config
	most   float64         // largest mean label that has a logarithm; a smaller one than leastMean counts as that
	odds   bool            // the link takes the odds of a mean label
	places modulus.Modulus // by the number of slots. With twice as many, an item in slot r moves to r or to r + slots
	words  []uint32        // [slots, 1 + outputs]: check bits, stamp and n, then each output's P as float32, whose last bits are y
	ends   uint32          // mask of y's bits
	base   []float64       // g [outputs], then the number of rows in g
	trust

	// The evidence alone, without the hashed weights, forecasts too: link(g) + b + Σ V x. It has the same x and g, and weights of its own,
	// which are pulled by its own error. nil without Config.Alone.
	alone     *trust
	aloneSums *sums

	// For the row:
	at     []int     // places of the slots of its cells in words
	firsts []uint32  // the first words of these slots
	found  []found   // cells with evidence
	x      []float64 // their evidence, and then link(g) [outputs, found + 1]
	z      []float64 // their z − x [outputs, found]; with Config.Latest

	met [3]float64 // number of times that an item found its slot, took an empty one, or met another item
}

// found is an item that has evidence.
type found struct {
	share  float64
	at     int   // place of its slot in words
	rows   int32 // n
	weight int32 // place of its weight W for the first output
	latest int32 // place of its weight U for the first output
}

// A slot's first word holds check bits, a stamp and n. An empty slot has n = 0. The stamp is the item's latest row, modulo 256.
const (
	checkShift = 16
	checkMask  = 1<<checkShift - 1
	stampShift = 8
	stampMask  = 1<<stampShift - 1
	rowsMask   = 1<<stampShift - 1
)

// mean returns P of an output, given the place of a slot.
func (p *evidence) mean(at, o int) float64 {
	return float64(math.Float32frombits(p.words[at+1+o] &^ p.ends))
}

// bitsOf returns a label as y.
func (p *evidence) bitsOf(label float64) uint32 {
	if p.Head != Gaussian {
		return uint32(label) & p.ends // 0 or 1
	}
	return (math.Float32bits(float32(label)) + 1<<(latestShift-1)) >> latestShift & p.ends
}

// join returns the word of P and y.
func (p *evidence) join(mean float32, y uint32) uint32 {
	return (math.Float32bits(mean)+(p.ends+1)/2)&^p.ends | y
}

// latestLabel returns y of a number, given the place of a slot.
func (p *evidence) latestLabel(at int) float64 {
	return float64(math.Float32frombits(p.words[at+1] & p.ends << latestShift))
}

// latestShift is the number of bits that y leaves out, of a number's float32.
const latestShift = 20

// EvidenceBins is the number of evidence weights for each column and output, by the rows of an item: 0, 1, 2–3, 4–7, …; the last is free.
const EvidenceBins = 10

const (
	maxSeen       = 255  // largest n; P then continues to follow changes
	evidenceKappa = 0.5  // κ: number of rows at the base rate that every item starts with
	maxBase       = 5000 // largest number of rows that g averages
	leastMean     = 1e-4 // smallest mean label that has a logarithm
	evidenceLeast = 0.2  // share of its variance that a weight keeps at least in any row
	maxTrust      = 3    // bound of a number's weights
	evidenceBias  = 0.05 // variance of b before any row
	// Initial weights are small, so a column must prove itself first.
	evidenceMean, evidenceVariance = 0.1, 0.005
	// The latest labels of many columns say the same. So the columns share these variances of U. The evidence alone has the larger one:
	// the mixture and the regression choose whether to follow it.
	latestVariance, latestAlone = 0.005, 0.09
)

func newEvidence(c Config) *evidence {
	n := c.Outputs
	p := &evidence{Config: c, most: 1 - leastMean, odds: c.Head == Bernoulli,
		places: modulus.New(c.Evidence), words: make([]uint32, c.Evidence*(1+n)), base: make([]float64, n+1),
		trust: newTrust(c, latestVariance)}
	p.base[n] = 1
	for o := range n {
		switch c.Head {
		case Bernoulli, Softmax:
			p.base[o] = 1 / float64(max(2, n))
		case Poisson:
			p.base[o], p.most = 1, math.Inf(1)
		}
	}
	if c.Alone {
		alone := newTrust(c, latestAlone)
		p.alone, p.aloneSums = &alone, newSums(n)
	}
	if c.Latest {
		if p.ends = 1; c.Head == Gaussian {
			p.ends = 1<<(32-latestShift) - 1
		}
	}
	return p
}

// trust holds the weights of evidence, which say how far it is trusted.
type trust struct {
	first  [EvidenceBins]entry[float64] // W before any row
	weight []entry[float64]             // W [columns, EvidenceBins, outputs]. The bins 0 and justBin, which no item has, are U
	bias   []entry[float64]             // b [outputs]
}

// justBin is the bin of U for items of the row just before. Bin 0 has U for the others.
const justBin = EvidenceBins - 1

// newTrust returns the trust before any row, given the variance that the columns' U share.
func newTrust(c Config, latest float64) trust {
	t := trust{weight: make([]entry[float64], c.Columns*EvidenceBins*c.Outputs),
		bias: slices.Repeat([]entry[float64]{{variance: evidenceBias}}, c.Outputs)}
	for bin := range t.first {
		t.first[bin] = entry[float64]{min(evidenceMean, 1/float64(c.Columns)), evidenceVariance}
	}
	if c.Latest {
		t.first[0] = entry[float64]{0, latest / float64(c.Columns)}
		t.first[justBin] = t.first[0]
	}
	for i := range t.weight {
		t.weight[i] = t.first[i/c.Outputs%EvidenceBins]
	}
	return t
}

// read adds the base rate and the evidence of the row's items to the logits.
func (t *trust) read(p *evidence, s *sums) {
	n := p.Outputs
	for o := range n {
		mean, variance := s.mean[o]+(p.link(o)+t.bias[o].mean), s.cov[o*n+o]+t.bias[o].variance
		s.mean[o], s.cov[o*n+o] = p.sum(t.weight[o:], o, mean, variance)
	}
}

// sum adds the evidence of the found items for output o to its mean and variance. A function of its own keeps all numbers in registers.
func (p *evidence) sum(weight []entry[float64], o int, mean, variance float64) (float64, float64) {
	xs, zs, moreMean, moreVariance := p.evidenceOf(o), p.latestOf(o), 0., 0. // of U: the processor adds both sums at a time
	for j := range p.found {
		f, x := &p.found[j], xs[j]
		e := &weight[f.weight]
		mean += e.mean * x
		variance += e.variance * x * x
		if j < len(zs) {
			z, u := zs[j], &weight[f.latest]
			moreMean += u.mean * z
			moreVariance += u.variance * z * z
		}
	}
	return mean + moreMean, variance + moreVariance
}

// write moves the weights of the last read.
func (t *trust) write(p *evidence, s *sums) {
	n := p.Outputs
	for o := range n {
		gradient, curvature := s.gradient[o], s.curvature[o*n+o]
		t.bias[o].move(gradient, curvature, 1, evidenceLeast)
		p.move(t.weight[o:], o, gradient, curvature)
	}
}

// move moves the weights of the found items for output o.
func (p *evidence) move(weight []entry[float64], o int, gradient, curvature float64) {
	found, xs, zs := p.found, p.evidenceOf(o), p.latestOf(o)
	for j, x := range xs {
		f := &found[j]
		if x != 0 {
			weight[f.weight].move(x*gradient, x*x*curvature, 1, evidenceLeast)
		}
		if j < len(zs) && zs[j] != 0 {
			weight[f.latest].move(zs[j]*gradient, zs[j]*zs[j]*curvature, 1, evidenceLeast)
		}
	}
	if p.Head != Gaussian {
		return
	}
	for j := range found { // the evidence of a number is a mean of errors, which grow with a weight far from 0
		if weight[found[j].weight].bound(-maxTrust, maxTrust); j < len(zs) {
			weight[found[j].latest].bound(-maxTrust, maxTrust)
		}
	}
}

// evidenceOf returns the evidence x of the found items for output o.
func (p *evidence) evidenceOf(o int) []float64 { return p.x[o*(len(p.found)+1):][:len(p.found)] }

// link returns link(g) for output o.
func (p *evidence) link(o int) float64 { return p.x[o*(len(p.found)+1)+len(p.found)] }

// latestOf returns z − x of the found items for output o.
func (p *evidence) latestOf(o int) []float64 {
	if !p.Latest {
		return nil
	}
	return p.z[o*len(p.found):][:len(p.found)]
}

// ratio returns the number whose logarithm is the link of a mean label.
func (p *evidence) ratio(mean float64) float64 {
	if mean < leastMean {
		mean = leastMean
	} else if mean > p.most {
		mean = p.most
	}
	if p.odds {
		mean /= 1 - mean
	}
	return mean
}

// turned returns a label, or a mean of labels, from the other side's point of view.
func (p *evidence) turned(label float64) float64 {
	if p.Head == Gaussian {
		return -label
	}
	return 1 - label
}

// checkOf returns an item's check bits. Keys are uniform below 2⁶¹.
func checkOf(key uint64) uint32 { return uint32(key>>45) & checkMask }

// read adds the base rate and the evidence of the row's items to the logits. It works in passes: slots, ratios, logarithms, sums.
func (p *evidence) read(row *Row, s *sums) {
	p.find(row, stampOf(s.rows-1))
	p.x, p.z = grown(p.x[:0], p.Outputs*(len(p.found)+1)), grown(p.z[:0], p.Outputs*len(p.found))
	for o := range p.Outputs {
		if p.weigh(o); p.Latest {
			p.follow(o, row.Late)
		}
	}
	p.trust.read(p, s)
	if p.alone != nil {
		p.aloneSums.reset()
		p.alone.read(p, p.aloneSums)
	}
}

// stampOf returns the stamp of a row.
func stampOf(row int) uint32 { return uint32(row) & stampMask }

// find looks up the items' slots, given the stamp of the row before. It reads all before it uses one, so the memory fetches them together.
func (p *evidence) find(row *Row, before uint32) {
	cells := row.Cells
	p.at, p.firsts, p.found = grown(p.at[:0], len(cells)), grown(p.firsts[:0], len(cells)), grown(p.found[:0], len(cells))
	at, firsts, all, n := p.at[:len(cells)], p.firsts[:len(cells)], p.found[:len(cells)], 0
	size, words, places := 1+p.Outputs, p.words, p.places
	for i := range cells {
		at[i] = int(places.Of(cells[i].Key)) * size
		firsts[i] = words[at[i]]
	}
	for i := range cells {
		c, rows := &cells[i], int32(firsts[i]&rowsMask)
		bin := min(int32(bits.Len32(uint32(rows))), EvidenceBins-1)
		age := firsts[i]>>stampShift&stampMask ^ before
		just := int32((age - 1) >> 31) // 1 for the stamp of the row before, without a branch
		f := &all[n]                   // set in place: a copy would wait for its parts
		f.share, f.at, f.rows = c.Share, at[i], rows
		f.weight, f.latest = (c.Column*EvidenceBins+bin)*int32(p.Outputs), (c.Column*EvidenceBins+just*justBin)*int32(p.Outputs)
		other := uint64(firsts[i]>>checkShift ^ checkOf(c.Key))
		n += int((other - 1) & -uint64(rows) >> 63) // 0 if the slot is empty or of another item, without a branch
	}
	p.found = all[:n]
}

// weigh sets link(g) and the evidence x of the found items for output o. The slot of an opponent counts labels from the other side. The
// link maps a mean label to the logit, at some distance from certainty.
func (p *evidence) weigh(o int) {
	g, n, gaussian := p.base[o], len(p.found), p.Head == Gaussian
	usual, turned, x := evidenceKappa*g, evidenceKappa*p.turned(g), p.x[o*(n+1):][:n+1]
	x[n] = g
	for j := range p.found {
		f, first := &p.found[j], usual
		if f.share < 0 {
			first = turned
		}
		x[j] = (float64(f.rows)*p.mean(f.at, o) + first) / (float64(f.rows) + evidenceKappa)
		if !gaussian {
			x[j] = p.ratio(x[j])
		}
	}
	if !gaussian {
		x[n] = p.ratio(g)
		Logarithms(x)
	}
	link := x[n]
	for j := range p.found {
		if share := p.found[j].share; share < 0 {
			x[j] = share * (x[j] + link)
		} else {
			x[j] = share * (x[j] - link)
		}
	}
}

// follow sets z − x of the found items for output o. It is 0 for a label that comes late, since newer labels came after the forecast.
func (p *evidence) follow(o int, late bool) {
	x, z := p.evidenceOf(o), p.latestOf(o)
	if late {
		clear(z)
		return
	}
	g, link := p.base[o], p.link(o)
	if p.Head == Gaussian {
		for j := range z {
			f, side := &p.found[j], g
			if f.share < 0 {
				side = -g
			}
			z[j] = f.share*(p.latestLabel(f.at)-side)/(1+evidenceKappa) - x[j]
		}
		return
	}
	var of [4]float64 // by the sign of the share, and y
	for i, side := range [...]float64{g, g, p.turned(g), p.turned(g)} {
		of[i] = p.ratio((float64(i%2) + evidenceKappa*side) / (1 + evidenceKappa))
	}
	Logarithms(of[:])
	of = [...]float64{of[0] - link, of[1] - link, of[2] + link, of[3] + link}
	for j := range p.found {
		f := &p.found[j]
		z[j] = f.share*of[math.Float64bits(f.share)>>63<<1|uint64(p.words[f.at+1+o]&1)] - x[j]
	}
}

// write moves the weights, with the counts from before this row. Then it adds the row to the counts.
func (p *evidence) write(row *Row, s *sums) {
	p.trust.write(p, s)
	if p.alone != nil {
		p.alone.write(p, p.aloneSums)
	}
	seen := &p.base[p.Outputs]
	*seen = min(*seen+1, maxBase)
	p.count(row, s)
	for o, y := range s.label {
		p.base[o] += (y - p.base[o]) / (1 + (*seen-1)*s.meanWeight)
	}
}

// count adds the row's label to its items' slots. If a slot belongs to another item, that item ages until it gives way.
func (p *evidence) count(row *Row, s *sums) {
	cells, words := row.Cells, p.words
	at, rows := p.at[:len(cells)], p.firsts[:len(cells)] // rows: n, or 0 if the slot stays with another item
	stamp, known := uint32(0), 0
	if p.Latest {
		stamp = stampOf(s.rows) << stampShift
	}
	for i := range cells {
		first := &words[at[i]]
		check, has, n := checkOf(cells[i].Key), *first>>checkShift, *first&rowsMask
		switch {
		case has == check && n > 0:
			known++
			if n < maxSeen {
				n++
			}
		case n > 1:
			p.met[2]++
			*first--
			rows[i] = 0
			continue
		default:
			p.met[n+1]++
			n = 1
		}
		*first, rows[i] = check<<checkShift|stamp|n, n
	}
	p.met[0] += float64(known)
	for o := range s.label {
		p.average(row, s, o)
	}
}

// average moves the mean labels of an output in the slots that count has counted.
func (p *evidence) average(row *Row, s *sums, o int) {
	cells, means, usual, straight := row.Cells, p.words[1+o:], s.meanWeight, s.label[o]
	at, rows, turned := p.at[:len(cells)], p.firsts[:len(cells)], p.turned(straight)
	ends, of, opponent := p.ends, p.bitsOf(straight), p.bitsOf(turned)
	for i := range cells {
		if rows[i] == 0 {
			continue
		}
		y, end := straight, of
		if cells[i].Share < 0 {
			y, end = turned, opponent
		}
		mean := math.Float32frombits(means[at[i]] &^ ends)
		means[at[i]] = p.join(mean+float32((y-float64(mean))/(1+float64(int32(rows[i])-1)*usual)), end)
	}
}

// Logarithms takes the natural logarithms of positive normal numbers, with the bits of math.Log on amd64. Without calls and branches, the
// processor works on several numbers at a time.
func Logarithms(x []float64) {
	const (
		ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
		l1, l2, l3   = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01
		l4, l5, l6   = 2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01
		l7           = 1.479819860511658591e-01
		mantissa     = 1<<52 - 1
		half         = 0x6A09E667F3BCD // mantissa of √2/2
	)
	for i, v := range x {
		b := math.Float64bits(v)
		m := b & mantissa
		more := (m - half - 1) >> 63 // 1 below √2/2
		k := float64(int(b>>52) - 0x3FE - int(more))
		f := math.Float64frombits(m|(0x3FE+more)<<52) - 1
		s := f / (2 + f)
		s2 := s * s
		s4 := s2 * s2
		t1 := s2 * (l1 + s4*(l3+s4*(l5+s4*l7)))
		t2 := s4 * (l2 + s4*(l4+s4*l6))
		r := t1 + t2
		square := 0.5 * f * f
		x[i] = k*ln2Hi - ((square - (s*(square+r) + k*ln2Lo)) - f)
	}
}
