package onepass

import (
	"math"
	"slices"
)

// Terms are the logits of a forecast as a sum: those of a row without cells, and what each cell of the row adds.
type Terms struct {
	Base     []float64 // [outputs]
	Adds     []float64 // [cells, outputs]
	Variance []float64 // about that of Adds; cells that share beliefs have covariances too [cells, outputs]
	Rows     []int     // rows of each cell's evidence, at most 255; 0 without evidence
}

// explained is a part that knows what each cell adds. alone is nil unless the evidence also forecasts alone.
type explained interface {
	explain(row *Row, t, alone *Terms)
}

// Explain returns the forecast of the row that was predicted last as a sum, and that of the evidence alone, if there is Config.Alone. A
// cell has half of each product of a factorization machine in which it takes part. Explain panics if no row was predicted since the last
// update, or without Config.Scales: products of an embedding and θ are no sum over cells.
func (m *Model) Explain() (t, alone Terms) {
	cells, n := len(m.row.Cells), m.config.Outputs
	t = Terms{make([]float64, n), make([]float64, cells*n), make([]float64, cells*n), make([]int, cells)}
	var other *Terms
	if m.alone != nil {
		alone, other = Terms{make([]float64, n), make([]float64, cells*n), make([]float64, cells*n), t.Rows}, &alone
	}
	for _, p := range m.parts {
		p.(explained).explain(m.row, &t, other)
	}
	return t, alone
}

// add adds a term of a cell, at its place among the outputs.
func (t *Terms) add(at int, mean, variance float64) {
	t.Adds[at] += mean
	t.Variance[at] += variance
}

func (b *block) explain(row *Row, t, _ *Terms) {
	for i, beta := range b.mean {
		x := 1.
		if f := i / b.outputs; f < b.numbers {
			x = row.Numbers[f]
		}
		t.Base[i%b.outputs] += x * beta
	}
}

// explain reads the slots again: those of the last read are joined if cells share them.
func (p *weights[T]) explain(row *Row, t, _ *Terms) {
	n, hashes := p.Outputs, len(row.Slots)/max(1, len(row.Cells))
	entries := make([]entry[T], hashes*n)
	for i, c := range row.Cells {
		slots := row.Slots[i*hashes : (i+1)*hashes]
		if p.coded != nil {
			p.coded.fetch(entries, slots, n)
		}
		for o := range n {
			mean, variance, scale := 0., 0., p.scales[int(c.Column)*n+o]
			for k, slot := range slots {
				if p.coded == nil {
					entries[k*n+o] = p.slots[int(slot&^signBit)*n+o]
				}
				share := signed(c.Share, slot)
				mean += share * float64(entries[k*n+o].mean)
				variance += share * share * float64(entries[k*n+o].variance)
			}
			t.add(i*n+o, scale.mean*mean, (scale.mean*scale.mean+scale.variance)*variance+scale.variance*mean*mean)
		}
	}
}

// explain gives each cell half of its products with the items of other fields: the gradient by its latent numbers has all of them.
func (p *factors[T]) explain(row *Row, t, _ *Terms) {
	size, hashes := p.Outputs*p.Latents, len(row.Slots)/max(1, len(row.Cells))
	for i, c := range row.Cells {
		if int(c.Column) >= p.fields() {
			continue // a pair of fields
		}
		others := p.others[int(c.Column)*size:][:size]
		for _, slot := range row.Slots[i*hashes : (i+1)*hashes] {
			half := signed(c.Share, slot) / 2
			for l, e := range p.latent[int(slot&^signBit)%p.LatentRows*size:][:size] {
				g := half * others[l]
				t.add(i*p.Outputs+l/p.Latents, g*float64(e.mean), g*g*float64(e.variance))
			}
		}
	}
}

func (p *evidence) explain(row *Row, t, alone *Terms) {
	p.trust.explain(p, row, t)
	if alone != nil {
		p.alone.explain(p, row, alone)
	}
}

func (w *trust) explain(p *evidence, row *Row, t *Terms) {
	n, j := p.Outputs, 0
	for o := range n {
		t.Base[o] += p.links[o] + w.bias[o].mean
	}
	for i, first := range p.firsts {
		if t.Rows[i] = 0; first&rowsMask == 0 || first>>checkShift != checkOf(row.Cells[i].Key) {
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
