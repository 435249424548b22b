package onepass

import (
	"math"
	"math/bits"
	"slices"

	"gophe/phe/hash"
)

// evidence is a term of the logit that pools the labels of each item's earlier rows. Each item has a slot with n, the number of its
// rows, and P, the mean of their labels. The evidence of an item is x = link((nP + κg)/(n + κ)) − link(g), where g is the running
// base rate. A weight for each column and each power of two of n says how far to trust the evidence. The weights are beliefs too:
//
//	η = link(g) + b + Σ W[column, bin(n)] x
//
// The link is the logit of a probability of two classes, the logarithm of a rate or of one of several probabilities, and the
// identity for a number. For a number, P is the mean of the model's errors in the item's rows, and g is their mean in all rows.
// Slots have check bits, so a new item finds no evidence rather than another item's. Each of several outputs has its own P, g, b
// and weights.
type evidence struct {
	outputs int
	head    Head
	slots   int
	places  hash.Modulus     // by the number of slots
	words   []uint32         // [slots, 1 + outputs]: check bits and n, then each output's P as float32
	weight  []entry[float64] // [columns, EvidenceBins, outputs]
	bias    []entry[float64] // [outputs]
	base    []float64        // g [outputs], then the number of rows in g

	// For the row's cells, in order:
	x        []float64 // [cells, outputs]
	opposite []bool    // the cell counts negatively
	at       []int32   // slot
	check    []uint16
	word     []uint32  // the slot's first word
	w        []int32   // weight of the first output
	links    []float64 // link(g) [outputs]
	alone    *alone    // nil without Config.Alone
	flat     flatEvidence

	met [3]float64 // number of times that an item found its slot, took an empty one, or met another item
}

// evidenceSlot is a slot's first word: check bits and n. An empty slot has n = 0.
type evidenceSlot struct{ check, n uint16 }

func slotOf(word uint32) evidenceSlot { return evidenceSlot{uint16(word >> 16), uint16(word)} }

func (s evidenceSlot) word() uint32 { return uint32(s.check)<<16 | uint32(s.n) }

// mean returns P of a slot and an output.
func (p *evidence) mean(at, o int) float64 {
	return float64(math.Float32frombits(p.words[at*(1+p.outputs)+1+o]))
}

// EvidenceBins is the number of evidence weights for each column and output. The bins are the numbers of rows of an item: 0, 1,
// 2–3, 4–7, …
const EvidenceBins = 10

const (
	maxSeen       = 255  // largest n; P then continues to follow changes
	evidenceKappa = 0.5  // κ: number of rows at the base rate that every item starts with
	maxBase       = 5000 // largest number of rows that g averages
	evidenceLeast = 0.2  // share of its variance that a weight keeps at least in any row
	evidenceBias  = 0.05 // variance of b before any row
	// Initial weights are small, so a column must prove itself first.
	evidenceMean, evidenceVariance = 0.1, 0.005
)

func newEvidence(c Config) *evidence {
	n := c.Outputs
	p := &evidence{outputs: n, head: c.Head, places: hash.NewModulus(c.Evidence), slots: c.Evidence, words: make([]uint32, c.Evidence*(1+n)),
		weight: make([]entry[float64], c.Columns*EvidenceBins*n), bias: make([]entry[float64], n), base: make([]float64, n+1), links: make([]float64, n)}
	for i := range p.weight {
		p.weight[i] = entry[float64]{min(evidenceMean, 1/float64(c.Columns)), evidenceVariance}
	}
	p.base[n] = 1
	for o := range n {
		p.bias[o].variance = evidenceBias
		switch c.Head {
		case Bernoulli:
			p.base[o] = 0.5
		case Softmax:
			p.base[o] = 1 / float64(n)
		case Poisson:
			p.base[o] = 1
		}
	}
	if c.Alone {
		p.alone = &alone{newSums(n), slices.Clone(p.weight), slices.Clone(p.bias)}
	}
	return p
}

// alone is the forecast of the evidence alone: link(g) + b + Σ V x. It has the same x and g, and weights of its own, which are pulled by
// its own error. It knows other things than the whole model, which explains the same labels by its hashed weights too.
type alone struct {
	sums   *sums
	weight []entry[float64] // V [columns, EvidenceBins, outputs]
	bias   []entry[float64] // [outputs]
}

// begin begins a row.
func (a *alone) begin(links []float64) {
	if a == nil {
		return
	}
	a.sums.reset()
	for o, b := range a.bias {
		a.sums.mean[o] = links[o] + b.mean
		a.sums.cov[o*len(a.bias)+o] = b.variance
	}
}

// add adds evidence x, by a weight, to output o.
func (a *alone) add(weight, o int, x float64) {
	if a == nil {
		return
	}
	e := &a.weight[weight+o]
	a.sums.mean[o] += e.mean * x
	a.sums.cov[o*len(a.bias)+o] += e.variance * x * x
}

// move moves a weight by the evidence x that it has multiplied.
func (a *alone) move(weight, o int, x float64) {
	if a != nil {
		a.weight[weight+o].move(x*a.sums.gradient[o], x*x*a.sums.curvature[o*len(a.bias)+o], 1, evidenceLeast)
	}
}

func (a *alone) moveBias(o int) {
	if a != nil {
		a.bias[o].move(a.sums.gradient[o], a.sums.curvature[o*len(a.bias)+o], 1, evidenceLeast)
	}
}

