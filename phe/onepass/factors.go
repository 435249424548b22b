package onepass

import (
	"math"
	"math/rand/v2"
)

// factors is a field-weighted factorization machine of beliefs. Each row of its table holds d latent numbers for each logit, and the items
// of field c have e_c = Σ_k ±L[h_k]. Each pair of fields adds r ⟨e_c, e_c'⟩ to a logit. r is a belief too, so useless pairs fade.
type factors[T real] struct {
	Config
	latent []entry[T]       // [rows, outputs, dim]
	weight []entry[float64] // [pairs of fields, outputs]; pair c' < c has number c(c−1)/2 + c'

	// For the row:
	touched slots
	uses    []latentUse
	present slots     // fields that have a cell
	emb     []float64 // e [fields, outputs, dim]
	spread  []float64 // variance of e [fields, outputs, dim]
	others  []float64 // Σ r e_c' over the other fields, which is the gradient by e [fields, outputs, dim]
	dot     []float64 // ⟨e_c, e_c'⟩ [pairs of fields, outputs]
	ofLat   []float64 // gradient [touched rows, outputs, dim]
}

// latentUse is one use of a touched row by a field.
type latentUse struct {
	number, field int
	share         float64
}

// maxLatent bounds a latent mean, relative to the prior's deviation. A factor's step grows with the others, so rows of large weights that
// contradict each other would make all of them infinite.
const maxLatent = 100

// latentStart is the standard deviation of the initial latent means, relative to the prior's. Means of 0 would never move.
const latentStart = 0.25

func newFactors[T real](c Config, rng *rand.Rand) *factors[T] {
	fields := c.fields()
	size, pairs := fields*c.Outputs*c.Latents, fields*(fields-1)/2*c.Outputs
	p := &factors[T]{Config: c, latent: make([]entry[T], c.LatentRows*c.Outputs*c.Latents), weight: make([]entry[float64], pairs),
		emb: make([]float64, size), spread: make([]float64, size), others: make([]float64, size), dot: make([]float64, pairs)}
	for i := range p.latent {
		p.latent[i] = entry[T]{T(latentStart * math.Sqrt(c.Prior.Latent) * rng.NormFloat64()), T(c.Prior.Latent)}
	}
	for i := range p.weight {
		p.weight[i] = entry[float64]{1, c.Prior.Field}
	}
	return p
}

// read adds the products of the row's fields to the logits and keeps the gradients.
func (p *factors[T]) read(row *Row, s *sums) {
	p.embed(row)
	n, d := p.Outputs, p.Latents
	for i, c := range p.present.keys {
		for _, other := range p.present.keys[:i] {
			for o := range n {
				p.readPair(c, other, o, s)
			}
		}
	}
	if p.Head == Bernoulli || p.Head == Softmax {
		s.products = min(s.products, 1) // the bound of a gradient is then at least 1, so it clips no row of weight 1
	} else {
		s.products = 0
	}
	p.ofLat = zeroed(p.ofLat[:0], len(p.touched.keys)*n*d)
	for _, use := range p.uses {
		to, others := p.ofLat[use.number*n*d:][:n*d], p.others[use.field*n*d:][:n*d]
		for l, h := range others {
			to[l] += use.share * h
		}
	}
	for j, b := range p.touched.keys {
		for o := range n {
			latent, sum := p.latent[(b*n+o)*d:][:d], 0.0
			for l, g := range p.ofLat[(j*n+o)*d:][:d] {
				sum += g * g * float64(latent[l].variance)
			}
			s.cov[o*n+o] += sum
		}
	}
}

// embed sums the latent numbers of each field's items.
func (p *factors[T]) embed(row *Row) {
	p.present.reset()
	p.touched.reset()
	p.uses = p.uses[:0]
	size := p.Outputs * p.Latents
	hashes, fields := len(row.Slots)/max(1, len(row.Cells)), p.fields()
	for i := range row.Cells {
		c := &row.Cells[i]
		field := int(c.Column)
		if field >= fields {
			continue // a pair of fields
		}
		from := field * size
		emb, spread := p.emb[from:from+size], p.spread[from:from+size]
		if _, isNew := p.present.number(field); isNew {
			clear(emb)
			clear(spread)
			clear(p.others[from : from+size])
		}
		for _, slot := range row.Slots[i*hashes : (i+1)*hashes] {
			b, share := int(slot&^signBit)%p.LatentRows, signed(c.Share, slot)
			number, _ := p.touched.number(b)
			p.uses = append(p.uses, latentUse{number, field, share})
			for l, e := range p.latent[b*size:][:size] {
				emb[l] += share * float64(e.mean)
				spread[l] += share * share * float64(e.variance)
			}
		}
	}
}

// pair returns the number of a pair of fields and an output.
func (p *factors[T]) pair(c, other, o int) int {
	high, low := max(c, other), min(c, other)
	return (high*(high-1)/2+low)*p.Outputs + o
}

// readPair adds r ⟨e_c, e_c'⟩ to one logit. It adds the variance of r and the variance of the product e·e' to the covariance.
func (p *factors[T]) readPair(c, other, o int, s *sums) {
	n, d := p.Outputs, p.Latents
	at, to := (c*n+o)*d, (other*n+o)*d
	e, e2 := p.emb[at:at+d], p.emb[to:to+d]
	v, v2 := p.spread[at:at+d], p.spread[to:to+d]
	h, h2 := p.others[at:at+d], p.others[to:to+d]
	i := p.pair(c, other, o)
	r := p.weight[i]
	dot, both := 0.0, 0.0
	for l := range d {
		dot += e[l] * e2[l]
		both += v[l] * v2[l]
		h[l] += r.mean * e2[l]
		h2[l] += r.mean * e[l]
	}
	p.dot[i] = dot
	s.products += r.mean * r.mean * both
	s.mean[o] += r.mean * dot
	s.cov[o*n+o] += dot*dot*r.variance + r.mean*r.mean*both
}

// write moves the latent numbers that the row touched, and the weights of its pairs of fields.
func (p *factors[T]) write(_ *Row, s *sums) {
	n, d := p.Outputs, p.Latents
	for i, c := range p.present.keys {
		for _, other := range p.present.keys[:i] {
			for o := range n {
				at := p.pair(c, other, o)
				g := p.dot[at]
				p.weight[at].move(g*s.gradient[o], g*g*s.curvature[o*n+o], p.Tempering, p.Least)
			}
		}
	}
	gain, most := p.Tau*p.Prior.Latent, T(maxLatent*math.Sqrt(p.Prior.Latent))
	for j, b := range p.touched.keys {
		for o := range n {
			gradient, curvature := s.gradient[o], s.curvature[o*n+o]
			latent := p.latent[(b*n+o)*d:][:d]
			for l, g := range p.ofLat[(j*n+o)*d:][:d] {
				e := &latent[l]
				e.move(g*gradient, g*g*curvature, p.Tempering, p.Least)
				e.bound(-most, most)
				e.variance = T(min(p.Prior.Latent, float64(e.variance)+gain))
			}
		}
	}
}
