package onepass

import (
	"math"
	"slices"
)

// flatWeights is the memory by which weights learn a flat row.
type flatWeights struct {
	used     []uint32  // touched slots
	again    [][2]int  // uses of a slot that came before, and its first use
	met      met       // slots of the row
	groups   []int     // columns of the row
	place    []int32   // [columns] the column's place among groups, if groups has it there
	ofColumn []float64 // gradient by the scales of the groups
	cells    Flat      // cells of a row that has no flat form
}

// of returns a row's flat form.
func (w *flatWeights) of(row *Row) *Flat {
	if row.Flat != nil {
		return row.Flat
	}
	f := &w.cells
	f.Cells, f.Slots = f.Cells[:0], f.Slots[:0]
	for i := range row.Cells {
		c := &row.Cells[i]
		f.Cells = append(f.Cells, flatCell{c.Key, c.Share, int32(c.Column)})
		for k, b := range c.Buckets {
			f.Slots = append(f.Slots, uint32(b)|uint32(c.Signs>>k&1)<<31)
		}
	}
	return f
}

// met is a set of the slots that a row has used, up to collisions of their last bits. Two uses of one slot in a row are rare, so a
// collision may cost a search.
type met [1 << 9]uint64

// add adds a slot and tells whether it may have been there.
func (m *met) add(slot uint32) (before bool) {
	w, bit := &m[slot>>6%uint32(len(m))], uint64(1)<<(slot&63)
	before = *w&bit != 0
	*w |= bit
	return before
}

// remove empties the set of some slots.
func (m *met) remove(slots []uint32) {
	for _, slot := range slots {
		m[slot>>6%uint32(len(m))] = 0
	}
}

// readFlat is read for a single output. It reads all slots before it uses one, so that the memory can fetch them together.
func (p *weights[T]) readFlat(f *Flat, s *sums) {
	uses, w := len(f.Slots), &p.flat
	p.fetched, p.ofSlot, w.used = grown(p.fetched[:0], uses), grown(p.ofSlot[:0], uses), grown(w.used[:0], uses)
	w.groups, w.ofColumn = grown(w.groups[:0], len(f.Cells)), grown(w.ofColumn[:0], len(f.Cells))
	fetched, table := p.fetched, p.slots
	for i, slot := range f.Slots {
		fetched[i] = table[slot&^signBit]
	}
	var mean, variance float64
	if f.Apart {
		w.find(f.Slots)
		mean, variance = p.readApart(f)
	} else {
		mean, variance = p.readUses(f)
	}
	fetched = p.fetched[:len(p.ofSlot)]
	for j, x := range p.ofSlot {
		variance += x * x * float64(fetched[j].variance)
	}
	for j, g := range w.ofColumn {
		variance += p.scales[w.groups[j]].variance * g * g
	}
	s.mean[0] += mean
	s.cov[0] += variance
	if g := s.gains; g != nil {
		g.columns = w.groups
		for j, c := range w.groups {
			g.added[c] = p.scales[c].mean * w.ofColumn[j]
		}
	}
}

// find notes the slots of a row, and which of its uses are of a slot that came before.
func (w *flatWeights) find(slots []uint32) {
	used := w.used[:len(slots)]
	w.again = w.again[:0]
	for i, slot := range slots {
		slot &^= signBit
		used[i] = slot
		if w.met.add(slot) {
			if j := slices.Index(used[:i], slot); j >= 0 {
				w.again = append(w.again, [2]int{i, j})
			}
		}
	}
	w.met.remove(used)
}

// readApart reads a row in which each column has one cell with one slot. The loop has no branch.
func (p *weights[T]) readApart(f *Flat) (mean, variance float64) {
	cells, scales, n := f.Cells, p.scales, len(f.Cells)
	fetched, ofSlot, ofColumn, groups, slots := p.fetched[:n], p.ofSlot[:n], p.flat.ofColumn[:n], p.flat.groups[:n], f.Slots[:n]
	for i := range cells {
		c := &cells[i]
		scale := &scales[c.Column]
		groups[i] = int(c.Column)
		share := signed(c.Share, slots[i])
		ofScale := share * float64(fetched[i].mean)
		ofSlot[i], ofColumn[i] = scale.mean*share, ofScale
		mean += scale.mean * ofScale
		variance += scale.variance * c.Share * c.Share * float64(fetched[i].variance)
	}
	if len(p.flat.again) > 0 {
		p.join()
	}
	return mean, variance
}

