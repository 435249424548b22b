package onepass

// joint is the embedding and the block under one Gaussian of full covariance. The entries are E, then W, θ and the block. The parts keep
// the means, and they keep the diagonal of the covariance as their variances.
type joint struct {
	covariance
	embedding *embedding
	block     *block
}

func newJoint(e *embedding, b *block) *joint {
	j := &joint{newCovariance(len(e.e.mean)+len(e.w.mean)+len(e.theta.mean)+len(b.mean), b.outputs), e, b}
	j.diagonal(func(held, own *float64) { *own = *held })
	j.reset(j.first(), b.prior)
	return j
}

// first returns the block's first entry.
func (j *joint) first() int { return j.size - len(j.block.mean) }

// diagonal calls do for the variance of each entry of the tables: as the embedding holds it, and in the covariance.
func (j *joint) diagonal(do func(held, own *float64)) {
	at := 0
	for _, table := range []beliefs{j.embedding.e.beliefs, j.embedding.w.beliefs, j.embedding.theta} {
		for i := range table.variance {
			do(&table.variance[i], &j.cov[at*j.size+at])
			at++
		}
	}
}

// gather notes the gradients of the tables' entries that the row touches.
func (j *joint) gather() {
	p, n, d, first := j.embedding, j.outputs, j.embedding.Dim, 0
	for _, t := range []*table{&p.e, &p.w} {
		for k, row := range t.touched.keys {
			for i := range t.dim {
				for o := range n {
					j.touch(first+row*t.dim+i, o, t.gradients[(k*n+o)*t.dim+i])
				}
			}
		}
		first += len(t.mean)
	}
	for _, c := range p.columns.keys {
		for o := range n {
			for i := range d {
				j.touch(first+(c*n+o)*d+i, o, p.emb[c*d+i])
			}
		}
	}
}

// read adds the row to the logits: the variance of all entries, and the variance that products of beliefs add.
func (j *joint) read(row *Row, s *sums) {
	j.embedding.see(row, s)
	j.gather()
	j.block.see(row, s, &j.covariance, j.first())
	j.covariance.read(s)
}

// write conditions all entries on the row.
func (j *joint) write(_ *Row, s *sums) {
	e := j.embedding
	j.covariance.write(s, e.Tempering, e.e.mean, e.w.mean, e.theta.mean, j.block.mean)
	j.diagonal(func(held, own *float64) { *held = max(*own, 0) })
}
