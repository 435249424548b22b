package onepass

import (
	"math"
	"slices"
)

// weights is the embedding of one dimension, for streams of your own. Each hashed slot holds a weight for each logit, and each
// column has a learned scale β. Item c of a row adds β_c Σ_k ±m[h_k(c)] to a logit. It is the paper's model with d = 1, fixed signs
// for W, and θ = β. The scale of a useless column falls.
type weights[T real] struct {
	Config
	slots  []entry[T]       // [buckets, outputs]; nil with codes
	coded  coded[T]         // nil without codes
	scales []entry[float64] // [columns, outputs]

	// For the row:
	used     []uint32   // its slots, each once
	again    [][2]int   // uses of a slot that came before, and its first use
	fetched  []entry[T] // their entries [used, outputs]; while the row is read, the entries of its uses of slots
	ofSlot   []float64  // gradients Σ β ± share over the uses of a slot [used, outputs]
	groups   []int32    // its columns
	ofColumn []float64  // gradients by the scales Σ ± share m [groups, outputs]
	met      met
}

// A scale stays within these limits.
const minScale, maxScale = 0.05, 20

func newWeights[T real](c Config) *weights[T] {
	p := &weights[T]{Config: c, scales: make([]entry[float64], c.Columns*c.Outputs)}
	if c.BeliefBits > 0 {
		p.coded = newCoded[T](c.Buckets*c.Outputs, c.BeliefBits, c.Prior.E)
	} else {
		p.slots = slices.Repeat([]entry[T]{{variance: T(c.Prior.E)}}, c.Buckets*c.Outputs)
	}
	for i := range p.scales {
		p.scales[i] = entry[float64]{1, c.Prior.Theta}
		if c.BeliefBits == 16 && i >= c.fields()*c.Outputs {
			p.scales[i].mean = 0.5 // of a pair, whose weights are now its own
		}
	}
	return p
}

// read adds the row's items to the logits and keeps the gradients. Entries of different logits are independent.
func (p *weights[T]) read(row *Row, s *sums) {
	p.begin(row)
	if p.Outputs == 1 {
		p.readOne(row, s)
	} else {
		p.readSeveral(row, s)
	}
	p.end(s)
}

// begin reads the slots of a row. It reads all of them before one is used, so that the memory can fetch them together.
func (p *weights[T]) begin(row *Row) {
	n, uses, cells := p.Outputs, len(row.Slots), len(row.Cells)
	p.fetched, p.ofSlot, p.used = grown(p.fetched[:0], uses*n), grown(p.ofSlot[:0], uses*n), grown(p.used[:0], uses)
	p.groups, p.ofColumn = grown(p.groups[:0], cells), grown(p.ofColumn[:0], cells*n)
	if p.coded != nil {
		p.coded.fetch(p.fetched, row.Slots, n)
	} else if n == 1 {
		fetched, table := p.fetched, p.slots
		for i, slot := range row.Slots {
			fetched[i] = table[slot&^signBit]
		}
	} else {
		for i, slot := range row.Slots {
			copy(p.fetched[i*n:(i+1)*n], p.slots[int(slot&^signBit)*n:])
		}
	}
	p.find(row.Slots)
}

// find lists the slots of a row, and its uses of a slot that came before.
func (p *weights[T]) find(slots []uint32) {
	used := p.used[:len(slots)]
	p.again = p.again[:0]
	for i, slot := range slots {
		slot &^= signBit
		used[i] = slot
		if p.met.add(slot) {
			if j := slices.Index(used[:i], slot); j >= 0 {
				p.again = append(p.again, [2]int{i, j})
			}
		}
	}
	for _, slot := range used {
		p.met.remove(slot)
	}
}

// join adds up the gradients of the slots that came again, and leaves out their later uses.
func (p *weights[T]) join() {
	if len(p.again) == 0 {
		return
	}
	n := p.Outputs
	for _, a := range p.again {
		for o := range n {
			p.ofSlot[a[1]*n+o] += p.ofSlot[a[0]*n+o]
		}
	}
	to, rest := p.again[0][0], p.again
	for i := to; i < len(p.used); i++ {
		if len(rest) > 0 && rest[0][0] == i {
			rest = rest[1:]
			continue
		}
		p.used[to] = p.used[i]
		for o := range n {
			p.ofSlot[to*n+o], p.fetched[to*n+o] = p.ofSlot[i*n+o], p.fetched[i*n+o]
		}
		to++
	}
	p.ofSlot, p.used, p.fetched = p.ofSlot[:to*n], p.used[:to], p.fetched[:to*n]
}

// end adds the variances of the row's slots and scales to the logits.
func (p *weights[T]) end(s *sums) {
	n := p.Outputs
	for o := range n {
		variance, ofSlot := s.cov[o*n+o], p.ofSlot
		fetched := p.fetched[:len(ofSlot)]
		for j := o; j < len(ofSlot); j += n {
			variance += ofSlot[j] * ofSlot[j] * float64(fetched[j].variance)
		}
		ofColumn, scales := p.ofColumn, p.scales
		for j, c := range p.groups {
			g := ofColumn[j*n+o]
			variance += scales[int(c)*n+o].variance * g * g
		}
		s.cov[o*n+o] = variance
	}
	if s.gains != nil {
		p.tell(s.gains)
	}
}

