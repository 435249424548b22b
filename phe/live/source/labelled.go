package source

import (
	"cmp"
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
	Wait   time.Duration // for which labels may be silent before rows pass without them; 0 is for ever

	columns []string               // of the rows, and the target
	names   []string               // of the labels' columns
	as      schema.Schema          // before Fit, the id and the target
	given   map[string]schema.Kind // of columns, by the user
	where   *schema.Condition
	say     func(string) // receives what a person should know
}

// NewLabelled joins rows and labels, which it closes after an error. Both were opened without a condition, and not to learn.
func NewLabelled(ctx context.Context, rows, labels Source, o Options, wait time.Duration, say func(string)) (*Labelled, error) {
	l := &Labelled{Source: rows, Labels: labels, Wait: wait, given: o.Kinds, say: say}
	var err error
	if !rows.Seekable() || !labels.Seekable() {
		err = errors.New("rows and labels are read again after a kill, and a pipe comes once; write it into a file or a stream")
	} else if l.columns, err = rows.Columns(ctx); err == nil {
		l.where, err = schema.Where(o.Where, l.columns)
	}
	if err == nil {
		l.names, err = labels.Columns(ctx)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	if o.Schema != nil {
		l.Fit(*o.Schema)
	}
	return l, nil
}

// What follows implements Source.
func (l *Labelled) Columns(context.Context) ([]string, error) { return l.columns, nil }
func (l *Labelled) Condition() func(row []string) bool        { return l.where.Keep() }
func (l *Labelled) Paths() []string                           { return slices.Concat(l.Labels.Paths(), l.Source.Paths()) }
func (l *Labelled) Close() error                              { return cmp.Or(l.Labels.Close(), l.Source.Close()) }

// Fit implements Source.
func (l *Labelled) Fit(as schema.Schema) {
	l.as, l.columns = as, as.Names()
	l.Source.Fit(as)
	l.Labels.Fit(as)
	l.where.Fit(as)
}

// Choose implements Source.
func (l *Labelled) Choose(p *Past, c Choice) (begins bool, err error) {
	rows, _, err := l.meet()
	if err != nil {
		return false, err
	}
	order := "rows and labels are learned in the order of " + rows.reads.Name
	if rows.time < 0 {
		order = "rows and labels have no time in common: a label is learned when no row is there, so the same rows may give other bits"
	}
	l.say(order)
	begins, err = l.Source.Choose(p, c)
	if err == nil && begins && len(p.Position) > 0 { // a file that is followed begins with its number
		p.Position = encode(labelledPosition{Rows: p.Position, RowTime: math.MinInt64, LabelTime: math.MinInt64})
	}
	return begins, err
}

// Infer implements Source: from the first rows that have a label.
func (l *Labelled) Infer(h schema.Hints) (schema.Schema, error) {
	target, err := h.TargetColumn(l.names)
	if err != nil {
		return schema.Schema{}, errors.WithMessage(err, l.Labels.Name())
	}
	if !slices.Contains(l.columns, target) {
		l.columns = append(slices.Clone(l.columns), target)
	}
	for _, name := range l.columns {
		l.as.Columns = append(l.as.Columns, schema.Column{Name: name, Kind: h.Kinds[name]})
	}
	l.as.Columns[slices.Index(l.columns, target)].Kind = schema.Label
	l.Labels.untyped()
	h.Lists = l.untyped()
	look := func(keep func([]string) bool) ([][]string, error) { return First(context.Background(), l, keep) }
	return infer(l.Name(), l.columns, l.where, look, h)
}

// first returns first rows with their labels, of which the log of labels must have some at its beginning.
func (l *Labelled) first(ctx context.Context, keep func([]string) bool) (sample [][]string, err error) {
	rows, labels, err := l.meet()
	var all, brought [][]string
	if err == nil {
		all, err = First(ctx, l.Source, func(r []string) bool { return keep == nil || keep(rows.fields(r)) })
	}
	if err == nil {
		brought, err = First(ctx, l.Labels, nil)
	}
	waits := map[string][]string{}
	for _, r := range all {
		r = rows.fields(r)
		waits[r[rows.id]] = r
	}
	for _, r := range brought {
		id := r[labels.id]
		if row := waits[id]; row != nil {
			row[rows.target] = r[labels.target]
			delete(waits, id)
			sample = append(sample, row)
		}
	}
	if err == nil && len(sample) == 0 && len(all) > 0 {
		err = remedy.Errorf("id", "of the first %d rows of %s, none has a label among the first %d of %s; wait for labels, or name the "+
			"column of both that has the id", len(all), l.Name(), len(brought), l.Labels.Name())
	}
	return sample, err
}

// meet finds the columns by which rows and labels meet.
func (l *Labelled) meet() (rows, labels *side, err error) {
	rows, labels = newSide(), newSide()
	rows.width, rows.id, rows.target = len(l.columns), l.as.PlaceOf(schema.ID), l.as.PlaceOf(schema.Label)
	if rows.id < 0 {
		return nil, nil, remedy.Errorf("id", "no column says to which row a label belongs; name a column of ids that rows and labels have")
	}
	place := func(at int) int { return slices.Index(l.names, l.columns[at]) }
	labels.label, labels.id, labels.target = true, place(rows.id), place(rows.target)
	if labels.id < 0 || labels.target < 0 {
		return nil, nil, errors.Errorf("%s has the columns %q; it needs %q and %q", l.Labels.Name(), l.names, l.columns[rows.id],
			l.columns[rows.target])
	}
	clocks := slices.DeleteFunc(l.as.Clocks(l.given), func(at int) bool { return place(at) < 0 })
	if len(clocks) > 1 {
		return nil, nil, remedy.Errorf("clock", "rows and labels have the times %q and %q; name one, which tells their order",
			l.columns[clocks[0]], l.columns[clocks[1]])
	}
	for _, at := range clocks {
		rows.time, labels.time = at, place(at)
		rows.reads, labels.reads = l.as.Columns[at], l.as.Columns[at]
	}
	return rows, labels, nil
}

// side is the log of rows or of labels, which is read ahead.
type side struct {
	label            bool
	width            int // columns of a row
	id, target, time int // places of columns; the time is −1 without one
	reads            schema.Column

	entries chan Entry
	err     error     // why the log ended; nil at its end
	head    *Entry    // that was read, and not given yet; nil if there is none
	at      int64     // latest time up to the head
	quiet   bool      // the log had no more when it was last asked
	ended   bool      // it has no more
	since   time.Time // when the last entry was given
}

func newSide() *side { return &side{time: -1, entries: make(chan Entry, 256), since: time.Now()} }

// fields returns a row with a field for the target, or the id and the value of a label.
func (s *side) fields(r []string) []string {
	if s.label {
		return []string{r[s.id], r[s.target]}
	}
	r = append(slices.Clone(r), "")[:s.width]
	r[s.target] = ""
	return r
}

// read reads a log ahead. The time of an entry is the latest up to it.
func (s *side) read(ctx context.Context, in Source, from Position) {
	defer close(s.entries)
	latest := s.at
	for e, err := range in.Read(ctx, from) {
		if s.err = err; err != nil {
			return
		}
		if len(e.Record) > 0 && s.time >= 0 {
			if at, ok := s.reads.Instant(e.Record[s.time]); ok {
				latest = max(latest, at.UnixMicro())
			} else {
				e.Bad = &records.RecordError{File: fmt.Sprint(e.After), Column: s.reads.Name,
					Problem: fmt.Sprintf("%.60q is no time", e.Record[s.time]), Remedy: "correct it: rows and labels are in its order"}
			}
		}
		if len(e.Record) > 0 {
			e.Record = s.fields(e.Record)
		}
		e.Label, e.time = s.label, latest
		select {
		case s.entries <- e:
		case <-ctx.Done():
			return
		}
	}
}

// next returns where the next entry comes from; nil if it is there.
func (s *side) next() chan Entry {
	if s.head != nil || s.ended {
		return nil
	}
	return s.entries
}

// take takes what has come from the log.
func (s *side) take(e Entry, more bool) error {
	switch {
	case !more:
		s.ended = true
		return s.err
	case e.Waits:
		s.quiet = true
	default:
		s.quiet, s.head, s.at = false, &e, e.time
	}
	return nil
}

// Read implements Source.
func (l *Labelled) Read(ctx context.Context, from Position) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		var both sync.WaitGroup
		defer both.Wait() // nobody reads the logs when Read has ended
		defer stop()
		at := labelledPosition{RowTime: math.MinInt64, LabelTime: math.MinInt64}
		rows, labels, err := l.meet()
		if err == nil {
			err = decode(from, &at)
		}
		if err == nil {
			rows.at, labels.at = at.RowTime, at.LabelTime
			both.Go(func() { rows.read(ctx, l.Source, at.Rows) })
			both.Go(func() { labels.read(ctx, l.Labels, at.Labels) })
			err = l.merge(ctx, rows, labels, labelledPlace{unread(at.Rows), unread(at.Labels), nil, at.RowTime, at.LabelTime}, yield)
		}
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// merge gives the entries behind a place in their order.
func (l *Labelled) merge(ctx context.Context, rows, labels *side, at labelledPlace, yield func(Entry, error) bool) (err error) {
	var tick <-chan time.Time
	if l.Wait > 0 {
		tick = time.Tick(max(time.Millisecond, l.Wait/100))
	}
	for ctx.Err() == nil && err == nil {
		s, order := l.turn(rows, labels)
		switch {
		case s != nil:
			if !yield(at.give(s, order), nil) {
				return nil
			}
			continue
		case rows.ended && labels.ended:
			if n := l.Labels.Unfinished(); n > 0 {
				l.say(fmt.Sprintf("line %d of %s has no line end and was not learned", n, l.Labels.Name()))
			}
			if rows.quiet || labels.quiet { // behind half a line
				yield(Entry{Waits: true, AtEnd: true}, nil)
			}
			return nil
		case len(rows.next())+len(labels.next()) == 0 && !yield(Entry{Waits: true}, nil):
			return nil
		}
		select {
		case e, more := <-rows.next():
			err = rows.take(e, more)
		case e, more := <-labels.next():
			err = labels.take(e, more)
		case <-tick:
		case <-ctx.Done():
		}
	}
	return err
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
		return rows, Sure
	case label && (rows.at > labels.at || rows.ended):
		return labels, Sure
	case row && labels.ended:
		return rows, Ahead
	case row && l.Wait > 0 && len(labels.entries) == 0 && time.Since(labels.since) >= l.Wait:
		return rows, Passed
	}
	return nil, Sure
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
	rows, labels, last Place // behind the last entry of each, and of both
	rowTime, labelTime int64
}

// unread is the place of a position behind which no entry was read.
type unread Position

// What follows implements Place.
func (p unread) Position() Position                 { return Position(p) }
func (p unread) Identify(last Input) (Input, error) { return last, nil }

// give gives the head of a log, and moves the place behind it.
func (p *labelledPlace) give(s *side, order Order) Entry {
	e, late := *s.head, false
	if s.head, s.since, p.last = nil, time.Now(), e.After; s.label {
		late, p.labels, p.labelTime = s.at < p.rowTime, e.After, s.at
	} else {
		late, p.rows, p.rowTime = s.at <= p.labelTime && s.at > math.MinInt64, e.After, s.at
	}
	behind := *p
	if e.Order, e.After = order, &behind; late {
		e.Order = Late
	}
	return e
}

// Position implements Place.
func (p *labelledPlace) Position() Position {
	return encode(labelledPosition{p.rows.Position(), p.labels.Position(), p.rowTime, p.labelTime})
}

// Identify implements Place, by the rows.
func (p *labelledPlace) Identify(last Input) (Input, error) { return p.rows.Identify(last) }

// String names the entry.
func (p *labelledPlace) String() string { return fmt.Sprint(p.last) }
