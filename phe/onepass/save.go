package onepass

import (
	"encoding/json"
	"io"

	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// kind names the beliefs of a learner in a file.
const kind = "onepass"

// Names of a learner's tables and lists in a file.
const (
	tableE        = "E"              // [buckets, dim]; of the preset Stream, [buckets, outputs]
	tableW        = "W"              // [weight rows, hashes]
	tableTheta    = "theta"          // [columns · outputs, dim]; of the preset Stream, the scales [columns, outputs]
	tableLatent   = "latent"         // [latent rows · outputs, latents]
	tableField    = "pair of fields" // [pairs, outputs]
	tableEvidence = "evidence"       // weights [columns · bins, outputs]
	tableBias     = "evidence bias"  // [outputs]
	evidenceCheck = "evidence check bits"
	evidenceCount = "evidence n"
	evidenceMeans = "evidence P" // [slots, outputs]
	evidenceBase  = "evidence g" // [outputs], and the rows that it counts
	blockMean     = "block"      // [numbers + 1, outputs], the bias last
	blockCov      = "block covariance"
	jointCov      = "covariance" // of all entries; Joint only
	targetScale   = "target"     // rows, mean, squares, standard deviation, noise
	rowsSeen      = "rows"
)

// stored is a table or a list of a file, as the learner holds it.
type stored struct {
	name string
	dim  int // numbers in a row of a table; 0: it is a list
	len  int
	get  func(i int) (mean, variance float64) // of a list, the mean is the number
	set  func(i int, mean, variance float64)
}

// number is what a list may hold.
type number interface{ uint16 | float32 | float64 }

// storedList is a list that stands in memory as it is.
func storedList[N number](name string, list []N) stored {
	return stored{name: name, len: len(list),
		get: func(i int) (float64, float64) { return float64(list[i]), 0 },
		set: func(i int, v, _ float64) { list[i] = N(v) }}
}

func storedEntries[T Real](name string, dim int, e []entry[T]) stored {
	return stored{name: name, dim: dim, len: len(e),
		get: func(i int) (float64, float64) { return float64(e[i].mean), float64(e[i].variance) },
		set: func(i int, mean, variance float64) { e[i] = entry[T]{T(mean), T(variance)} }}
}

func storedBeliefs(name string, dim int, b beliefs) stored {
	return stored{name: name, dim: dim, len: len(b.mean),
		get: func(i int) (float64, float64) { return b.mean[i], b.variance[i] },
		set: func(i int, mean, variance float64) { b.mean[i], b.variance[i] = mean, variance }}
}

func (p *embedding) stored() []stored {
	all := []stored{storedBeliefs(tableE, p.dim, p.e), storedBeliefs(tableTheta, p.dim, p.theta)}
	if len(p.w.mean) > 0 {
		all = append(all, storedBeliefs(tableW, p.hashes, p.w))
	}
	return all
}

func (p *weights[T]) stored() []stored {
	return []stored{storedEntries(tableE, p.outputs, p.slots), storedEntries(tableTheta, p.outputs, p.scales)}
}

func (p *factors[T]) stored() []stored {
	return []stored{storedEntries(tableLatent, p.dim, p.latent), storedEntries(tableField, p.outputs, p.weight)}
}

func (p *evidence) stored() []stored {
	part := func(name string, of func(*evidenceSlot) *uint16) stored {
		return stored{name: name, len: len(p.slots),
			get: func(i int) (float64, float64) { return float64(*of(&p.slots[i])), 0 },
			set: func(i int, v, _ float64) { *of(&p.slots[i]) = uint16(v) }}
	}
	return []stored{
		storedEntries(tableEvidence, p.outputs, p.weight), storedEntries(tableBias, p.outputs, p.bias),
		part(evidenceCheck, func(s *evidenceSlot) *uint16 { return &s.check }), part(evidenceCount, func(s *evidenceSlot) *uint16 { return &s.n }),
		storedList(evidenceMeans, p.p), storedList(evidenceBase, p.base),
	}
}

func (b *block) stored() []stored {
	return []stored{storedList(blockMean, b.mean), storedList(blockCov, b.cov)}
}

func (t *target) stored() stored {
	own := []*float64{&t.rows, &t.mean, &t.square, &t.sd, &t.noise}
	return stored{name: targetScale, len: len(own),
		get: func(i int) (float64, float64) { return *own[i], 0 },
		set: func(i int, v, _ float64) { *own[i] = v }}
}

// stored returns everything that changes as the learner learns.
func (l *Learner) stored() (all []stored) {
	for _, p := range l.parts {
		all = append(all, p.stored()...)
	}
	if l.target != nil {
		all = append(all, l.target.stored())
	}
	return append(all, stored{name: rowsSeen, len: 1,
		get: func(int) (float64, float64) { return float64(l.rows), 0 },
		set: func(_ int, v, _ float64) { l.rows = int(v) }})
}

// Beliefs returns a copy of everything that the learner believes.
func (l *Learner) Beliefs() (belief.File, error) {
	config, err := json.Marshal(l.config)
	if err != nil {
		return belief.File{}, errors.Wrap(err, "encoding the learner's configuration")
	}
	f := belief.File{Kind: kind, Config: config, Tables: map[string]belief.Table{}, Lists: map[string][]float64{}}
	for _, s := range l.stored() {
		mean, variance := make([]float64, s.len), make([]float64, s.len)
		for i := range mean {
			mean[i], variance[i] = s.get(i)
		}
		if s.dim == 0 {
			f.Lists[s.name] = mean
		} else {
			f.Tables[s.name] = belief.Table{Dim: s.dim, Mean: mean, Variance: variance}
		}
	}
	return f, nil
}

// SetBeliefs replaces what the learner believes. It changes nothing and returns an error if the shapes are not the learner's.
func (l *Learner) SetBeliefs(f belief.File) error {
	all := l.stored()
	for _, s := range all {
		t := f.Tables[s.name]
		if s.dim == 0 && len(f.Lists[s.name]) != s.len || s.dim > 0 && (len(t.Mean) != s.len || len(t.Variance) != s.len) {
			return errors.Errorf("%s holds %d numbers and %d beliefs; this learner has %d", s.name, len(f.Lists[s.name]), len(t.Mean), s.len)
		}
	}
	for _, s := range all {
		t, list := f.Tables[s.name], f.Lists[s.name]
		for i := range s.len {
			if s.dim == 0 {
				s.set(i, list[i], 0)
			} else {
				s.set(i, t.Mean[i], t.Variance[i])
			}
		}
	}
	return nil
}

// WriteTo writes the learner, configuration and beliefs, with a checksum.
func (l *Learner) WriteTo(w io.Writer) (int64, error) {
	f, err := l.Beliefs()
	if err != nil {
		return 0, err
	}
	return f.WriteTo(w)
}

// Read returns the learner that WriteTo wrote. It goes on as if it had never stopped.
func Read(r io.Reader) (*Learner, error) {
	var f belief.File
	if _, err := f.ReadFrom(r); err != nil {
		return nil, err
	}
	if f.Kind != kind {
		return nil, errors.Errorf("these are beliefs of kind %q, not of a learner", f.Kind)
	}
	var c Config
	if err := json.Unmarshal(f.Config, &c); err != nil {
		return nil, errors.Wrap(err, "the learner's configuration")
	}
	l, err := New(c)
	if err == nil {
		err = l.SetBeliefs(f)
	}
	return l, err
}
