package onepass

// table is a hashed table of beliefs, with the rows of it that a record touches.
type table struct {
	beliefs   // [rows, dim]; with codes, of the touched rows [touched, dim]
	dim       int
	prior     float64        // variance
	touched   slots          // rows
	gradients []float64      // of the logits by the entries of these rows [touched, outputs, dim]
	coded     coded[float64] // nil without codes
	row       []entry[float64]
	slot      []uint32
}

// newTable returns a table with the means that draw returns. With bits its beliefs are codes.
func newTable(rows, dim, bits int, prior float64, draw func() float64) table {
	if bits == 0 {
		return table{beliefs: newBeliefs(rows*dim, prior, draw), dim: dim, prior: prior}
	}
	t := table{dim: dim, prior: prior, row: make([]entry[float64], dim), slot: make([]uint32, 1),
		coded: newCoded[float64](rows*dim, bits, prior)}
	for row := range rows {
		t.beliefs = newBeliefs(dim, prior, draw)
		t.store(0, row, draws(row, starting))
	}
	return t
}

// open returns a row's number in touched, and its place. If the record forgets, the row moves towards p₀ = N(0, prior): q ← q^γ p₀^{1−γ}.
func (t *table) open(row int, c *Config, s *sums) (j, at int) {
	j, isNew := t.touched.number(row)
	at = t.at(j, row)
	if !isNew {
		return j, at
	}
	t.gradients = zeroed(t.gradients, s.outputs*t.dim)
	if t.coded != nil {
		t.slot[0] = uint32(row)
		t.coded.fetch(t.row, t.slot, t.dim)
		t.mean, t.variance = t.mean[:at], t.variance[:at]
		for _, e := range t.row {
			t.mean, t.variance = append(t.mean, e.mean), append(t.variance, e.variance)
		}
	}
	for i := at; i < at+t.dim && s.forgets; i++ {
		if v := t.variance[i]; v > 0 {
			wider := 1 / (c.Gamma/v + (1-c.Gamma)/t.prior)
			t.mean[i] *= c.Gamma * wider / v
			t.variance[i] = wider
		}
	}
	return j, at
}

// at returns the place of a row, the j-th that the record touches.
func (t *table) at(j, row int) int {
	if t.coded != nil {
		row = j
	}
	return row * t.dim
}

// spread adds the variances of the touched rows to the covariance.
func (t *table) spread(s *sums) {
	n, d := s.outputs, t.dim
	for j, row := range t.touched.keys {
		variance := t.variance[t.at(j, row):][:d]
		for o := range n {
			g := t.gradients[(j*n+o)*d:][:d]
			for r := range o + 1 {
				s.cov[o*n+r] += triple(variance, g, t.gradients[(j*n+r)*d:][:d])
			}
		}
	}
}

// write moves the touched rows.
func (t *table) write(c *Config, s *sums, draws uint64) {
	n, d := s.outputs, t.dim
	for j, row := range t.touched.keys {
		slopes, at := t.gradients[j*n*d:(j+1)*n*d], t.at(j, row)
		if n == 1 {
			a, m := s.gradient[0], s.curvature[0]
			for i, g := range slopes {
				t.move(at+i, g*a, g*g*m, c.Tempering, c.Least)
			}
		}
		for i := 0; i < d && n > 1; i++ {
			gradient, curvature := s.along(slopes[i:], d)
			t.move(at+i, gradient, curvature, c.Tempering, c.Least)
		}
		t.store(j, row, draws)
	}
}

// store writes a row, the j-th that the record touches, if it is of codes.
func (t *table) store(j, row int, draws uint64) {
	if t.coded == nil {
		return
	}
	for i := range t.row {
		t.row[i] = entry[float64]{t.mean[j*t.dim+i], t.variance[j*t.dim+i]}
	}
	t.slot[0] = uint32(row)
	t.coded.store(t.row, t.slot, t.dim, draws)
}

// triple returns Σ x y z.
func triple(x, y, z []float64) (sum float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		sum += v * y[i] * z[i]
	}
	return sum
}
