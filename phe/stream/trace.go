package stream

import (
	"encoding/binary"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/stream/schema"
)

// Trace holds the items, the target and the forecasts of a record, so that another machine can count and score the record.
type Trace struct {
	Y, Weight float64
	Items     []TracedItem
	Laws      []law // forecasts of the experts
}

// TracedItem is an item of a record.
type TracedItem struct {
	Column int
	Key    uint64
	Name   string
}

// Trace forecasts the target of a record and learns the record, but neither counts nor scores it. Count does that, perhaps on another
// machine. A record without a target is not learned. The scale of a number must be known.
func (l *Learner) Trace(r schema.Record) (t Trace, learned bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	y, known, weight, err := l.label(r)
	if err != nil || !known {
		return t, false, err
	}
	if !l.scale.known() {
		return t, false, errors.New("the scale of the target is not known yet; learn more rows by Step first")
	}
	l.read(r)
	all := l.laws(l.rarest(), true, y, weight)
	t = Trace{Y: y, Weight: weight, Laws: make([]law, len(all.Experts))}
	for i, x := range all.Experts {
		t.Laws[i] = x.known(y)
	}
	for _, it := range l.reader.items {
		t.Items = append(t.Items, TracedItem{it.column, it.key, it.name})
	}
	return t, true, nil
}

// Count counts and scores records that another learner traced. The mixture, the base rate, the intervals and the alarm learn from them,
// and the tables stay as they are. After an error nothing has changed.
func (l *Learner) Count(traces ...Trace) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range traces {
		if err := l.fits(t); err != nil {
			return err
		}
	}
	for _, t := range traces {
		l.countTrace(t)
	}
	return nil
}

func (l *Learner) countTrace(t Trace) {
	least := int64(math.MaxInt64)
	for _, it := range t.Items {
		before := l.census.Add(it.Column, it.Key, it.Name)
		if before == 0 {
			l.note(item{it.Column, it.Key, it.Name})
		}
		least = min(least, before)
	}
	kind := l.schema.Target.Kind
	all := laws{Experts: t.Laws, Usual: l.usual.law(kind)}
	all.Main = l.main.law(kind, all.Experts, all.Usual)
	l.score(&all, novelty(least), t.Y, t.Weight)
	l.rows++
}

// fits returns an error if a trace is of another schema.
func (l *Learner) fits(t Trace) error {
	classes := len(l.schema.Target.Classes)
	ok := len(t.Laws) == len(l.main.experts) && t.Weight > 0 && t.Weight <= mostWeight
	if kind := l.schema.Target.Kind; kind == schema.Classes {
		ok = ok && t.Y >= 0 && int(t.Y) < classes
	} else if kind == schema.Count {
		ok = ok && t.Y >= 0 && len(t.Laws) == 1 && t.Laws[0].count != nil
	}
	for _, x := range t.Laws {
		ok = ok && len(x.Classes) == classes
	}
	for _, it := range t.Items {
		ok = ok && it.Column >= 0 && it.Column < len(l.census.Columns)
	}
	if !ok {
		return errors.New("a traced record does not fit this learner's schema")
	}
	return nil
}

// known returns a copy that stays valid, and that can score the count y alone.
func (m law) known(y float64) law {
	if m.count != nil {
		at := int(y)
		d := m.count
		m = m.kept()
		m.count = countAt{at, d.LogProbability(at), d.CDF(at - 1), d.CDF(at), m.Median}
		return m
	}
	return m.kept()
}

// countAt is the law of a count at one count alone.
type countAt struct {
	y                        int
	logProbability, below, p float64 // p is P(Y ≤ y)
	median                   float64
}

// LogProbability returns log P(Y = y) of the count.
func (c countAt) LogProbability(y int) float64 {
	if y != c.y {
		return math.NaN()
	}
	return c.logProbability
}

// CDF returns P(Y ≤ y) at the count and just below it.
func (c countAt) CDF(y int) float64 {
	switch y {
	case c.y:
		return c.p
	case c.y - 1:
		return c.below
	}
	return math.NaN()
}

// Median returns the median of the whole law.
func (c countAt) Median() float64 { return c.median }

// Mean is not known.
func (c countAt) Mean() float64 { return math.NaN() }

// Quantile is not known.
func (c countAt) Quantile(float64) float64 { return math.NaN() }

// AppendBinary appends the trace to b.
func (t Trace) AppendBinary(b []byte) []byte {
	b = appendFloats(b, t.Y, t.Weight)
	b = binary.AppendUvarint(b, uint64(len(t.Items)))
	for _, it := range t.Items {
		b = binary.AppendUvarint(b, uint64(it.Column))
		b = binary.LittleEndian.AppendUint64(b, it.Key)
		b = binary.AppendUvarint(b, uint64(len(it.Name)))
		b = append(b, it.Name...)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Laws)))
	for _, x := range t.Laws {
		b = appendFloats(b, x.Mean, x.Variance, x.Median, x.Low, x.High, x.Spread)
		b = binary.AppendUvarint(b, uint64(len(x.Classes)))
		b = appendFloats(b, x.Classes...)
		c, counts := x.count.(countAt)
		if !counts {
			b = append(b, 0)
			continue
		}
		b = appendFloats(append(b, 1), c.logProbability, c.below, c.p)
	}
	return b
}

func appendFloats(b []byte, list ...float64) []byte {
	for _, x := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// ParseTrace reads a trace from the beginning of b, and returns the bytes that follow it.
func ParseTrace(b []byte) (t Trace, rest []byte, err error) {
	in := traceBytes{b: b}
	t.Y, t.Weight = in.float(), in.float()
	for n := in.length(1); n > 0; n-- {
		it := TracedItem{Column: int(in.uvarint()), Key: uint64(in.word())}
		it.Name = string(in.take(in.length(1)))
		t.Items = append(t.Items, it)
	}
	for n := in.length(1); n > 0; n-- {
		x := law{Mean: in.float(), Variance: in.float(), Median: in.float(), Low: in.float(), High: in.float(), Spread: in.float()}
		for k := in.length(8); k > 0; k-- {
			x.Classes = append(x.Classes, in.float())
		}
		if kind := in.take(1); len(kind) == 1 && kind[0] == 1 {
			x.count = countAt{int(t.Y), in.float(), in.float(), in.float(), x.Median}
		}
		t.Laws = append(t.Laws, x)
	}
	if in.short {
		err = errors.New("a traced record is cut off")
	}
	return t, in.b, err
}

// traceBytes reads numbers from bytes. After the end it returns zeros.
type traceBytes struct {
	b     []byte
	short bool
}

func (in *traceBytes) take(n int) []byte {
	if n < 0 || n > len(in.b) {
		in.short, in.b = true, nil
		return nil
	}
	taken := in.b[:n]
	in.b = in.b[n:]
	return taken
}

func (in *traceBytes) word() uint64 {
	if w := in.take(8); w != nil {
		return binary.LittleEndian.Uint64(w)
	}
	return 0
}

func (in *traceBytes) float() float64 { return math.Float64frombits(in.word()) }

func (in *traceBytes) uvarint() uint64 {
	v, n := binary.Uvarint(in.b)
	if n <= 0 {
		in.short, in.b = true, nil
		return 0
	}
	in.b = in.b[n:]
	return v
}

// length returns a number of elements that take at least a number of bytes each.
func (in *traceBytes) length(each int) int {
	n := in.uvarint()
	if n > uint64(len(in.b)/each) {
		in.short, in.b = true, nil
		return 0
	}
	return int(n)
}
