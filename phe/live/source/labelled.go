package source

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/records"
	"gophe/phe/remedy"
	"gophe/phe/stream/schema"
)

// Labelled is a source of rows and a source of their labels as one source. With a column of times in both, they come in its order, and a
// row before a label of the same time. So the order is a function of both sources. A time before an earlier one of its source counts as
// that one. Without such a column, labels come when there is no row.
type Labelled struct {
	Source               // of the rows
	Labels Source        // with a column of ids and the target
	Clock  string        // column of times in both; empty if there is none. Choose finds it
	Wait   time.Duration // for which labels may be silent before rows pass without them; 0 for ever

	columns []string // of the rows, and the target
	where   *schema.Condition
	schema  schema.Schema
	given   map[string]schema.Kind // that the user gave to columns
}

// NewLabelled joins rows and labels. They are opened without a condition, and the rows without the need for a target.
func NewLabelled(ctx context.Context, rows, labels Source, o Options) (*Labelled, error) {
	if !rows.Seekable() || !labels.Seekable() {
		return nil, errors.New("rows and labels are read again after a kill, and a pipe comes once; write it into a file, or a stream")
	}
	l := &Labelled{Source: rows, Labels: labels, given: o.Kinds}
	var err error
	if l.columns, err = rows.Columns(ctx); err == nil {
		l.where, err = schema.Where(o.Where, l.columns)
	}
	if err == nil && o.Schema != nil {
		l.Fit(*o.Schema)
	}
	return l, err
}

// Columns implements Source.
func (l *Labelled) Columns(context.Context) ([]string, error) { return l.columns, nil }

// Condition implements Source.
func (l *Labelled) Condition() func(row []string) bool { return l.where.Keep() }

// Described implements Source: the rows alone have no target.
func (l *Labelled) Described(context.Context) (d Description, ok bool, err error) {
	return d, false, nil
}

// Paths implements Source.
func (l *Labelled) Paths() []string {
	return append(slices.Clone(l.Labels.Paths()), l.Source.Paths()...)
}

// Close implements Source.
func (l *Labelled) Close() error {
	err := l.Source.Close()
	if other := l.Labels.Close(); err == nil {
		err = other
	}
	return err
}

// Fit implements Source.
func (l *Labelled) Fit(as schema.Schema) {
	l.schema, l.columns = as, as.Names()
	l.Source.Fit(as)
	l.Labels.Fit(as)
	l.where.Fit(as)
}

// Infer implements Source: from the first rows that have a label.
func (l *Labelled) Infer(h schema.Hints) (schema.Schema, error) {
	ctx := context.Background()
	names, err := l.Labels.Columns(ctx)
	if err != nil {
		return schema.Schema{}, err
	}
	target, err := h.TargetColumn(names)
	if err != nil {
		return schema.Schema{}, errors.WithMessage(err, l.Labels.Name())
	}
	if !slices.Contains(l.columns, target) {
		l.columns = append(slices.Clone(l.columns), target)
	}
	for i, name := range l.columns {
		kind := map[bool]schema.Kind{true: schema.Label}[name == target]
		if h.Kinds[name] == schema.ID {
			kind = schema.ID
		}
		l.schema.Columns = append(l.schema.Columns[:i], schema.Column{Name: name, Kind: kind})
	}
	for _, in := range []Source{l.Labels, l.Source} {
		if typed, ok := in.(interface{ untyped() (lists []string) }); ok {
			h.Lists = typed.untyped()
		}
	}
	look := func(keep func([]string) bool) ([][]string, error) { return First(ctx, l, keep) }
	return infer(l.Name(), l.columns, l.where, look, h)
}

// first returns first rows with their labels, of which the log of labels has to give most at its beginning.
func (l *Labelled) first(ctx context.Context, keep func([]string) bool) (sample [][]string, err error) {
	const most = 20 * schema.Sample // labels
	rows, labels, err := l.meet(ctx)
	if err != nil {
		return nil, err
	}
	waits := map[string][]string{}
	all, err := First(ctx, l.Source, func(r []string) bool { return keep == nil || keep(rows.record(r)) })
	for i := range all {
		all[i] = rows.record(all[i])
		waits[all[i][rows.id]] = all[i]
	}
	n := 0
	for e, failed := range l.Labels.Read(ctx, nil) {
		if err = failed; err != nil || e.AtEnd || len(waits) == 0 || n == most {
			break
		}
		if n++; len(e.Record) == 0 {
			continue
		}
		if r := waits[e.Record[labels.id]]; r != nil {
			r[rows.target] = e.Record[labels.target]
			delete(waits, e.Record[labels.id])
			sample = append(sample, r)
		}
	}
	if err == nil && len(sample) == 0 && len(all) > 0 {
		err = remedy.Errorf("id", "of the first %d rows of %s, none has the id of one of the first %d labels of %s; name the column of "+
			"both that has it", len(all), l.Name(), n, l.Labels.Name())
	}
	return sample, err
}

