package onepass

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// kind is the kind of a learner's file.
const kind = "onepass"

// Names of a learner's tables and lists in a file.
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
	evidenceCount = "evidence n"
	evidenceMeans = "evidence P" // [slots, outputs]
	evidenceBase  = "evidence g" // [outputs], and the number of rows in it
	evidenceMet   = "evidence met"
	blockMean     = "block" // [numbers + 1, outputs], the bias last
	blockCov      = "block covariance"
	jointCov      = "covariance" // of all entries; Joint only
	targetScale   = "target"     // rows, mean, squares, standard deviation, noise
	rowsSeen      = "rows"       // number of rows, and their mean weight
	pairGains     = "gains"      // [columns]; only if pairs are dropped
)

// memory is a number type of tables and lists in memory.
type memory interface {
	uint16 | uint32 | float32 | float64
}

// inFile returns the type of a number in a file, which is its type in memory.
func inFile[N memory]() belief.Number {
	switch any(N(0)).(type) {
	case uint16:
		return belief.Uint16
	case uint32:
		return belief.Uint32
	case float32:
		return belief.Float32
	}
	return belief.Float64
}

// storedList returns the part of a list that memory and file hold in the same way.
func storedList[N memory](name string, list []N) belief.Part {
	return belief.Part{Name: name, Len: len(list), Type: inFile[N](),
		Get: func(i int) (float64, float64) { return float64(list[i]), 0 },
		Set: func(i int, v, _ float64) { list[i] = N(v) }}
}

func storedEntries[T Real](name string, dim int, e []entry[T]) belief.Part {
	return belief.Part{Name: name, Dim: dim, Len: len(e), Type: inFile[T](),
		Get: func(i int) (float64, float64) { return float64(e[i].mean), float64(e[i].variance) },
		Set: func(i int, mean, variance float64) { e[i] = entry[T]{T(mean), T(variance)} }}
}

func storedBeliefs(name string, dim int, b beliefs) belief.Part {
	return belief.Part{Name: name, Dim: dim, Len: len(b.mean), Type: belief.Float64,
		Get: func(i int) (float64, float64) { return b.mean[i], b.variance[i] },
		Set: func(i int, mean, variance float64) { b.mean[i], b.variance[i] = mean, variance }}
}

func (p *embedding) stored() []belief.Part {
	all := []belief.Part{storedBeliefs(tableE, p.dim, p.e), storedBeliefs(tableTheta, p.dim, p.theta)}
	if len(p.w.mean) > 0 {
		all = append(all, storedBeliefs(tableW, p.hashes, p.w))
	}
	return all
}

func (p *weights[T]) stored() []belief.Part {
	return []belief.Part{storedEntries(tableE, p.outputs, p.slots), storedEntries(tableTheta, p.outputs, p.scales)}
}

func (p *factors[T]) stored() []belief.Part {
	return []belief.Part{storedEntries(tableLatent, p.dim, p.latent), storedEntries(tableField, p.outputs, p.weight)}
}

func (p *evidence) stored() []belief.Part {
	size := 1 + p.outputs
	part := func(name string, of func(*evidenceSlot) *uint16) belief.Part {
		return belief.Part{Name: name, Len: p.slots, Type: belief.Uint16,
			Get: func(i int) (float64, float64) { s := slotOf(p.words[i*size]); return float64(*of(&s)), 0 },
			Set: func(i int, v, _ float64) {
				s := slotOf(p.words[i*size])
				*of(&s) = uint16(v)
				p.words[i*size] = s.word()
			}}
	}
	means := belief.Part{Name: evidenceMeans, Len: p.slots * p.outputs, Type: belief.Float32,
		Get: func(i int) (float64, float64) { return p.mean(i/p.outputs, i%p.outputs), 0 },
		Set: func(i int, v, _ float64) { p.words[i/p.outputs*size+1+i%p.outputs] = math.Float32bits(float32(v)) }}
	all := []belief.Part{
		storedEntries(tableEvidence, p.outputs, p.weight), storedEntries(tableBias, p.outputs, p.bias),
		part(evidenceCheck, func(s *evidenceSlot) *uint16 { return &s.check }), part(evidenceCount, func(s *evidenceSlot) *uint16 { return &s.n }),
		means, storedList(evidenceBase, p.base), storedList(evidenceMet, p.met[:]),
	}
	if a := p.alone; a != nil {
		all = append(all, storedEntries(tableAlone, p.outputs, a.weight), storedEntries(tableAloneB, p.outputs, a.bias))
	}
	return all
}

