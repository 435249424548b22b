package onepass

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// kind is the kind of a model's file.
const kind = "onepass"

// Names of a model's tables and lists in a file.
const (
	tableE        = "E"              // [buckets, dim], or [buckets, outputs] in the preset Stream
	tableW        = "W"              // [weight rows, hashes]
	tableTheta    = "theta"          // [columns · outputs, dim], or the scales [columns, outputs] in the preset Stream
	tableLatent   = "latent"         // [latent rows · outputs, latents]
	tableField    = "pair of fields" // [pairs, outputs]
	tableEvidence = "evidence"       // weights [columns · bins, outputs]
	tableBias     = "evidence bias"  // [outputs]
	tableAlone    = "evidence alone" // weights [columns · bins, outputs]
	tableAloneB   = "evidence alone bias"
	evidenceCheck = "evidence check bits"
	evidenceCount = "evidence n" // with Latest, a stamp in the upper byte
	evidenceMeans = "evidence P" // [slots, outputs]; with Latest, its last bits are the label of the item's latest row
	evidenceBase  = "evidence g" // [outputs], and the number of rows in it
	evidenceMet   = "evidence met"
	blockMean     = "block" // [numbers + 1, outputs], the bias last
	blockCov      = "block covariance"
	jointCov      = "covariance" // of all entries; Joint only
	targetScale   = "target"     // rows, mean, squares, standard deviation, noise
	rowsSeen      = "rows"       // number of rows, and their mean weight
	pairGains     = "gains"      // [columns]; only if pairs are dropped
)

func storedEntries[T real](name string, dim int, e []entry[T]) belief.Part {
	p := belief.List[T](name, nil)
	p.Dim, p.Len = dim, len(e)
	p.Get = func(i int) (float64, float64) { return float64(e[i].mean), float64(e[i].variance) }
	p.Set = func(i int, mean, variance float64) { e[i] = entry[T]{T(mean), T(variance)} }
	return p
}

func storedBeliefs(name string, dim int, b beliefs) belief.Part {
	return belief.Part{Name: name, Dim: dim, Len: len(b.mean), Type: "float64",
		Get: func(i int) (float64, float64) { return b.mean[i], b.variance[i] },
		Set: func(i int, mean, variance float64) { b.mean[i], b.variance[i] = mean, variance }}
}

func (t *table) stored(name string, dim int) belief.Part {
	if t.coded != nil {
		return t.coded.stored(name)
	}
	return storedBeliefs(name, dim, t.beliefs)
}

func (p *embedding) stored() []belief.Part {
	all := []belief.Part{p.e.stored(tableE, p.Dim), storedBeliefs(tableTheta, p.Dim, p.theta)}
	if p.WeightRows > 0 {
		all = append(all, p.w.stored(tableW, p.Hashes))
	}
	return all
}

func (p *weights[T]) stored() []belief.Part {
	e := storedEntries(tableE, p.Outputs, p.slots)
	if p.coded != nil {
		e = p.coded.stored(tableE)
	}
	return []belief.Part{e, storedEntries(tableTheta, p.Outputs, p.scales)}
}

func (p *factors[T]) stored() []belief.Part {
	return []belief.Part{storedEntries(tableLatent, p.Latents, p.latent), storedEntries(tableField, p.Outputs, p.weight)}
}

// noNumber is the exponent of a y that is infinite or no number.
const noNumber = 0xFF << (23 - latestShift)

func (p *evidence) stored() []belief.Part {
	size := 1 + p.Outputs
	part := func(name string, shift int) belief.Part {
		return belief.Part{Name: name, Len: p.Evidence, Type: "uint16",
			Get: func(i int) (float64, float64) { return float64(uint16(p.words[i*size] >> shift)), 0 },
			Set: func(i int, v, _ float64) { p.words[i*size] = p.words[i*size]&^(checkMask<<shift) | uint32(v)<<shift }}
	}
	mean := func(i int) *uint32 { return &p.words[i/p.Outputs*size+1+i%p.Outputs] }
	means := belief.Part{Name: evidenceMeans, Len: p.Evidence * p.Outputs, Type: "float32",
		Get: func(i int) (float64, float64) { return float64(math.Float32frombits(*mean(i))), 0 },
		Set: func(i int, v, _ float64) {
			word := math.Float32bits(float32(v))
			if word&p.ends&noNumber == noNumber { // no y, in a forged file
				word &^= p.ends
			}
			*mean(i) = word
		}}
	all := []belief.Part{
		storedEntries(tableEvidence, p.Outputs, p.weight), storedEntries(tableBias, p.Outputs, p.bias),
		part(evidenceCheck, checkShift), part(evidenceCount, 0),
		means, belief.List(evidenceBase, p.base), belief.List(evidenceMet, p.met[:]),
	}
	if a := p.alone; a != nil {
		all = append(all, storedEntries(tableAlone, p.Outputs, a.weight), storedEntries(tableAloneB, p.Outputs, a.bias))
	}
	return all
}

