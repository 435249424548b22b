package main

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"gophe/phe/onepass"
)

// numbers are the beliefs of one part of a learner: a table of Gaussians, or a list without variances.
type numbers struct {
	name           string
	isTable        bool
	mean, variance []float64
}

// shared is the belief that the learners fold.
type shared struct {
	config  onepass.Config
	parts   []numbers
	rows    int
	counted int        // contributions
	recent  [][][]gain // by part and entry: the last contributions that moved it
}

// gain is the change of an entry's natural parameters by a contribution.
type gain struct {
	contribution int
	precision    float64
	information  float64
}

func newShared(l *onepass.Learner) *shared {
	s := &shared{config: l.Config()}
	for _, p := range l.Parts() {
		n := numbers{p.Name, p.Dim > 0, make([]float64, p.Len), make([]float64, p.Len)}
		for i := range n.mean {
			n.mean[i], n.variance[i] = p.Get(i)
		}
		s.parts = append(s.parts, n)
		var recent [][]gain
		if n.isTable {
			recent = make([][]gain, p.Len)
		}
		s.recent = append(s.recent, recent)
	}
	return s
}

// load gives a learner the shared belief.
func (s *shared) load(l *onepass.Learner) {
	for k, p := range l.Parts() {
		n := &s.parts[k]
		for i := range n.mean {
			p.Set(i, n.mean[i], n.variance[i])
		}
	}
}

// move is the change of one entry by a chunk: its belief in the prior, and after the chunk.
type move struct {
	entry                               int
	priorMean, priorVar, mean, variance float64
}

// delta holds the changes of all entries by a chunk.
type delta struct {
	base    int // contributions that the prior had counted
	rows    int
	moves   [][]move    // by part
	touches map[int]int // rows of the chunk that touch a bucket of table E
	block   *blockMove
}

// blockMove is the change of the block by a chunk. The block's Gaussian has a full covariance.
type blockMove struct {
	prior, after natural
}

// natural is a Gaussian by its precision and its mean.
type natural struct {
	precision *mat.SymDense
	mean      []float64
}

// Names of parts in a learner's file that are no tables of Gaussians.
const (
	blockMean     = "block"
	blockCov      = "block covariance"
	evidenceCheck = "evidence check bits"
	evidenceCount = "evidence n"
	evidenceMeans = "evidence P"
	evidenceBase  = "evidence g"
	tableE        = "E"
	tableTheta    = "theta"
)

// since returns the changes that a learner made to the belief it loaded.
func (s *shared) since(l *onepass.Learner) delta {
	d := delta{base: s.counted}
	for k, p := range l.Parts() {
		n := &s.parts[k]
		var moves []move
		for i, m0 := range n.mean {
			m, v := p.Get(i)
			if m != m0 || v != n.variance[i] {
				moves = append(moves, move{i, m0, n.variance[i], m, v})
			}
		}
		d.moves = append(d.moves, moves)
	}
	mean, cov := s.part(blockMean), s.part(blockCov)
	d.block = &blockMove{
		newNatural(append([]float64(nil), mean.mean...), cov.mean),
		newNatural(applied(mean.mean, d.moves[s.index(blockMean)]), applied(cov.mean, d.moves[s.index(blockCov)])),
	}
	return d
}

func (n natural) information() *mat.VecDense {
	v := mat.NewVecDense(len(n.mean), nil)
	v.MulVec(n.precision, mat.NewVecDense(len(n.mean), n.mean))
	return v
}

func applied(list []float64, moves []move) []float64 {
	after := append([]float64(nil), list...)
	for _, m := range moves {
		after[m.entry] = m.mean
	}
	return after
}

func negated(a *mat.SymDense) *mat.SymDense {
	n := mat.NewSymDense(a.SymmetricDim(), nil)
	n.ScaleSym(-1, a)
	return n
}

func newNatural(mean, cov []float64) natural {
	n := len(mean)
	var factor mat.Cholesky
	precision := mat.NewSymDense(n, nil)
	if factor.Factorize(mat.NewSymDense(n, append([]float64(nil), cov...))) {
		_ = factor.InverseTo(precision) // a badly conditioned precision shows in the losses
	}
	return natural{precision, mean}
}

func (s *shared) index(name string) int {
	for k := range s.parts {
		if s.parts[k].name == name {
			return k
		}
	}
	return -1
}

func (s *shared) part(name string) *numbers {
	if k := s.index(name); k >= 0 {
		return &s.parts[k]
	}
	return nil
}