// signed returns a share with the sign of a slot.
func signed(share float64, slot uint32) float64 {
	return math.Float64frombits(math.Float64bits(share) ^ uint64(slot>>31)<<63)
}

// join adds up the gradients of the slots that came again, and leaves out their later uses.
func (p *weights[T]) join() {
	w := &p.flat
	for _, a := range w.again {
		p.ofSlot[a[1]] += p.ofSlot[a[0]]
	}
	n, rest := w.again[0][0], w.again
	for i := n; i < len(w.used); i++ {
		if len(rest) > 0 && rest[0][0] == i {
			rest = rest[1:]
			continue
		}
		p.ofSlot[n], w.used[n], p.fetched[n] = p.ofSlot[i], w.used[i], p.fetched[i]
		n++
	}
	p.ofSlot, w.used, p.fetched = p.ofSlot[:n], w.used[:n], p.fetched[:n]
}

// readUses reads a row whose columns may have several cells, and cells several slots.
func (p *weights[T]) readUses(f *Flat) (mean, variance float64) {
	w, fetched := &p.flat, p.fetched
	at, n, groups, hashes := 0, 0, 0, len(f.Slots)/max(1, len(f.Cells))
	for i := range f.Cells {
		c := &f.Cells[i]
		column := int(c.Column)
		group := int(w.place[column])
		if group >= groups || w.groups[group] != column {
			group = groups
			w.place[column], w.groups[group], w.ofColumn[group] = int32(group), column, 0
			groups++
		}
		scale := p.scales[column]
		ofScale, squares := 0.0, 0.0 // Σ ± m and Σ v over the item's uses of slots
		for end := at + hashes; at < end; at++ {
			slot, e := f.Slots[at], fetched[at]
			share := signed(c.Share, slot)
			slot &^= signBit
			ofScale += share * float64(e.mean)
			squares += float64(e.variance)
			if w.met.add(slot) {
				if j := slices.Index(w.used[:n], slot); j >= 0 {
					p.ofSlot[j] += scale.mean * share
					continue
				}
			}
			p.ofSlot[n], w.used[n], fetched[n] = scale.mean*share, slot, e // the place n of fetched has been read already
			n++
		}
		w.ofColumn[group] += ofScale
		mean += scale.mean * ofScale
		variance += scale.variance * c.Share * c.Share * squares
	}
	p.ofSlot, w.used, p.fetched = p.ofSlot[:n], w.used[:n], fetched[:n]
	w.groups, w.ofColumn = w.groups[:groups], w.ofColumn[:groups]
	w.met.remove(w.used)
	return mean, variance
}

// writeFlat is write after readFlat. It does not read the slots again, and it writes the two numbers of a slot one by one: a pair copied
// from memory would wait for its parts.
func (p *weights[T]) writeFlat(gradient, curvature float64) {
	w, gain, most := &p.flat, p.tau*p.prior.E, p.prior.E
	fetched, ofSlot, table := p.fetched[:len(w.used)], p.ofSlot[:len(w.used)], p.slots
	for j, slot := range w.used {
		g, v := ofSlot[j], float64(fetched[j].variance)
		mean := fetched[j].mean + T(v*(g*gradient))
		rest := 1 - p.tempering*v*(g*g*curvature)
		if rest < p.least {
			rest = p.least
		}
		if v = float64(T(v*rest)) + gain; v > most {
			v = most
		}
		table[slot].mean, table[slot].variance = mean, T(v)
	}
	for j, c := range w.groups {
		g, e := w.ofColumn[j], &p.scales[c]
		e.move(g*gradient, g*g*curvature, p.tempering, p.least)
		e.bound()
	}
}