// tell notes the addition of each column of the row to the logits.
func (p *weights[T]) tell(g *gains) {
	g.columns = p.groups
	for j, c := range p.groups {
		for o := range p.Outputs {
			at := int(c)*p.Outputs + o
			g.added[at] = p.scales[at].mean * p.ofColumn[j*p.Outputs+o]
		}
	}
}

// group returns the place of a column among the first n columns of the row, or n. Cells of one column lie mostly side by side.
func (p *weights[T]) group(column int32, n int) int {
	if n > 0 && p.groups[n-1] == column {
		return n - 1
	}
	if group := slices.Index(p.groups[:n], column); group >= 0 {
		return group
	}
	return n
}

// readOne reads a row of a single logit.
func (p *weights[T]) readOne(row *Row, s *sums) {
	cells, slots, hashes := row.Cells, row.Slots, len(row.Slots)/max(1, len(row.Cells))
	fetched, ofSlot, scales := p.fetched[:len(slots)], p.ofSlot[:len(slots)], p.scales
	groups, ofColumn, n, last := p.groups[:len(cells)], p.ofColumn[:len(cells)], 0, int32(-1)
	mean, variance := s.mean[0], s.cov[0]
	for i := range cells {
		c := &cells[i]
		scale := &scales[c.Column]
		at := i * hashes
		share := signed(c.Share, slots[at])
		ofScale, squares := share*float64(fetched[at].mean), float64(fetched[at].variance) // Σ ± m and Σ v over the item's uses of slots
		ofSlot[at] = scale.mean * share
		for k := at + 1; k < at+hashes; k++ {
			share := signed(c.Share, slots[k])
			ofScale += share * float64(fetched[k].mean)
			squares += float64(fetched[k].variance)
			ofSlot[k] = scale.mean * share
		}
		mean += scale.mean * ofScale
		variance += scale.variance * c.Share * c.Share * squares
		if c.Column > last {
			groups[n], ofColumn[n], last = c.Column, ofScale, c.Column
			n++
		} else if group := p.group(c.Column, n); group < n {
			ofColumn[group] += ofScale
		} else {
			groups[n], ofColumn[n] = c.Column, ofScale
			n++
		}
	}
	p.groups, p.ofColumn = groups[:n], ofColumn[:n]
	s.mean[0], s.cov[0] = mean, variance
	p.join()
}

// readSeveral reads a row of several logits.
func (p *weights[T]) readSeveral(row *Row, s *sums) {
	n := p.Outputs
	at, groups, hashes := 0, 0, len(row.Slots)/max(1, len(row.Cells))
	for i := range row.Cells {
		c := &row.Cells[i]
		group := p.group(c.Column, groups)
		scales, ofColumn := p.scales[int(c.Column)*n:][:n], p.ofColumn[group*n:][:n]
		if group == groups {
			p.groups[group] = c.Column
			clear(ofColumn)
			groups++
		}
		for end := at + hashes; at < end; at++ {
			share, entries, ofSlot := signed(c.Share, row.Slots[at]), p.fetched[at*n:][:n], p.ofSlot[at*n:][:n]
			for o, scale := range scales {
				e := entries[o]
				ofSlot[o] = scale.mean * share
				ofColumn[o] += share * float64(e.mean)
				s.cov[o*n+o] += scale.variance * share * share * float64(e.variance)
			}
		}
	}
	p.groups, p.ofColumn = p.groups[:groups], p.ofColumn[:groups*n]
	p.join()
	for i, x := range p.ofSlot {
		s.mean[i%n] += x * float64(p.fetched[i].mean)
	}
}

// write moves the slots that the row touched, and the scales of its columns. It does not read the slots again, and it writes the two
// numbers of a slot one by one: a pair copied from memory would wait for its parts.
func (p *weights[T]) write(_ *Row, s *sums) {
	n, gain, most, tempering, least := p.Outputs, p.Tau*p.Prior.E, p.Prior.E, p.Tempering, p.Least
	ofSlot, table := p.ofSlot, p.slots
	if p.coded != nil {
		most = math.Inf(1) // store sees to it, without a branch
	}
	fetched := p.fetched[:len(ofSlot)]
	for o := range n {
		gradient, curvature, at := s.gradient[o], s.curvature[o*n+o], o-n
		for _, slot := range p.used {
			at += n
			g, v := ofSlot[at], float64(fetched[at].variance)
			mean := fetched[at].mean + T(v*(g*gradient))
			rest := 1 - tempering*v*(g*g*curvature)
			if rest < least {
				rest = least
			}
			if v = float64(T(v*rest)) + gain; v > most {
				v = most
			}
			e := &fetched[at]
			if table != nil {
				e = &table[int(slot)*n+o]
			}
			e.mean, e.variance = mean, T(v)
		}
		for j, c := range p.groups {
			g, e := p.ofColumn[j*n+o], &p.scales[int(c)*n+o]
			e.move(g*gradient, g*g*curvature, tempering, least)
			e.bound(minScale, maxScale)
		}
	}
	if p.coded != nil {
		p.coded.store(fetched, p.used, n, draws(s.rows, learning))
	}
}

// revise changes the belief of each slot.
func (p *weights[T]) revise(change func(*entry[T]), draws uint64) {
	if p.coded != nil {
		p.coded.revise(change, draws)
	}
	for i := range p.slots {
		change(&p.slots[i])
	}
}
