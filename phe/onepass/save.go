package onepass

import (
	"encoding/json"
	"io"

	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// kind names the beliefs of a learner in a file.
const kind = "onepass"

// beliefs are the names of a learner's tables and lists in a file.
const (
	tableE     = "E"     // [buckets, dim]
	tableW     = "W"     // [weight rows, hashes]
	tableTheta = "theta" // [columns · outputs, dim]
	blockMean  = "block" // [numbers + 1, outputs], the bias last
	blockCov   = "block covariance"
	jointCov   = "covariance" // of all entries; Joint only
	rowsSeen   = "rows"
)

// tabled is a part whose beliefs stand in tables.
type tabled interface {
	part
	tables() map[string]belief.Table
	setTables(map[string]belief.Table) error
}

// Beliefs returns a copy of everything that the learner believes.
func (l *Learner) Beliefs() (belief.File, error) {
	config, err := json.Marshal(l.config)
	if err != nil {
		return belief.File{}, errors.Wrap(err, "encoding the learner's configuration")
	}
	f := belief.File{Kind: kind, Config: config, Tables: map[string]belief.Table{}, Lists: map[string][]float64{
		blockMean: append([]float64(nil), l.block.mean...), blockCov: append([]float64(nil), l.block.cov...), rowsSeen: {float64(l.rows)},
	}}
	if l.joint != nil {
		f.Lists[jointCov] = append([]float64(nil), l.joint.cov...)
	}
	for _, p := range l.parts {
		if t, ok := p.(tabled); ok {
			for name, table := range t.tables() {
				f.Tables[name] = table
			}
		}
	}
	return f, nil
}

// SetBeliefs replaces what the learner believes. It changes nothing and returns an error if the shapes are not the learner's.
func (l *Learner) SetBeliefs(f belief.File) error {
	if len(f.Lists[blockMean]) != len(l.block.mean) || len(f.Lists[blockCov]) != len(l.block.cov) || len(f.Lists[rowsSeen]) != 1 {
		return errors.Errorf("beliefs about %d numbers' weights and a covariance of %d; this learner has %d and %d",
			len(f.Lists[blockMean]), len(f.Lists[blockCov]), len(l.block.mean), len(l.block.cov))
	}
	if l.joint != nil && len(f.Lists[jointCov]) != len(l.joint.cov) {
		return errors.Errorf("beliefs with a covariance of %d numbers; this learner has %d", len(f.Lists[jointCov]), len(l.joint.cov))
	}
	for _, p := range l.parts {
		if t, ok := p.(tabled); ok {
			if err := t.setTables(f.Tables); err != nil {
				return err
			}
		}
	}
	copy(l.block.mean, f.Lists[blockMean])
	copy(l.block.cov, f.Lists[blockCov])
	if l.joint != nil {
		copy(l.joint.cov, f.Lists[jointCov])
	}
	l.rows = int(f.Lists[rowsSeen][0])
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

func (p *embedding) tables() map[string]belief.Table {
	t := map[string]belief.Table{tableE: p.e.table(p.dim), tableTheta: p.theta.table(p.dim)}
	if len(p.w.mean) > 0 {
		t[tableW] = p.w.table(p.hashes)
	}
	return t
}

func (p *embedding) setTables(tables map[string]belief.Table) error {
	own := map[string]beliefs{tableE: p.e, tableW: p.w, tableTheta: p.theta}
	for name, b := range own {
		t := tables[name]
		if len(t.Mean) != len(b.mean) || len(t.Variance) != len(b.mean) {
			return errors.Errorf("table %s has %d means and %d variances; this learner has %d of each", name, len(t.Mean), len(t.Variance), len(b.mean))
		}
	}
	for name, b := range own {
		copy(b.mean, tables[name].Mean)
		copy(b.variance, tables[name].Variance)
	}
	return nil
}

// table returns a copy.
func (b beliefs) table(dim int) belief.Table {
	return belief.Table{Dim: dim, Mean: b.mean, Variance: b.variance}.Clone()
}