func (b *block) stored() []belief.Part {
	return []belief.Part{storedList(blockMean, b.mean), storedList(blockCov, b.cov)}
}

func (t *target) part() belief.Part {
	own := []*float64{&t.rows, &t.mean, &t.square, &t.sd, &t.noise}
	return belief.Part{Name: targetScale, Len: len(own), Type: belief.Float64,
		Get: func(i int) (float64, float64) { return *own[i], 0 },
		Set: func(i int, v, _ float64) { *own[i] = v }}
}

// Parts returns all numbers that change as the learner learns, for a file that holds more than the learner.
func (l *Learner) Parts() (all []belief.Part) {
	for _, p := range l.parts {
		all = append(all, p.stored()...)
	}
	if l.target != nil {
		all = append(all, l.target.part())
	}
	if g := l.sums.gains; g != nil {
		all = append(all, storedList(pairGains, g.sum))
	}
	return append(all, belief.Part{Name: rowsSeen, Len: 2, Type: belief.Float64,
		Get: func(i int) (float64, float64) { return []float64{float64(l.rows), l.weight}[i], 0 },
		Set: func(i int, v, _ float64) {
			if i == 0 {
				l.rows = int(v)
			} else {
				l.weight = v
			}
		}})
}

// Beliefs returns a copy of all beliefs.
func (l *Learner) Beliefs() belief.Copy {
	f := belief.Copy{Tables: map[string]belief.Table{}, Lists: map[string][]float64{}}
	for _, p := range l.Parts() {
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

// SetBeliefs replaces all beliefs. If the shapes are not the learner's, it returns an error and changes nothing.
func (l *Learner) SetBeliefs(f belief.Copy) error {
	all := l.Parts()
	for _, p := range all {
		t := f.Tables[p.Name]
		if p.Dim == 0 && len(f.Lists[p.Name]) != p.Len || p.Dim > 0 && (len(t.Mean) != p.Len || len(t.Variance) != p.Len) {
			return errors.Errorf("%s holds %d numbers and %d beliefs; this learner has %d", p.Name, len(f.Lists[p.Name]), len(t.Mean), p.Len)
		}
	}
	for _, p := range all {
		t, list := f.Tables[p.Name], f.Lists[p.Name]
		for i := range p.Len {
			if p.Dim == 0 {
				p.Set(i, list[i], 0)
			} else {
				p.Set(i, t.Mean[i], t.Variance[i])
			}
		}
	}
	return nil
}

// Save writes the learner's configuration and beliefs with a checksum. It copies no table.
func (l *Learner) Save(w io.Writer) error {
	config, err := json.Marshal(l.config)
	if err != nil {
		return errors.Wrap(err, "encoding the learner's configuration")
	}
	return belief.Write(w, kind, config, l.Parts())
}

// Load returns the learner that Save wrote. The learner continues as if it had never stopped. Load reads no byte after the learner.
func Load(r *bufio.Reader) (*Learner, error) {
	var l *Learner
	err := belief.Read(r, func(h belief.Header) ([]belief.Part, error) {
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
		if l, err = New(c); err != nil {
			return nil, err
		}
		return l.Parts(), nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// MarshalBinary returns the bytes that Save writes.
func (l *Learner) MarshalBinary() ([]byte, error) {
	var b bytes.Buffer
	err := l.Save(&b)
	return b.Bytes(), err
}

// UnmarshalBinary replaces the learner by the learner in content. After an error it is unchanged.
func (l *Learner) UnmarshalBinary(content []byte) error {
	loaded, err := Load(bufio.NewReader(bytes.NewReader(content)))
	if err != nil {
		return err
	}
	*l = *loaded
	return nil
}