// Choose implements Source.
func (l *Labelled) Choose(p *Past, c Choice) (begins bool, err error) {
	if _, _, err = l.meet(context.Background()); err != nil {
		return false, err
	}
	return l.Source.Choose(p, c)
}

// meet finds the columns by which rows and labels meet.
func (l *Labelled) meet(ctx context.Context) (rows, labels *side, err error) {
	names, err := l.Labels.Columns(ctx)
	if err != nil {
		return nil, nil, err
	}
	rows = &side{width: len(l.columns), id: l.schema.PlaceOf(schema.ID), target: l.schema.PlaceOf(schema.Label), time: -1}
	if rows.id < 0 {
		return nil, nil, remedy.Errorf("id", "no column says to which row a label belongs; name the one that rows and labels have")
	}
	place := func(at int) int { return slices.Index(names, l.columns[at]) }
	labels = &side{id: place(rows.id), target: place(rows.target), time: -1, label: true}
	if labels.id < 0 || labels.target < 0 {
		return nil, nil, errors.Errorf("%s needs the columns %q and %q, and has %q", l.Labels.Name(), l.columns[rows.id],
			l.columns[rows.target], names)
	}
	clocks := slices.DeleteFunc(l.schema.Clocks(l.given), func(at int) bool { return place(at) < 0 })
	switch len(clocks) {
	case 0:
		return rows, labels, nil
	case 1:
		rows.time, labels.time, l.Clock = clocks[0], place(clocks[0]), l.columns[clocks[0]]
		rows.reads = l.schema.Columns[rows.time]
		labels.reads = rows.reads
		return rows, labels, nil
	}
	return nil, nil, remedy.Errorf("clock", "rows and labels have the times %q and %q; name the one by which they are in order",
		l.columns[clocks[0]], l.columns[clocks[1]])
}

// side is one of both logs.
type side struct {
	label            bool
	width            int // columns of a row
	id, target, time int // places of columns; the time is −1 without one
	reads            schema.Column

	entries chan entry
	head    *Entry // that was read, and not given yet; nil if there is none
	at      int64  // latest time up to the head
	given   int64  // latest time of what was given
	place   Place  // behind that
	quiet   bool   // nothing more was there when the log was last asked
	waits   bool   // the log may go on behind its end
	ended   bool
	since   time.Time // of the last entry
}

// entry is what a log gives: an entry or its last error.
type entry struct {
	Entry
	err error
}

// record returns a row with a field for the target.
func (s *side) record(r []string) []string {
	r = append(slices.Clone(r), "")[:s.width]
	r[s.target] = ""
	return r
}

// read reads a log ahead.
func (s *side) read(ctx context.Context, in Source, from Position) {
	defer close(s.entries)
	for e, err := range in.Read(ctx, from) {
		switch {
		case s.label && len(e.Record) > 0:
			record := []string{e.Record[s.id], e.Record[s.target]}
			if s.time >= 0 {
				record = append(record, e.Record[s.time])
			}
			e.Record = record
		case len(e.Record) > 0:
			e.Record = s.record(e.Record)
		}
		select {
		case s.entries <- entry{e, err}:
		case <-ctx.Done():
			return
		}
	}
}

// next returns where the next entry comes from; nil if it is there.
func (s *side) next() chan entry {
	if s.head != nil || s.ended {
		return nil
	}
	return s.entries
}

// take takes what has come from the log.
func (s *side) take(e entry, more bool, of string) error {
	s.ended = !more
	if !more || e.err != nil {
		return e.err
	}
	if s.quiet, s.waits = e.Waits, e.AtEnd; e.Waits {
		return nil
	}
	s.head, s.since = &e.Entry, time.Now()
	s.head.Label, s.head.Asks = s.label, !s.label
	if s.time < 0 || e.Bad != nil || len(e.Record) == 0 {
		return nil
	}
	field := e.Record[2]
	if !s.label {
		field = e.Record[s.time]
	}
	if at, ok := s.reads.Instant(field); ok {
		s.at = max(s.at, at.UnixMicro())
	} else {
		s.head.Bad = &records.RecordError{File: of, Column: s.reads.Name, Problem: fmt.Sprintf("%.60q is no time", field),
			Remedy: "correct it, since the order of rows and labels goes by it"}
	}
	return nil
}

// labelledPosition is the position in both logs.
type labelledPosition struct {
	Rows      Position `json:"rows,omitempty"`
	Labels    Position `json:"labels,omitempty"`
	RowTime   int64    `json:"row_time"` // latest, in microseconds since 1970
	LabelTime int64    `json:"label_time"`
}

// labelledPlace is the place behind an entry of either.
type labelledPlace struct {
	rows, labels       Place
	rowTime, labelTime int64
	label              bool // the entry is a label
}

