package onepass

import (
	"math"
	"math/bits"
)

// evidence pools what became of an item's earlier rows, in the logit. Each item has a slot with how often it was seen, n, and
// how often its label was 1, P. It says x = logit((nP + κg)/(n + κ)) − logit(g), where g is the running base rate. A weight
// for each column and each power of two of n, itself a belief, says how far to trust it:
//
//	η = logit(g) + Σ W[column, bin(n)] x
//
// Slots have check bits: an item that was never seen finds no evidence, rather than another item's.
type evidence struct {
	slots  []evidenceSlot
	weight []entry[float64] // [columns, evidenceBins]
	base   float64          // g
	seen   float64          // rows that g counts

	// Of the row's cells, in order.
	x  []float64
	at []int32 // slot
	w  []int32 // weight
}

// evidenceSlot holds an item's counts. n of 0 is an empty slot.
type evidenceSlot struct {
	check, n uint16
	p        float32
}

const (
	evidenceBins  = 10   // of n: none, 1, 2–3, 4–7, …
	mostSeen      = 255  // n stops there, so that P goes on following what changes
	evidenceKappa = 0.5  // κ: rows at the base rate that every item starts with
	mostBase      = 5000 // rows that g averages at most
	evidenceLeast = 0.2  // share of its variance that a weight keeps in any row
	// Weights start at a small share, so that a column must earn its say.
	evidenceMean, evidenceVariance = 0.1, 0.005
)

func newEvidence(columns, slots int) *evidence {
	p := &evidence{slots: make([]evidenceSlot, slots), weight: make([]entry[float64], columns*evidenceBins), base: 0.5, seen: 1}
	for i := range p.weight {
		p.weight[i] = entry[float64]{min(evidenceMean, 1/float64(columns)), evidenceVariance}
	}
	return p
}

// logit of a probability, away from certainty.
func logit(p float64) float64 {
	const least = 1e-4
	p = min(max(p, least), 1-least)
	return math.Log(p / (1 - p))
}

// place returns an item's slot and its check bits.
func (p *evidence) place(key uint64) (at int32, check uint16) {
	high, _ := bits.Mul64(key*0x9E3779B97F4A7C15, uint64(len(p.slots)))
	return int32(high), uint16(key * 0xBF58476D1CE4E5B9 >> 48)
}

// read adds the base rate and what the row's items say.
func (p *evidence) read(row *Row, s *sums) {
	base := logit(p.base)
	s.mean[0] += base
	p.x, p.at, p.w = p.x[:0], p.at[:0], p.w[:0]
	for i := range row.Cells {
		c := &row.Cells[i]
		at, check := p.place(c.Key)
		x, bin := 0.0, 0
		if slot := &p.slots[at]; slot.n > 0 && slot.check == check {
			n := float64(slot.n)
			x = c.Share * (logit((n*float64(slot.p)+evidenceKappa*p.base)/(n+evidenceKappa)) - base)
			bin = min(bits.Len16(slot.n), evidenceBins-1)
		}
		w := int32(c.Column*evidenceBins + bin)
		s.mean[0] += p.weight[w].mean * x
		s.cov[0] += p.weight[w].variance * x * x
		p.x, p.at, p.w = append(p.x, x), append(p.at, at), append(p.w, w)
	}
}

// write moves the weights, with the counts as they stood when the row was read.
func (p *evidence) write(_ *Row, s *sums) {
	for i, x := range p.x {
		p.weight[p.w[i]].move(x*s.pull[0], x*x*s.stiffness[0], 1, evidenceLeast)
	}
}

// count updates the counts by a row's label, after the weights have learned.
func (p *evidence) count(row *Row, label float64) {
	for i := range row.Cells {
		at, check := p.place(row.Cells[i].Key)
		slot := &p.slots[at]
		switch {
		case slot.n > 0 && slot.check == check:
			slot.n = min(slot.n+1, mostSeen)
			slot.p += (float32(label) - slot.p) / float32(slot.n)
		case slot.n > 1: // what is there ages before it gives way
			slot.n--
		default:
			*slot = evidenceSlot{check, 1, float32(label)}
		}
	}
	p.seen = min(p.seen+1, mostBase)
	p.base += (label - p.base) / p.seen
}

func (p *evidence) forget(*Row) {}
