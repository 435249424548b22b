package onepass

import (
	"math"
	"slices"
)

// Terms are the logits of a forecast as a sum: those of a row without cells, and what each cell of the row adds.
type Terms struct {
	Base     []float64 // [outputs]
	Adds     []float64 // [cells, outputs]
	Variance []float64 // of Adds; cells that share beliefs have covariances too [cells, outputs]
	Rows     []int     // rows of each cell's evidence, at most 255; 0 without evidence
}

// Explain returns the forecast of the row that was predicted last, and is not learned yet, as a sum; and that of the evidence alone, with
// Config.Alone. It reads a row of each cell. A cell also has half of each product of a factorization machine in which it takes part; the variance lacks it.
func (m *Model) Explain() (t, alone Terms) {
	row, n, logits, terms := m.row, m.config.Outputs, []*sums{m.sums, m.alone}, []*Terms{&t, &alone}
	if m.alone == nil {
		logits = logits[:1]
	}
	hashes, part := len(row.Slots)/max(1, len(row.Cells)), &Row{Numbers: row.Numbers, Late: row.Late}
	m.read(part)
	bases := make([]float64, len(logits)*n) // variances
	for i, s := range logits {
		terms[i].Base = slices.Clone(s.mean)
		for o := range n {
			bases[i*n+o] = s.cov[o*n+o]
		}
	}
	for c := range row.Cells {
		part.Cells, part.Slots = row.Cells[c:c+1], row.Slots[c*hashes:(c+1)*hashes]
		m.read(part)
		rows := 0
		if m.evidence != nil && len(m.evidence.found) > 0 {
			rows = int(m.evidence.found[0].rows)
		}
		for i, s := range logits {
			to := terms[i]
			for o, mean := range s.mean {
				to.Adds, to.Variance = append(to.Adds, mean-to.Base[o]), append(to.Variance, s.cov[o*n+o]-bases[i*n+o])
			}
			to.Rows = append(to.Rows, rows)
		}
	}
	m.read(row)
	for _, p := range m.parts {
		if p, ok := p.(interface{ halves(*Row, []float64) }); ok {
			p.halves(row, t.Adds)
		}
	}
	return t, alone
}

// halves adds half of its products to what each cell adds. The gradient by its latent numbers has all of them.
func (p *factors[T]) halves(row *Row, adds []float64) {
	size, hashes := p.Outputs*p.Latents, len(row.Slots)/max(1, len(row.Cells))
	for i, slot := range row.Slots {
		c := &row.Cells[i/hashes]
		if int(c.Column) >= p.fields() {
			return // the pairs of fields come last
		}
		for l, e := range p.latent[int(slot&^signBit)%p.LatentRows*size:][:size] {
			adds[i/hashes*p.Outputs+l/p.Latents] += signed(c.Share, slot) / 2 * p.others[int(c.Column)*size+l] * float64(e.mean)
		}
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
