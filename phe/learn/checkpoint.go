package learn

import (
	"bufio"
	"encoding/json"
	"io"
	"reflect"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// kind is what a learner's file holds.
const kind = "learner"

// identity is what a learner must share with a file to take it over, and what it takes.
type identity struct {
	Config      Config   `json:"config"`
	Incremental int      `json:"incremental"`
	Network     any      `json:"network"` // as JSON has it: sizes and choices
	Seeds       []int64  `json:"seeds"`
	MostUpdated int      `json:"most_updated"` // it numbers the noise
	Counts      Counts   `json:"counts"`
	Fitting     bool     `json:"fitting"`              // the initial phase goes on: Adam's moments follow
	Vocabulary  [][]byte `json:"vocabulary,omitempty"` // bytes, which need not be text
}

// WriteTo writes the learner's state: its configuration, seeds, counts and every number by its name, with a checksum (see
// [belief.Write]). A learner that reads it goes on with the same bits. A state with numbers that are not finite is an error.
func (l *Learner) WriteTo(w io.Writer) (int64, error) {
	s, err := l.Snapshot()
	if err != nil {
		return 0, err
	}
	var vocabulary [][]byte
	for _, item := range s.Vocabulary {
		vocabulary = append(vocabulary, []byte(item))
	}
	config, err := json.Marshal(identity{l.Config, l.Incremental, l.network, l.seeds, l.most, s.Counts, len(s.Moments) > 0, vocabulary})
	if err != nil {
		return 0, errors.Wrap(err, "encoding a learner's configuration")
	}
	for i, flat := range slices.Concat(s.Parameters, s.Moments) {
		if at := slices.IndexFunc(flat, notFinite); at >= 0 {
			return 0, errors.Errorf("number %d of list %d is %g: the learner has diverged, and is not saved; go back to an older file, or lower the learning rate", at, i, flat[at])
		}
	}
	counted := &counter{w: w}
	err = belief.Write(counted, kind, config, l.parts(s))
	return counted.n, err
}

// counter counts bytes written.
type counter struct {
	w io.Writer
	n int64
}

// Write passes bytes on.
func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// parts are a snapshot's numbers by their names.
func (l *Learner) parts(s Snapshot) (parts []belief.Part) {
	names := l.names()
	for i, flat := range s.Parameters {
		parts = append(parts, list(names[i], flat))
	}
	for i, flat := range s.Moments {
		parts = append(parts, list([]string{"first", "second"}[i/len(names)]+" moment of "+names[i%len(names)], flat))
	}
	return parts
}

func list(name string, flat []float32) belief.Part {
	return belief.Part{Name: name, Len: len(flat), Type: belief.Float32,
		Get: func(i int) (float64, float64) { return float64(flat[i]), 0 },
		Set: func(i int, v, _ float64) { flat[i] = float32(v) }}
}

// ReadFrom takes over the state that WriteTo wrote, and reads nothing beyond it but what its buffer holds. The learner must be of
// the same configuration, network and seeds. An error changes nothing.
func (l *Learner) ReadFrom(r io.Reader) (int64, error) {
	counted := &reader{r: r}
	buffered := bufio.NewReader(counted)
	var s Snapshot
	err := belief.Read(buffered, func(h belief.Header) ([]belief.Part, error) {
		if h.Kind != kind {
			return nil, errors.Errorf("the file is of kind %q; a learner reads %q", h.Kind, kind)
		}
		saved, err := l.agreed(h.Config)
		if err != nil {
			return nil, err
		}
		s = Snapshot{Counts: saved.Counts}
		for _, item := range saved.Vocabulary {
			s.Vocabulary = append(s.Vocabulary, string(item))
		}
		hasher, err := l.hasherOf(s)
		if err != nil {
			return nil, err
		}
		shapes := l.shapes(hasher.Config())
		for _, dims := range shapes {
			s.Parameters = append(s.Parameters, make([]float32, product(dims)))
		}
		if saved.Fitting {
			for _, dims := range slices.Concat(shapes, shapes) {
				s.Moments = append(s.Moments, make([]float32, product(dims)))
			}
		}
		return l.parts(s), nil
	})
	if err != nil {
		return counted.n, errors.WithMessage(err, "reading a learner")
	}
	return counted.n - int64(buffered.Buffered()), l.Restore(s)
}

// reader counts bytes read.
type reader struct {
	r io.Reader
	n int64
}

// Read passes bytes on.
func (c *reader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// mostDoublings bounds a damaged count.
const mostDoublings = 24

// agreed refuses the file of another learner, and says in what they differ.
func (l *Learner) agreed(config json.RawMessage) (saved identity, err error) {
	if err := json.Unmarshal(config, &saved); err != nil {
		return saved, errors.Wrap(err, "the configuration of the file")
	}
	own, err := json.Marshal(l.network)
	if err != nil {
		return saved, errors.Wrap(err, "encoding a network's configuration")
	}
	var network any
	if err := json.Unmarshal(own, &network); err != nil {
		return saved, errors.Wrap(err, "decoding a network's configuration")
	}
	switch {
	case saved.Config != withoutIncremental(l.Config):
		return saved, errors.Errorf("the file's learner has the configuration %+v, this one %+v; make the learner as the file's was made", saved.Config, l.Config)
	case saved.Incremental != l.Incremental || !reflect.DeepEqual(saved.Network, network):
		return saved, errors.Errorf("the file's network is %+v, incremental column %d, and this one's %+v, column %d; make the learner as the file's was made",
			saved.Network, saved.Incremental, network, l.Incremental)
	case !slices.Equal(saved.Seeds, l.seeds):
		return saved, errors.Errorf("the file's learner has seeds %v, this one %v; give it the same", saved.Seeds, l.seeds)
	case saved.MostUpdated != l.most:
		return saved, errors.Errorf("the file's learner has MostUpdated %d, this one %d; give it the same", saved.MostUpdated, l.most)
	case saved.Counts.Doublings > mostDoublings:
		return saved, errors.Errorf("the file's tables have grown %d times; at most %d are allowed", saved.Counts.Doublings, mostDoublings)
	}
	return saved, nil
}

// withoutIncremental is a configuration as JSON holds it.
func withoutIncremental(c Config) Config {
	c.Incremental = 0
	return c
}