// Position implements Place.
func (p *labelledPlace) Position() Position {
	return encode(labelledPosition{p.rows.Position(), p.labels.Position(), p.rowTime, p.labelTime})
}

// Identify implements Place, by the rows.
func (p *labelledPlace) Identify(last Input) (Input, error) { return p.rows.Identify(last) }

// String names the entry.
func (p *labelledPlace) String() string {
	if p.label {
		return fmt.Sprint(p.labels)
	}
	return fmt.Sprint(p.rows)
}

// saved is the place that a checkpoint has.
type saved Position

// Position implements Place.
func (s saved) Position() Position { return Position(s) }

// Identify implements Place.
func (s saved) Identify(last Input) (Input, error) { return last, nil }

// ofRows returns the position of the rows.
func ofRows(p Position) Position {
	var at labelledPosition
	if len(p) > 0 && decode(p, &at) == nil {
		return at.Rows
	}
	return p
}

// Read implements Source.
func (l *Labelled) Read(ctx context.Context, from Position) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		var both sync.WaitGroup
		defer both.Wait() // nobody reads them when Read has ended
		defer stop()
		at := labelledPosition{RowTime: math.MinInt64, LabelTime: math.MinInt64}
		err := decode(from, &at)
		var rows, labels *side
		if err == nil {
			rows, labels, err = l.meet(ctx)
		}
		if err != nil {
			yield(Entry{}, err)
			return
		}
		rows.given, rows.place, labels.given, labels.place = at.RowTime, saved(at.Rows), at.LabelTime, saved(at.Labels)
		for _, s := range []*side{rows, labels} {
			s.at, s.since, s.entries = s.given, time.Now(), make(chan entry, 256)
		}
		both.Go(func() { rows.read(ctx, l.Source, at.Rows) })
		both.Go(func() { labels.read(ctx, l.Labels, at.Labels) })
		if err := l.merge(ctx, rows, labels, yield); err != nil {
			yield(Entry{}, err)
		}
	}
}

// merge gives the entries of both logs in their order, and takes what comes.
func (l *Labelled) merge(ctx context.Context, rows, labels *side, yield func(Entry, error) bool) error {
	take := func(wait <-chan time.Time) (timeout bool, err error) {
		select {
		case e, more := <-rows.next():
			err = rows.take(e, more, l.Name())
		case e, more := <-labels.next():
			err = labels.take(e, more, l.Labels.Name())
		case <-wait:
			timeout = true
		case <-ctx.Done():
		}
		return timeout, err
	}
	for ctx.Err() == nil {
		if s, order := l.turn(rows, labels); s != nil {
			if !yield(give(s, rows, labels, order), nil) {
				return nil
			}
			continue
		}
		if rows.ended && labels.ended {
			if rows.waits || labels.waits {
				yield(Entry{Waits: true, AtEnd: true}, nil)
			}
			return nil
		}
		pause := time.Duration(0)
		if len(rows.next())+len(labels.next()) == 0 {
			pause = time.Millisecond // one as short says nothing
		}
		timeout, err := take(after(pause))
		if timeout {
			if !yield(Entry{Waits: true}, nil) {
				return nil
			}
			_, err = take(after(l.silence(rows, labels)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// after returns a channel of a timer; nil, which blocks, for 0.
func after(d time.Duration) <-chan time.Time {
	if d == 0 {
		return nil
	}
	return time.After(d)
}

// silence returns the time for which a row still waits for the labels; 0 if it waits for ever.
func (l *Labelled) silence(rows, labels *side) time.Duration {
	if l.Wait == 0 || rows.head == nil {
		return 0
	}
	return max(time.Nanosecond, time.Until(labels.since.Add(l.Wait)))
}

// turn tells from which log the next entry comes, and how sure that is. It returns nil if more has to come first.
func (l *Labelled) turn(rows, labels *side) (*side, Order) {
	row, label := rows.head != nil, labels.head != nil
	switch {
	case rows.time < 0 && row:
		return rows, Sure
	case rows.time < 0 && label && (rows.ended || rows.quiet):
		return labels, Late
	case rows.time < 0:
	case row && labels.at >= rows.at:
		return rows, lateIf(rows.at <= labels.given && rows.at > math.MinInt64)
	case label && rows.at > labels.at:
		return labels, lateIf(labels.at < rows.given)
	case label && rows.ended:
		return labels, Sure
	case row && labels.ended:
		return rows, Ahead
	case row && l.Wait > 0 && time.Since(labels.since) >= l.Wait:
		return rows, Passed
	}
	return nil, Sure
}

func lateIf(late bool) Order {
	if late {
		return Late
	}
	return Sure
}

// give gives the head of one of both logs.
func give(s, rows, labels *side, order Order) Entry {
	e := *s.head
	s.head, s.given, s.place = nil, s.at, e.After
	e.Order, e.After = order, &labelledPlace{rows.place, labels.place, rows.given, labels.given, s.label}
	return e
}