// rule is a rule of the fold for concurrent deltas of an entry, which do not know of each other.
type rule string

// The rules.
const (
	sum      rule = "sum"      // natural parameters add
	average  rule = "average"  // the mean is the average of the deltas' means, weighted by their precisions; precisions add
	weighted rule = "weighted" // average with the prior counted less often: sum of the deltas' precisions by the largest
	scaled   rule = "scaled"   // the sum of natural parameters is multiplied by the largest delta's precision by the sum of precisions
)

// fold conditions the belief on a delta.
func (s *shared) fold(d delta, r rule) {
	s.counted++
	for k := range s.parts {
		switch n := &s.parts[k]; {
		case n.isTable:
			s.foldTable(k, d, r)
		case slices.Contains([]string{evidenceCount, evidenceMeans, evidenceCheck, evidenceBase, blockMean, blockCov}, n.name):
			// folded below
		default: // counts
			for _, m := range d.moves[k] {
				n.mean[m.entry] += m.mean - m.priorMean
			}
		}
	}
	s.foldBlock(d)
	if s.part(evidenceCount) != nil {
		s.foldEvidence(d)
		s.foldBase(d)
	}
	s.rows += d.rows
}

// foldTable folds a table's moves, and then widens the entries that forget.
func (s *shared) foldTable(k int, d delta, r rule) {
	n := &s.parts[k]
	for _, m := range d.moves[k] {
		i := m.entry
		n.mean[i], n.variance[i] = combined(n.mean[i], n.variance[i], m, s.together(k, d.base, m), r)
		if n.name == tableTheta && s.config.Scales {
			n.mean[i] = min(max(n.mean[i], 0.05), 20) // as onepass bounds a scale
		}
	}
	if n.name != tableE || s.config.Tau == 0 {
		return
	}
	prior, outputs := s.config.Prior.E, s.config.Outputs
	for bucket, touches := range d.touches {
		for o := range outputs {
			v := &n.variance[bucket*outputs+o]
			*v = min(prior, *v+float64(touches)*s.config.Tau*prior)
		}
	}
}

// mostRecent is the number of contributions after which a contribution is certainly known to all learners.
const mostRecent = 16

// together returns the sum of what other deltas added to an entry since the base of a move. It notes the move.
func (s *shared) together(k, base int, m move) (others concurrent) {
	recent, old := s.recent[k][m.entry], 0
	for old < len(recent) && recent[old].contribution <= s.counted-mostRecent {
		old++
	}
	recent = append(recent[:0], recent[old:]...)
	for _, g := range recent {
		if g.contribution > base {
			others.add(g)
		}
	}
	s.recent[k][m.entry] = append(recent, m.gain(s.counted))
	return others
}

// concurrent sums what deltas that do not know of each other add to an entry.
type concurrent struct{ number, precision, information, largest float64 }

func (c *concurrent) add(g gain) {
	c.number++
	c.precision += g.precision
	c.information += g.information
	c.largest = max(c.largest, g.precision)
}

// priors returns the number of times that an average counts the prior.
func (c concurrent) priors(r rule) float64 {
	if r == average || c.largest <= 0 {
		return c.number
	}
	return c.precision / c.largest
}

// scaled returns the sum, scaled to the largest precision.
func (c concurrent) scaled() (precision, information float64) {
	if c.precision <= 0 {
		return 0, 0
	}
	return c.largest, c.information * c.largest / c.precision
}

// gain returns the change of the natural parameters by a move.
func (m move) gain(contribution int) gain {
	return gain{contribution, 1/m.variance - 1/m.priorVar, m.mean/m.variance - m.priorMean/m.priorVar}
}

// combined returns an entry's belief after a move beside other moves.
func combined(mean, variance float64, m move, c concurrent, r rule) (float64, float64) {
	own, now := m.gain(0), 1/variance
	precision, information := own.precision, own.information
	switch r {
	case scaled:
		p, i := c.scaled()
		c.add(own)
		precision, information = c.scaled()
		precision, information = precision-p, information-i
	case average, weighted:
		return averaged(mean, m, c, r), 1 / (now + own.precision)
	}
	after := now + precision
	return (now*mean + information) / after, 1 / after
}