func (b *block) stored() []belief.Part {
	return []belief.Part{belief.List(blockMean, b.mean), belief.List(blockCov, b.cov)}
}

func (j *joint) stored() []belief.Part {
	return append(append(j.embedding.stored(), j.block.stored()...), belief.List(jointCov, j.cov))
}

// listed returns the list of some numbers.
func listed(name string, own ...*float64) belief.Part {
	return belief.Part{Name: name, Len: len(own), Type: "float64",
		Get: func(i int) (float64, float64) { return *own[i], 0 },
		Set: func(i int, v, _ float64) { *own[i] = v }}
}

// Parts returns all numbers that change as the model learns, for a file that holds more than the model.
func (m *Model) Parts() (all []belief.Part) {
	for _, p := range m.parts {
		all = append(all, p.stored()...)
	}
	if t := m.target; t != nil {
		all = append(all, listed(targetScale, &t.rows, &t.mean, &t.square, &t.sd, &t.noise))
	}
	if g := m.sums.gains; g != nil {
		all = append(all, belief.List(pairGains, g.sum))
	}
	return append(all, listed(rowsSeen, &m.rows, &m.weight))
}

// Beliefs returns a copy of all beliefs.
func (m *Model) Beliefs() belief.Copy {
	f := belief.Copy{Tables: map[string]belief.Table{}, Lists: map[string][]float64{}}
	for _, p := range m.Parts() {
		mean, variance := make([]float64, p.Len), make([]float64, p.Len)
		for i := range mean {
			mean[i], variance[i] = p.Get(i)
		}
		if p.Dim == 0 {
			f.Lists[p.Name] = mean
		} else {
			f.Tables[p.Name] = belief.Table{Dim: p.Dim, Mean: mean, Variance: variance}
		}
	}
	return f
}

// SetBeliefs replaces all beliefs. If the shapes are not the model's, it returns an error and changes nothing.
func (m *Model) SetBeliefs(f belief.Copy) error {
	held := func(p belief.Part) (mean, variance []float64) {
		if list := f.Lists[p.Name]; p.Dim == 0 {
			return list, list
		}
		return f.Tables[p.Name].Mean, f.Tables[p.Name].Variance
	}
	for _, p := range m.Parts() {
		if mean, variance := held(p); len(mean) != p.Len || len(variance) != p.Len {
			return errors.Errorf("%s holds %d numbers; this learner has %d", p.Name, len(mean), p.Len)
		}
	}
	for _, p := range m.Parts() {
		mean, variance := held(p)
		for i := range p.Len {
			p.Set(i, mean[i], variance[i])
		}
	}
	return nil
}

// MarshalBinary returns the model's configuration and beliefs with a checksum.
func (m *Model) MarshalBinary() ([]byte, error) {
	config, err := json.Marshal(m.config)
	if err != nil {
		return nil, errors.Wrap(err, "encoding the learner's configuration")
	}
	var b bytes.Buffer
	err = belief.Write(&b, kind, config, m.Parts())
	return b.Bytes(), err
}

// UnmarshalBinary replaces the model by the model in content, which continues as if it had never stopped. After an error it is unchanged.
func (m *Model) UnmarshalBinary(content []byte) error {
	var loaded *Model
	_, err := belief.Read(content, func(h belief.Header) ([]belief.Part, error) {
		if h.Kind != kind {
			return nil, errors.Errorf("these are beliefs of kind %q, not of a learner", h.Kind)
		}
		var c Config
		err := json.Unmarshal(h.Config, &c)
		if err != nil {
			return nil, errors.Wrap(err, "the learner's configuration")
		}
		if err := h.Fits(c.Bytes()); err != nil {
			return nil, err
		}
		if loaded, err = New(c); err != nil {
			return nil, err
		}
		return loaded.Parts(), nil
	})
	if err == nil {
		*m = *loaded
	}
	return err
}