// link maps a mean label to the logit, at some distance from certainty.
func (p *evidence) link(mean float64) float64 {
	const least = 1e-4
	switch p.head {
	case Gaussian:
		return mean
	case Poisson:
		return math.Log(max(mean, least))
	}
	mean = min(max(mean, least), 1-least)
	if p.head == Softmax {
		return math.Log(mean)
	}
	return math.Log(mean / (1 - mean))
}

// place returns an item's slot and its check bits. Keys are uniform below 2⁶¹. With twice as many slots, an item in slot r moves to
// r or to r + slots.
func (p *evidence) place(key uint64) (at int32, check uint16) {
	return int32(p.places.Of(key)), uint16(key >> 45)
}

// read adds the base rate and the evidence of the row's items to the logits.
func (p *evidence) read(row *Row, s *sums) {
	if row.Flat != nil {
		p.readFlat(row.Flat, s)
		return
	}
	n := p.outputs
	for o, g := range p.base[:n] {
		p.links[o] = p.link(g)
		s.mean[o] += p.links[o] + p.bias[o].mean
		s.cov[o*n+o] += p.bias[o].variance
	}
	p.alone.begin(p.links)
	p.find(row)
	p.x, p.w = p.x[:0], p.w[:0]
	for i := range row.Cells {
		c := &row.Cells[i]
		slot, bin := p.found(i)
		w := (c.Column*EvidenceBins + bin) * n
		for o := range n {
			x := 0.0
			if bin > 0 {
				x = c.Share * p.says(float64(slot.n), p.mean(int(p.at[i]), o), o, c.Share < 0)
				e := p.weight[w+o]
				s.mean[o] += e.mean * x
				s.cov[o*n+o] += e.variance * x * x
				p.alone.add(w, o, x)
			}
			p.x = append(p.x, x)
		}
		p.w = append(p.w, int32(w))
	}
}

// found returns the slot of a cell, and the bin of its n. The bin is 0 if the slot is empty or belongs to another item.
func (p *evidence) found(cell int) (slot evidenceSlot, bin int) {
	slot = slotOf(p.word[cell])
	if slot.n > 0 && slot.check == p.check[cell] {
		bin = min(bits.Len16(slot.n), EvidenceBins-1)
	}
	return slot, bin
}

// find looks up the items' slots. It reads all of them before it uses one, so that the memory can fetch them together.
func (p *evidence) find(row *Row) {
	p.opposite, p.at, p.check, p.word = p.opposite[:0], p.at[:0], p.check[:0], p.word[:0]
	for i := range row.Cells {
		c := &row.Cells[i]
		at, check := p.place(c.Key)
		p.at, p.check, p.opposite = append(p.at, at), append(p.check, check), append(p.opposite, c.Share < 0)
		p.word = append(p.word, p.words[int(at)*(1+p.outputs)])
	}
}

// says returns the evidence x of a slot with n rows, for output o. The slot of an opponent counts labels from the other side.
func (p *evidence) says(n, mean float64, o int, opposite bool) float64 {
	base, link := p.base[o], p.links[o]
	if opposite {
		base, link = p.turned(base), -link
	}
	return p.link((n*mean+evidenceKappa*base)/(n+evidenceKappa)) - link
}

// turned returns a label, or a mean of labels, from the other side's point of view.
func (p *evidence) turned(label float64) float64 {
	if p.head == Gaussian {
		return -label
	}
	return 1 - label
}

// write moves the weights, with the counts from before this row. Then it adds the row to the counts.
func (p *evidence) write(row *Row, s *sums) {
	if row.Flat != nil {
		p.writeFlat(row.Flat, s)
		return
	}
	n := p.outputs
	for o := range n {
		p.bias[o].move(s.gradient[o], s.curvature[o*n+o], 1, evidenceLeast)
		p.alone.moveBias(o)
	}
	for i, w := range p.w {
		for o := range n {
			if x := p.x[i*n+o]; x != 0 {
				p.weight[int(w)+o].move(x*s.gradient[o], x*x*s.curvature[o*n+o], 1, evidenceLeast)
				p.alone.move(int(w), o, x)
			}
		}
	}
	seen := min(p.base[n]+1, maxBase)
	p.base[n] = seen
	for i, at := range p.at {
		p.count(int(at), p.check[i], s, p.opposite[i])
	}
	for o, y := range s.label {
		p.base[o] += (y - p.base[o]) / (1 + (seen-1)*s.meanWeight)
	}
}

// count adds the row's label to an item's slot. If the slot belongs to another item, that item ages until it gives way.
func (p *evidence) count(at int, check uint16, s *sums, opposite bool) {
	words := p.words[at*(1+p.outputs) : (at+1)*(1+p.outputs)]
	slot := slotOf(words[0])
	switch {
	case slot.n > 0 && slot.check == check:
		p.met[0]++
		slot.n = min(slot.n+1, maxSeen)
	case slot.n > 1:
		p.met[2]++
		slot.n--
		words[0] = slot.word()
		return
	default:
		p.met[min(int(slot.n), 1)+1]++
		slot = evidenceSlot{check, 1}
	}
	words[0] = slot.word()
	for o, y := range s.label {
		if opposite {
			y = p.turned(y)
		}
		mean := math.Float32frombits(words[1+o])
		mean += float32((y - float64(mean)) / (1 + float64(slot.n-1)*s.meanWeight))
		words[1+o] = math.Float32bits(mean)
	}
}

func (p *evidence) forget(*Row) {}
