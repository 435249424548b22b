package onepass

import (
	"math"
	"slices"
)

// Terms are the logits of a forecast as a sum: the logits of a row without cells, and the contribution of each cell.
type Terms struct {
	Base     []float64 // [outputs]
	Adds     []float64 // [cells, outputs]
	Variance []float64 // of Adds; cells that share beliefs have covariances too [cells, outputs]
	Rows     []int     // rows of each cell's evidence, at most 255; 0 without evidence
}

// Explain returns the last forecast, of a row that is not learned yet, as a sum, and with Config.Alone also the forecast of the evidence
// alone. It needs Config.Scales. A cell has half of each product of a factorization machine in which it takes part.
func (m *Model) Explain() (t, alone Terms) {
	cells, n := len(m.row.Cells), m.config.Outputs
	numbers, both := make([]float64, 4*cells*n), [2]*Terms{&t, &alone}
	for i, s := range [2]*sums{m.sums, m.alone} {
		if s != nil {
			from := numbers[2*i*cells*n:]
			*both[i] = Terms{slices.Clone(s.mean), from[:cells*n], from[cells*n : 2*cells*n], make([]int, cells)}
		}
	}
	for _, p := range m.parts {
		switch p := p.(type) {
		case interface{ explain(*Row, *Terms) }:
			p.explain(m.row, &t)
		case *evidence:
			p.explain(m.row, p.trust, &t)
			if m.alone != nil {
				p.explain(m.row, *p.alone, &alone)
			}
		}
	}
	for _, t := range both {
		for i, add := range t.Adds {
			t.Base[i%n] -= add
		}
	}
	return t, alone
}

func (t *Terms) add(at int, mean, variance float64) {
	t.Adds[at] += mean
	t.Variance[at] += variance
}

// explain reads the slots again: the last read has joined slots that cells share.
func (p *weights[T]) explain(row *Row, t *Terms) {
	n, hashes := p.Outputs, len(row.Slots)/max(1, len(row.Cells))
	entries := make([]entry[T], len(row.Slots)*n)
	if p.coded != nil {
		p.coded.fetch(entries, row.Slots, n)
	}
	for at, slot := range row.Slots {
		if p.coded == nil {
			copy(entries[at*n:], p.slots[int(slot&^signBit)*n:][:n])
		}
		c := &row.Cells[at/hashes]
		share := signed(c.Share, slot)
		for o, scale := range p.scales[int(c.Column)*n:][:n] {
			e, g := entries[at*n+o], scale.mean*share
			t.add(at/hashes*n+o, g*float64(e.mean), (g*g+scale.variance*share*share)*float64(e.variance))
		}
	}
	for i, add := range t.Adds { // only this part has added so far
		scale := p.scales[int(row.Cells[i/n].Column)*n+i%n]
		t.Variance[i] += scale.variance * add / scale.mean * add / scale.mean
	}
}

// explain adds half of its products to each cell. The gradient by its latent numbers has all of them.
func (p *factors[T]) explain(row *Row, t *Terms) {
	size, hashes := p.Outputs*p.Latents, len(row.Slots)/max(1, len(row.Cells))
	for i, slot := range row.Slots {
		c := &row.Cells[i/hashes]
		if int(c.Column) >= p.fields() {
			return // the pairs of fields come last
		}
		for l, e := range p.latent[int(slot&^signBit)%p.LatentRows*size:][:size] {
			g := signed(c.Share, slot) / 2 * p.others[int(c.Column)*size+l]
			t.add(i/hashes*p.Outputs+l/p.Latents, g*float64(e.mean), g*g*float64(e.variance))
		}
	}
}

func (p *evidence) explain(row *Row, w trust, t *Terms) {
	n, j := p.Outputs, 0
	for i, first := range p.firsts {
		if first&rowsMask == 0 || first>>checkShift != checkOf(row.Cells[i].Key) {
			continue
		}
		f := &p.found[j]
		t.Rows[i] = int(f.rows)
		for o := range n {
			x, e := p.evidenceOf(o)[j], w.weight[int(f.weight)+o]
			t.add(i*n+o, e.mean*x, e.variance*x*x)
			if zs := p.latestOf(o); zs != nil {
				z, u := zs[j], w.weight[int(f.latest)+o]
				t.add(i*n+o, u.mean*z, u.variance*z*z)
			}
		}
		j++
	}
}

// Fields returns the fields of each cell of the encoder's last row: a field twice, or the two fields of a pair.
func (e *Encoder) Fields(row *Row) [][2]int {
	fields, pairs := make([][2]int, 0, len(row.Cells)), e.pairs
	for field := range e.prefixes {
		n := int(math.Round(1 / math.Abs(row.Cells[len(fields)].Share)))
		fields = append(fields, slices.Repeat([][2]int{{field, field}}, n)...)
	}
	for _, c := range row.Cells[len(fields):] {
		for pairs[0].Column != int(c.Column) {
			pairs = pairs[1:]
		}
		fields = append(fields, pairs[0].Pair)
	}
	return fields
}
