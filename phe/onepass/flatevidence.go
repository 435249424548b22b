package onepass

import (
	"math"
	"math/bits"
)

// flatEvidence is the memory by which evidence learns a flat row.
type flatEvidence struct {
	slots [][2]uint32 // of the row's cells
	items []foundItem // cells with evidence, whose x is in evidence.x
}

// foundItem is an item that has evidence.
type foundItem struct {
	share  float64
	weight int32 // place of its weight
}

// readFlat is read for a flat row, in passes: look up all slots, then their ratios, then the logarithms, then the sums.
func (p *evidence) readFlat(f *Flat, s *sums) {
	p.links[0] = p.link(p.base[0])
	p.lookUp(f)
	p.ratios(f)
	if p.head != Gaussian {
		logarithms(p.x)
	}
	link, items := p.links[0], p.flat.items[:len(p.x)]
	mean, variance := s.mean[0]+(link+p.bias[0].mean), s.cov[0]+p.bias[0].variance
	for j, x := range p.x {
		share := items[j].share
		if share < 0 {
			x += link // the slot of an opponent counts labels from the other side
		} else {
			x -= link
		}
		x *= share
		p.x[j] = x
		e := &p.weight[items[j].weight]
		mean += e.mean * x
		variance += e.variance * x * x
	}
	s.mean[0], s.cov[0] = mean, variance
	if a := p.alone; a != nil {
		a.begin(p.links)
		for j, x := range p.x {
			a.add(int(items[j].weight), 0, x)
		}
	}
}

// lookUp reads the slots of a row's cells.
func (p *evidence) lookUp(f *Flat) {
	n := len(f.Cells)
	p.at, p.flat.slots = grown(p.at[:0], n), grown(p.flat.slots[:0], n)
	at, slots, words := p.at[:n], p.flat.slots[:n], p.words
	for i := range f.Cells {
		slot := p.places.Of(f.Cells[i].Key)
		at[i] = int32(slot)
		two := words[2*slot : 2*slot+2]
		slots[i][0], slots[i][1] = two[0], two[1]
	}
}

// ratios sets x to the odds of the cells that have evidence, or to their means for a number.
func (p *evidence) ratios(f *Flat) {
	const least = 1e-4 // as in link
	cells, slots := f.Cells, p.flat.slots[:len(f.Cells)]
	p.x, p.flat.items = grown(p.x[:0], len(cells)), grown(p.flat.items[:0], len(cells))
	x, items, n := p.x[:len(cells)], p.flat.items[:len(cells)], 0
	usual, turned, gaussian := evidenceKappa*p.base[0], evidenceKappa*p.turned(p.base[0]), p.head == Gaussian
	for i := range cells {
		c, slot := &cells[i], slots[i]
		rows := slot[0] & math.MaxUint16
		if rows == 0 || slot[0]>>16 != checkOf(c.Key) {
			continue
		}
		first := usual
		if c.Share < 0 {
			first = turned
		}
		m := (float64(int32(rows))*float64(math.Float32frombits(slot[1])) + first) / (float64(int32(rows)) + evidenceKappa)
		if !gaussian {
			if m < least {
				m = least
			} else if m > 1-least {
				m = 1 - least
			}
			m /= 1 - m
		}
		x[n], items[n] = m, foundItem{c.Share, c.Column*EvidenceBins + min(int32(bits.Len32(rows)), EvidenceBins-1)}
		n++
	}
	p.x, p.flat.items = x[:n], items[:n]
}

// checkOf returns an item's check bits, as place does.
func checkOf(key uint64) uint32 { return uint32(key>>45) & math.MaxUint16 }

// writeFlat is write for a flat row.
func (p *evidence) writeFlat(f *Flat, s *sums) {
	gradient, curvature, items := s.gradient[0], s.curvature[0], p.flat.items[:len(p.x)]
	p.bias[0].move(gradient, curvature, 1, evidenceLeast)
	for j, x := range p.x {
		if x != 0 {
			p.weight[items[j].weight].move(x*gradient, x*x*curvature, 1, evidenceLeast)
		}
	}
	if a := p.alone; a != nil {
		a.moveBias(0)
		for j, x := range p.x {
			if x != 0 {
				a.move(int(items[j].weight), 0, x)
			}
		}
	}
	seen := min(p.base[1]+1, maxBase)
	p.base[1] = seen
	y, usual := s.label[0], s.meanWeight
	p.countFlat(f, y, usual)
	p.base[0] += (y - p.base[0]) / (1 + (seen-1)*usual)
}

// countFlat adds the row's label to the slots of its items, as count does.
func (p *evidence) countFlat(f *Flat, y, usual float64) {
	turned, words, at, met := p.turned(y), p.words, p.at[:len(f.Cells)], [3]int{}
	for i := range f.Cells {
		c := &f.Cells[i]
		slot := words[2*int(at[i]) : 2*int(at[i])+2]
		check, has, n := checkOf(c.Key), slot[0]>>16, slot[0]&math.MaxUint16
		switch {
		case has == check && n > 0:
			met[0]++
			if n < maxSeen {
				n++
			}
		case n > 1:
			met[2]++
			slot[0]--
			continue
		default:
			met[n+1]++
			n = 1
		}
		label := y
		if c.Share < 0 {
			label = turned
		}
		mean := math.Float32frombits(slot[1])
		slot[0], slot[1] = check<<16|n, math.Float32bits(mean+float32((label-float64(mean))/(1+float64(int32(n)-1)*usual)))
	}
	for k, n := range met {
		p.met[k] += float64(n)
	}
}

// logarithms takes the natural logarithms of positive normal numbers, with the bits of math.Log on amd64. Without calls and branches, the
// processor works on several numbers at a time.
func logarithms(x []float64) {
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