// averaged returns the prior's mean plus Σ Λd/(pλ + Σ δ). Each delta moves the mean by d, from precision λ to Λ = λ + δ. The prior
// counts p times.
func averaged(mean float64, m move, c concurrent, r rule) float64 {
	prior := 1 / m.priorVar
	before := c.priors(r)*prior + c.precision
	c.add(m.gain(0))
	after := c.priors(r)*prior + c.precision
	return m.priorMean + (before*(mean-m.priorMean)+(m.mean-m.priorMean)/m.variance)/after
}

// foldBlock adds the natural parameters of the block, and then forgets as onepass does.
func (s *shared) foldBlock(d delta) {
	mean, cov := s.part(blockMean), s.part(blockCov)
	n := len(mean.mean)
	now := newNatural(mean.mean, cov.mean)
	after, information := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	after.AddSym(now.precision, d.block.after.precision)
	after.AddSym(after, negated(d.block.prior.precision))
	information.AddVec(now.information(), d.block.after.information())
	information.SubVec(information, d.block.prior.information())
	var factor mat.Cholesky
	solved, covariance := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	if !factor.Factorize(after) || factor.SolveVecTo(solved, information) != nil || factor.InverseTo(covariance) != nil {
		return // a diverged belief: its losses tell
	}
	for i := range n {
		mean.mean[i] = solved.AtVec(i)
		for j := range n {
			cov.mean[i*n+j] = covariance.At(i, j)
		}
		if s.config.Tau > 0 {
			prior := s.config.Prior.Block
			v := &cov.mean[i*n+i]
			*v = min(prior, *v+float64(d.rows)*0.1*s.config.Tau*prior) // the block forgets a tenth as fast
		}
	}
}

// foldEvidence adds rows and sums of labels to the slots of evidence.
func (s *shared) foldEvidence(d delta) {
	check, count, means := s.part(evidenceCheck), s.part(evidenceCount), s.part(evidenceMeans)
	kCheck, kCount, kMeans := s.index(evidenceCheck), s.index(evidenceCount), s.index(evidenceMeans)
	outputs := s.config.Outputs
	type slot struct{ check0, check, n0, n float64 }
	changed := map[int]*slot{}
	at := func(i int) *slot {
		if changed[i] == nil {
			changed[i] = &slot{check.mean[i], check.mean[i], -1, -1}
		}
		return changed[i]
	}
	for _, m := range d.moves[kCheck] {
		c := at(m.entry)
		c.check0, c.check = m.priorMean, m.mean
	}
	for _, m := range d.moves[kCount] {
		c := at(m.entry)
		c.n0, c.n = m.priorMean, m.mean
	}
	old, labels := map[int]float64{}, map[int]float64{}
	for _, m := range d.moves[kMeans] {
		at(m.entry / outputs)
		old[m.entry], labels[m.entry] = m.priorMean, m.mean
	}
	for i, c := range changed {
		now := count.mean[i]
		if c.n < 0 { // n stood still, at its limit
			c.n0, c.n = now, now
		}
		fresh := now == 0 || c.check != check.mean[i]
		gained := c.n - c.n0
		for o := range outputs {
			j := i*outputs + o
			label, moved := labels[j]
			switch {
			case !moved:
			case fresh:
				means.mean[j] = label
			case gained > 0 && c.check0 == c.check:
				means.mean[j] = (now*means.mean[j] + c.n*label - c.n0*old[j]) / (now + gained)
			case gained > 0:
				means.mean[j] = (now*means.mean[j] + c.n*label) / (now + c.n)
			default:
				means.mean[j] += label - old[j]
			}
		}
		switch {
		case fresh:
			check.mean[i], count.mean[i] = c.check, c.n
		case c.check0 != c.check:
			count.mean[i] = min(255, now+c.n)
		default:
			count.mean[i] = max(1, min(255, now+gained))
		}
	}
}

// foldBase adds rows to the base rate.
func (s *shared) foldBase(d delta) {
	base, moves := s.part(evidenceBase), d.moves[s.index(evidenceBase)]
	last := len(base.mean) - 1
	rows := base.mean[last]
	n0, n := rows, rows
	for _, m := range moves {
		if m.entry == last {
			n0, n = m.priorMean, m.mean
		}
	}
	for _, m := range moves {
		if m.entry == last {
			continue
		}
		if n > n0 {
			base.mean[m.entry] = (rows*base.mean[m.entry] + n*m.mean - n0*m.priorMean) / (rows + n - n0)
		} else {
			base.mean[m.entry] += m.mean - m.priorMean
		}
	}
	base.mean[last] = min(5000, rows+n-n0)
}
