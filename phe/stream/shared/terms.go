package shared

import (
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/onepass"
	"gophe/phe/stream"
)

// terms is the work of a learner that publishes terms: what the rows add to its Gaussian tables, in natural parameters. Forgetting is
// not in the terms. Add applies it, once for each touch of a counted chunk. Facts that are no beliefs, such as the evidence of an item,
// do not add up. Of them the newest counts.
type terms struct {
	tables   []belief.Part
	deferred []*onepass.Deferred // of each table; nil if it forgets nothing
	facts    []belief.Part

	before, known *belief.Image // tables and facts of the belief; nil before the first chunk
}

func newTerms(l *stream.Learner) terms {
	byName := map[string]*onepass.Deferred{}
	for _, d := range l.Defer() {
		byName[d.Table] = d
	}
	var t terms
	for _, p := range l.Tables() {
		if p.Dim == 0 || p.Counts {
			t.facts = append(t.facts, p)
			continue
		}
		t.tables = append(t.tables, p)
		t.deferred = append(t.deferred, byName[p.Name])
	}
	return t
}

// reset drops what the terms know of a belief that changed otherwise.
func (t *terms) reset() { t.before, t.known = nil, nil }

// deferForgetting begins or ends a chunk whose touches are counted.
func (t *terms) deferForgetting(active bool) {
	for _, d := range t.deferred {
		if d == nil {
			continue
		}
		if d.Active = active; active {
			clear(d.Touches)
		}
	}
}

// learn learns a chunk, takes the rows back, and returns their delta.
func (t *terms) learn(l *stream.Learner, c Chunk) (result belief.Learned, err error) {
	if t.before == nil {
		t.before, t.known = belief.NewImage(t.tables), belief.NewImage(t.facts)
	}
	t.deferForgetting(true)
	defer t.deferForgetting(false)
	var traces []byte
	for _, r := range c.Records {
		trace, learned, err := l.Trace(r)
		if err == nil && learned {
			result.Rows++
			traces = trace.AppendBinary(traces)
		}
	}
	changed, facts := t.before.Patch(t.tables), t.known.Patch(t.facts)
	b, err := t.appendTerms(nil, changed)
	if err == nil {
		err = facts.Each(t.facts, func(int, int, float64, float64) {}) // others could not add numbers that are not finite
	}
	t.before.Reset(t.tables)
	t.known.Reset(t.facts)
	if err != nil {
		return result, learningFailed(err, nil)
	}
	b = binary.AppendUvarint(b, uint64(len(facts)))
	b = append(b, facts...)
	b = binary.AppendUvarint(b, result.Rows)
	b = append(b, traces...)
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true))
	if err != nil {
		return result, errors.Wrap(err, "packing a delta")
	}
	defer w.Close()
	result.Delta = w.EncodeAll(b, []byte{termsForm})
	return result, nil
}

// term is the information that a chunk adds to an entry.
type term struct {
	part, entry            int
	touches                uint64
	precision, information float64
}

// appendTerms appends the terms of the changed entries.
func (t *terms) appendTerms(b []byte, changed belief.Patch) ([]byte, error) {
	n := uint64(0)
	var list []byte
	err := changed.Each(t.tables, func(part, k int, mean, variance float64) {
		mean0, variance0 := t.before.At(part, t.tables[part], k)
		touches := uint64(0)
		if d := t.deferred[part]; d != nil {
			touches = uint64(d.Touches[k])
		}
		n++
		list = binary.AppendUvarint(list, uint64(part))
		list = binary.AppendUvarint(list, uint64(k))
		list = binary.AppendUvarint(list, touches)
		list = binary.LittleEndian.AppendUint64(list, math.Float64bits(1/variance-1/variance0))
		list = binary.LittleEndian.AppendUint64(list, math.Float64bits(mean/variance-mean0/variance0))
	})
	return append(binary.AppendUvarint(b, n), list...), err
}

// add conditions a learner on the terms of a chunk.
func (t *terms) add(l *stream.Learner, d []byte) error {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostDelta))
	if err != nil {
		return errors.Wrap(err, "unpacking a delta")
	}
	defer r.Close()
	b, err := r.DecodeAll(d, nil)
	if err != nil {
		return errors.Wrap(err, "unpacking a delta; it is damaged")
	}
	list, facts, traces, err := parseTerms(b)
	if err != nil {
		return err
	}
	moved, err := t.moved(list)
	if err != nil {
		return err
	}
	if err := facts.Each(t.facts, func(int, int, float64, float64) {}); err != nil {
		return err
	}
	if err := l.Count(traces...); err != nil {
		return err
	}
	for i, x := range list {
		t.tables[x.part].Set(x.entry, moved[i][0], moved[i][1])
	}
	if err := facts.Apply(t.facts); err != nil {
		return err
	}
	if t.before == nil {
		return nil
	}
	for _, x := range list {
		t.before.Put(x.part, t.tables[x.part], x.entry)
	}
	return t.known.Take(t.facts, facts)
}

// moved returns the mean and the variance of each entry after its term. Forgetting comes first.
func (t *terms) moved(list []term) ([][2]float64, error) {
	moved := make([][2]float64, len(list))
	for i, x := range list {
		if x.part >= len(t.tables) || x.entry >= t.tables[x.part].Len {
			return nil, errors.Errorf("the delta has a term for entry %d of table %d, which this belief lacks", x.entry, x.part)
		}
		mean, variance := t.tables[x.part].Get(x.entry)
		if d := t.deferred[x.part]; d != nil && x.touches > 0 {
			variance = max(variance, min(d.Prior, variance+float64(x.touches)*d.Gain))
		}
		precision := 1/variance + x.precision
		information := mean/variance + x.information
		if !(precision > 0) || math.IsInf(precision, 0) || math.IsNaN(information) || math.IsInf(information, 0) {
			return nil, errors.Errorf("entry %d of %s would have precision %g and information %g", x.entry, t.tables[x.part].Name, precision, information)
		}
		moved[i] = [2]float64{information / precision, 1 / precision}
	}
	return moved, nil
}

// parseTerms reads the content of a delta.
func parseTerms(b []byte) (list []term, facts belief.Patch, traces []stream.Trace, err error) {
	cut := errors.New("a delta is cut off")
	short := false
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			short = true
			return 0
		}
		b = b[n:]
		return v
	}
	for n := next(); n > 0 && !short; n-- {
		x := term{part: int(next()), entry: int(next()), touches: next()}
		if short || len(b) < 16 || x.part < 0 || x.entry < 0 {
			return nil, nil, nil, cut
		}
		x.precision, x.information = math.Float64frombits(binary.LittleEndian.Uint64(b)), math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
		b = b[16:]
		list = append(list, x)
	}
	size := next()
	if short || size > uint64(len(b)) {
		return nil, nil, nil, cut
	}
	facts, b = belief.Patch(b[:size]), b[size:]
	for n := next(); n > 0; n-- {
		var t stream.Trace
		if t, b, err = stream.ParseTrace(b); err != nil {
			return nil, nil, nil, err
		}
		traces = append(traces, t)
	}
	if short || len(b) > 0 {
		return nil, nil, nil, cut
	}
	return list, facts, traces, nil
}
