package learn

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// kind is the kind of a learner's file.
const kind = "learner"

// identity is the part of a file that must agree with the learner that reads it, and the small values that the learner takes over.
type identity struct {
	Config      Config  `json:"config"`
	Incremental int     `json:"incremental"`
	Network     any     `json:"network"` // sizes and choices, as JSON holds them
	Seeds       []int64 `json:"seeds"`
	MaxUpdated  int     `json:"most_updated"` // the numbers of noise depend on it
	// Each holds the hyperparameters of each run where they differ, and the configuration then has none.
	Each       []Hyperparameters `json:"each,omitempty"`
	Counts     Counts            `json:"counts"`
	Fitting    bool              `json:"fitting"`              // the initial phase has not ended: Adam's moments follow
	Vocabulary [][]byte          `json:"vocabulary,omitempty"` // bytes, since an item need not be text
}

// WriteTo writes the learner's state with a checksum: configuration, seeds, counts, and every parameter by its name (see
// [belief.Write]). A learner that reads it continues with the same bits. WriteTo returns an error if a number is not finite.
func (l *Learner) WriteTo(w io.Writer) (int64, error) {
	s, err := l.Snapshot()
	if err != nil {
		return 0, err
	}
	var vocabulary [][]byte
	for _, item := range s.Vocabulary {
		vocabulary = append(vocabulary, []byte(item))
	}
	own, each := l.configured()
	own.Encoder.HashSeed, own.Encoder.HashDraws = s.HashSeed, 0
	config, err := json.Marshal(identity{own, l.Incremental, l.network.Identity, l.seeds, l.most, each, s.Counts, len(s.Moments) > 0,
		vocabulary})
	if err != nil {
		return 0, errors.Wrap(err, "encoding a learner's configuration")
	}
	for i, flat := range slices.Concat(s.Parameters, s.Moments) {
		if at := slices.IndexFunc(flat, notFinite); at >= 0 {
			return 0, errors.Errorf("number %d of list %d is %g: the learner has diverged and was not saved; "+
				"go back to an older file, or lower the learning rate", at, i, flat[at])
		}
	}
	var file bytes.Buffer
	if err := belief.Write(&file, kind, config, l.parts(s)); err != nil {
		return 0, err
	}
	n, err := file.WriteTo(w)
	return n, errors.Wrap(err, "writing a learner")
}

// parts returns a snapshot's numbers by their names.
func (l *Learner) parts(s Snapshot) (parts []belief.Part) {
	names, _ := l.layout(l.Encoder)
	for i, flat := range s.Parameters {
		parts = append(parts, belief.List(names[i], flat))
	}
	for i, flat := range s.Moments {
		name := []string{"first moment of ", "second moment of ", "course of the ELBO"}[i/len(names)]
		if i < 2*len(names) {
			name += names[i%len(names)]
		}
		parts = append(parts, belief.List(name, flat))
	}
	return parts
}

// ReadFrom replaces the learner's state by the state at the beginning of r that WriteTo wrote, and returns its length. It reads r to the
// end. The learner must have the same configuration, network and seeds as the writer. It takes the writer's draw of the hash functions.
// After an error the learner is unchanged.
func (l *Learner) ReadFrom(r io.Reader) (int64, error) {
	file, err := io.ReadAll(r)
	if err != nil {
		return int64(len(file)), errors.Wrap(err, "reading a learner")
	}
	var s Snapshot
	rest, err := belief.Read(file, func(h belief.Header) ([]belief.Part, error) {
		if h.Kind != kind {
			return nil, errors.Errorf("the file is of kind %q; a learner reads %q", h.Kind, kind)
		}
		saved, err := l.agreed(h.Config)
		if err != nil {
			return nil, err
		}
		s = Snapshot{Counts: saved.Counts, HashSeed: saved.Config.Encoder.HashSeed}
		for _, item := range saved.Vocabulary {
			s.Vocabulary = append(s.Vocabulary, string(item))
		}
		hasher, err := l.hasherOf(s)
		if err != nil {
			return nil, err
		}
		_, shapes := l.layout(hasher.Config)
		if err := h.Fits(bytesOf(shapes)); err != nil {
			return nil, err
		}
		for _, dims := range shapes {
			s.Parameters = append(s.Parameters, make([]float32, product(dims)))
		}
		if saved.Fitting {
			for _, dims := range l.momentShapes(shapes) {
				s.Moments = append(s.Moments, make([]float32, product(dims)))
			}
		}
		return l.parts(s), nil
	})
	if err != nil {
		return int64(len(file)), errors.WithMessage(err, "reading a learner")
	}
	return int64(len(file) - len(rest)), l.Restore(s)
}

// bytesOf returns the memory of parameters and their moments.
func bytesOf(shapes [][]int) (bytes float64) {
	for _, dims := range shapes {
		bytes += 3 * 4 * float64(product(dims))
	}
	return bytes
}

// maxDoublings limits the damage that a wrong count in a file can do.
const maxDoublings = 24

// agreed returns an error that names the difference if the file is of another learner.
func (l *Learner) agreed(file json.RawMessage) (saved identity, err error) {
	if err := json.Unmarshal(file, &saved); err != nil {
		return saved, errors.Wrap(err, "the configuration of the file")
	}
	sizes, err := json.Marshal(l.network.Identity)
	if err != nil {
		return saved, errors.Wrap(err, "encoding a network's configuration")
	}
	var network any
	if err := json.Unmarshal(sizes, &network); err != nil {
		return saved, errors.Wrap(err, "decoding a network's configuration")
	}
	config, each := l.configured()
	config.Incremental = 0 // JSON does not hold it
	if e, draw := &config.Encoder, saved.Config.Encoder.HashSeed; uint64(draw-e.HashSeed) < uint64(e.HashDraws) {
		e.HashSeed, e.HashDraws = draw, 0 // it is one of those to choose from
	}
	own, read := &config.Encoder, &saved.Config.Encoder
	if read.Assembly.String() != own.Assembly.String() || read.Prior.String() != own.Prior.String() {
		return saved, errors.Errorf("the file's learner has assembly %q and prior %q, this one %q and %q; "+
			"give the configuration the values of the file's names",
			read.Assembly, read.Prior, own.Assembly, own.Prior)
	}
	read.Assembly, read.Prior = own.Assembly, own.Prior // JSON has no functions
	switch {
	case saved.Config != config:
		return saved, errors.Errorf("the file's learner has the configuration %+v, this one %+v; make the learner as the file's was made",
			saved.Config, config)
	case !slices.Equal(saved.Each, each):
		return saved, errors.Errorf("the runs of the file's learner have the hyperparameters %+v, and this one's %+v; give it the same",
			saved.Each, each)
	case saved.Incremental != l.Incremental || !reflect.DeepEqual(saved.Network, network):
		return saved, errors.Errorf("the file's network is %+v, incremental column %d, and this one's %+v, column %d; "+
			"make the learner as the file's was made",
			saved.Network, saved.Incremental, network, l.Incremental)
	case !slices.Equal(saved.Seeds, l.seeds):
		return saved, errors.Errorf("the file's learner has seeds %v, this one %v; give it the same", saved.Seeds, l.seeds)
	case saved.MaxUpdated != l.most:
		return saved, errors.Errorf("the file's learner has MaxUpdated %d, this one %d; give it the same", saved.MaxUpdated, l.most)
	case saved.Counts.Doublings > maxDoublings:
		return saved, errors.Errorf("the file's tables have grown %d times; at most %d are allowed", saved.Counts.Doublings, maxDoublings)
	}
	return saved, nil
}
