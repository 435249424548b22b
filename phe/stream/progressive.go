package stream

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"time"

	"gophe/phe/internal/text"
	"gophe/phe/stream/schema"
)

// Reader reads the records of a table one after the other. Package gophe/phe/records has a Reader for files.
type Reader interface {
	// Columns returns the names of the columns.
	Columns() []string
	// Read returns the next record's fields, or io.EOF. The fields are valid until the next call.
	Read() ([]string, error)
}

// Begin returns a learner for a reader's records, and a reader of all these records. It infers the schema from the first of them.
func Begin(r Reader, h schema.Hints, o Options) (*Learner, Reader, error) {
	var first [][]string
	h.IDs = o.IDs
	sample, err := schema.First(r.Read, h.Once(r.Columns(), func(record []string) bool {
		first = append(first, slices.Clone(record))
		return true
	}), schema.Sample)
	if err != nil {
		return nil, nil, err
	}
	s, err := schema.Infer(r.Columns(), sample, h)
	if err != nil {
		return nil, nil, err
	}
	l, err := New(s, o)
	return l, &replay{r, first}, err
}

// replay is a reader that gives its first records again.
type replay struct {
	Reader
	first [][]string
}

// Read returns the next record.
func (r *replay) Read() ([]string, error) {
	if len(r.first) == 0 {
		return r.Reader.Read()
	}
	record := r.first[0]
	r.first[0], r.first = nil, r.first[1:]
	return record, nil
}

// Progressive takes a learner along a stream. It forecasts each record, scores the forecast, and learns the record. Every forecast is made
// before its target is known. Progressive calls each with every record and its forecast, and stops if each returns an error. It passes over
// a record that came before. Labels come delay rows late. At the end it learns the records that still wait.
//
// Progressive stops at the first record that cannot be learned, and returns its error. The learner then knows all records before it.
func Progressive(ctx context.Context, l *Learner, r Reader, delay int, each func(schema.Record, Forecast) error) error {
	if typed, ok := r.(interface{ Typed(commas []string) }); ok { // such as [records.Reader] and [records.Frame]
		typed.Typed(l.Schema.Commas())
	}
	for row := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := r.Read()
		if err == io.EOF {
			if delay > 0 {
				_, err = l.LearnWaiting(0)
				return err
			}
			return nil
		}
		if err != nil {
			return err
		}
		f, err := l.StepLate(row, record, delay)
		if err != nil {
			return err
		}
		if !f.Again.Learned() {
			continue
		}
		row++
		if each != nil {
			if err := each(record, f); err != nil {
				return err
			}
		}
	}
}

// StepLate is Step for a stream whose labels come delay rows late: it forecasts a record and learns the record whose label is due. row is
// the number of the record in the stream. The learner keeps the records whose labels are late, and raises Options.Waiting and
// Options.WaitingRows if they have no room for them. A target that is not valid is an error at once.
func (l *Learner) StepLate(row int64, r schema.Record, delay int) (f Forecast, err error) {
	if delay == 0 {
		f, _, err = l.Step(r)
		return f, err
	}
	if o := l.Options(); o.Waiting <= delay || o.WaitingRows < int64(delay) {
		if err := l.SetWaiting(max(o.Waiting, delay+1), max(o.WaitingRows, int64(delay)), 0); err != nil {
			return f, err
		}
	}
	if f, err = l.ask(strconv.FormatInt(row, 10), r, 0, true); err != nil || !f.Again.Learned() {
		return f, err
	}
	late, err := l.LearnWaiting(delay)
	f.Alarms, f.Reason, f.Changed = late.Alarms, late.Reason, late.Changed
	return f, err
}

// StepAfter is StepLate for labels that come a time after their rows. The column at the place clock has the time of a row. The latest time
// of all rows counts: labels that are due before it are learned first, in their order.
func (l *Learner) StepAfter(row int64, r schema.Record, delay time.Duration, clock int) (f Forecast, err error) {
	if _, err := l.label(r); err != nil {
		return f, err
	}
	c := &l.Schema.Columns[clock]
	at, ok := c.Instant(r[clock])
	if !ok {
		return f, &schema.FieldError{Column: c.Name, Value: r[clock], Problem: "no time, by which its label would come",
			Remedy: "correct it"}
	}
	now, behind := at.UnixMicro(), delay.Microseconds()
	l.mu.Lock()
	l.row.Reason, l.row.Changed = "", 0 // told with the row before
	latest := now
	if newest := l.pending.queue.Back(); newest != nil { // its row had the latest time
		latest = max(now, newest.Value.(*asked).Due-behind)
	}
	l.mu.Unlock()
	late, err := l.learnWhile(func(oldest *asked, _ int) bool { return oldest.Due < latest })
	if err == nil {
		f, err = l.ask(strconv.FormatInt(row, 10), r, now+behind, true)
	}
	f.Alarms, f.Reason, f.Changed = max(f.Alarms, late.Alarms), text.And(late.Reason, f.Reason), cmp.Or(late.Changed, f.Changed)
	return f, err
}

// LearnWaiting learns the records that wait, except the newest few, by the targets that they have. The result has only the number of alarms
// so far, and the reason of a new one.
func (l *Learner) LearnWaiting(few int) (f Forecast, err error) {
	return l.learnWhile(func(_ *asked, waiting int) bool { return waiting > few })
}

// learnWhile learns the records that wait while the oldest is due.
func (l *Learner) learnWhile(due func(oldest *asked, waiting int) bool) (f Forecast, err error) {
	for {
		l.mu.Lock()
		oldest, waiting := l.pending.queue.Front(), l.pending.queue.Len()
		f.Alarms, f.Reason, f.Changed = l.eval.Alarms, text.And(f.Reason, l.row.Reason), cmp.Or(l.row.Changed, f.Changed)
		l.row.Reason, l.row.Changed = "", 0
		l.mu.Unlock()
		if waiting == 0 || err != nil || !due(oldest.Value.(*asked), waiting) {
			return f, err
		}
		a := oldest.Value.(*asked)
		err = l.learnLate(string(a.ID), a.Record[l.target], false)
	}
}
