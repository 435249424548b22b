package onepass

// weights is the embedding of one dimension, for streams of your own. Each hashed slot holds a weight for each logit, and each
// column has a learned scale β. Item c of a row adds β_c Σ_k ±m[h_k(c)] to a logit. It is the paper's model with d = 1, fixed signs
// for W, and θ = β. The scale of a useless column falls.
type weights[T real] struct {
	outputs   int
	slots     []entry[T]       // [buckets, outputs]
	scales    []entry[float64] // [columns, outputs]
	prior     Prior
	tempering float64
	least     float64
	tau       float64

	touched slots
	fetched []entry[T] // entries of the slots that the row uses, in order [uses, outputs]
	ofSlot  []float64  // [touched slots, outputs]: gradient Σ β ± share over the row's uses of a slot
	ofScale []float64  // [columns, outputs]: gradient Σ ± share m
	columns []int
	seen    []bool
	flat    flatWeights
}

// real is the type of numbers in tables. Arithmetic is in float64.
type real interface{ float32 | float64 }

// entry is the belief about one number.
type entry[T real] struct{ mean, variance T }

// move conditions the belief on a row, as beliefs.move does.
func (e *entry[T]) move(gradient, curvature, tempering, least float64) {
	v := float64(e.variance)
	e.mean += T(v * gradient)
	rest := 1 - tempering*v*curvature
	if rest < least { // max takes several times as many instructions, since it looks for NaN and for −0
		rest = least
	}
	e.variance = T(v * rest)
}

// A scale stays within these limits.
const minScale, maxScale = 0.05, 20

// bound keeps a scale within its limits.
func (e *entry[T]) bound() {
	if e.mean < minScale {
		e.mean = minScale
	} else if e.mean > maxScale {
		e.mean = maxScale
	}
}

func newWeights[T real](c Config) *weights[T] {
	p := &weights[T]{outputs: c.Outputs, slots: make([]entry[T], c.Buckets*c.Outputs), scales: make([]entry[float64], c.Columns*c.Outputs), prior: c.Prior,
		tempering: c.Tempering, least: c.Least, tau: c.Tau, ofScale: make([]float64, c.Columns*c.Outputs), seen: make([]bool, c.Columns), flat: flatWeights{place: make([]int32, c.Columns)}}
	for i := range p.slots {
		p.slots[i].variance = T(c.Prior.E)
	}
	for i := range p.scales {
		p.scales[i] = entry[float64]{1, c.Prior.Theta}
	}
	return p
}

// read adds the row's items to the logits and keeps the gradients. Entries of different logits are independent.
func (p *weights[T]) read(row *Row, s *sums) {
	n := p.outputs
	if n == 1 {
		p.readFlat(p.flat.of(row), s)
		return
	}
	p.touched.reset()
	p.ofSlot = p.ofSlot[:0]
	for _, c := range p.columns {
		p.seen[c] = false
	}
	p.columns = p.columns[:0]
	p.fetch(row)
	use := 0
	for i := range row.Cells {
		c := &row.Cells[i]
		if !p.seen[c.Column] {
			p.seen[c.Column] = true
			p.columns = append(p.columns, c.Column)
			clear(p.ofScale[c.Column*n : (c.Column+1)*n])
		}
		for k, b := range c.Buckets {
			p.readSlot(c, k, int(b), p.fetched[use:use+n], s)
			use += n
		}
	}
	for j, b := range p.touched.keys {
		for o := range n {
			x, e := p.ofSlot[j*n+o], &p.slots[int(b)*n+o]
			s.mean[o] += x * float64(e.mean)
			s.cov[o*n+o] += x * x * float64(e.variance)
		}
	}
	for _, c := range p.columns {
		for o := range n {
			g := p.ofScale[c*n+o]
			s.cov[o*n+o] += p.scales[c*n+o].variance * g * g
		}
	}
	p.tell(s.gains)
}

// tell notes what each column of the row adds to the logits.
func (p *weights[T]) tell(g *gains) {
	if g == nil {
		return
	}
	g.columns = p.columns
	for _, c := range p.columns {
		for o := c * p.outputs; o < (c+1)*p.outputs; o++ {
			g.added[o] = p.scales[o].mean * p.ofScale[o]
		}
	}
}

// fetch reads the slots that a row uses. It reads all of them before it uses one, so that the memory can fetch them together.
func (p *weights[T]) fetch(row *Row) {
	p.fetched = p.fetched[:0]
	n := p.outputs
	for i := range row.Cells {
		for _, b := range row.Cells[i].Buckets {
			p.fetched = append(p.fetched, p.slots[int(b)*n:(int(b)+1)*n]...)
		}
	}
}

// readSlot notes the gradients of one use of a slot, and adds the variance of the product of its weight and the column's scale.
func (p *weights[T]) readSlot(c *Cell, k, b int, entries []entry[T], s *sums) {
	n := p.outputs
	j, isNew := p.touched.number(int64(b))
	if isNew {
		p.ofSlot = zeroed(p.ofSlot, n)
	}
	share := c.Share
	if c.Signs>>k&1 == 1 {
		share = -share
	}
	for o := range n {
		scale, e := &p.scales[c.Column*n+o], &entries[o]
		p.ofSlot[j*n+o] += scale.mean * share
		p.ofScale[c.Column*n+o] += share * float64(e.mean)
		s.cov[o*n+o] += scale.variance * share * share * float64(e.variance)
	}
}

// write moves the slots that the row touched, and the scales of its columns.
func (p *weights[T]) write(_ *Row, s *sums) {
	n := p.outputs
	if n == 1 {
		p.writeFlat(s.gradient[0], s.curvature[0])
		return
	}
	gain := p.tau * p.prior.E
	for j, b := range p.touched.keys {
		for o := range n {
			g, e := p.ofSlot[j*n+o], &p.slots[int(b)*n+o]
			e.move(g*s.gradient[o], g*g*s.curvature[o*n+o], p.tempering, p.least)
			e.variance = T(min(p.prior.E, float64(e.variance)+gain))
		}
	}
	for _, c := range p.columns {
		for o := range n {
			g, e := p.ofScale[c*n+o], &p.scales[c*n+o]
			e.move(g*s.gradient[o], g*g*s.curvature[o*n+o], p.tempering, p.least)
			e.bound()
		}
	}
}

func (p *weights[T]) forget(*Row) {}
