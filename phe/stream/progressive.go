package stream

import (
	"context"
	"io"
	"slices"
	"strconv"
)

// Reader gives the records of a table one after the other. Package gophe/data/records has one for files.
type Reader interface {
	// Columns returns the names of the columns.
	Columns() []string
	// Read returns the next record's fields, or io.EOF. The fields hold until the next call.
	Read() ([]string, error)
}

// Begin returns a learner for a reader's records, whose schema it infers from the first of them, and a reader of all records, those
// first ones too.
func Begin(r Reader, h Hints, o Options) (*Learner, Reader, error) {
	again := &replay{Reader: r}
	for len(again.first) < Sample {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		again.first = append(again.first, slices.Clone(record))
	}
	s, err := Infer(r.Columns(), again.first, h)
	if err != nil {
		return nil, nil, err
	}
	l, err := New(s, o)
	return l, again, err
}

// replay is a reader whose first records come again.
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

// Progressive takes a learner along a stream: it forecasts each record, scores the forecast, and learns the record. Every score
// is of forecasts made before their targets were known. each is called with every record and its forecast; its error stops the
// stream. Labels come Delay rows late. Records that wait at the end are learned then.
//
// Progressive stops at the first record that cannot be learned, whose error it returns. The learner then knows all records
// before it.
func Progressive(ctx context.Context, l *Learner, r Reader, delay int, each func(Record, Forecast) error) error {
	p := Progress{Learner: l, Delay: delay}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := r.Read()
		if err == io.EOF {
			return p.End()
		}
		if err != nil {
			return err
		}
		f, err := p.Step(record)
		if err != nil {
			return err
		}
		if each != nil {
			if err := each(record, f); err != nil {
				return err
			}
		}
	}
}

// Progress is a stream under way: the step that Progressive takes for each record. The learner keeps the records whose labels are
// late, so that nothing else must be remembered but Row.
type Progress struct {
	Learner *Learner
	Delay   int   // rows by which labels are late
	Row     int64 // of the stream, of the next record
}

// Step forecasts a record and learns the one whose label is due: this one, or that of Delay rows ago.
func (p *Progress) Step(r Record) (f Forecast, err error) {
	if p.Delay == 0 {
		if f, _, err = p.Learner.Step(r); err == nil {
			p.Row++
		}
		return f, err
	}
	if f, err = p.Learner.askLate(strconv.FormatInt(p.Row, 10), r, p.Delay); err == nil {
		p.Row++
	}
	return f, err
}

// End learns the records whose labels have not come yet.
func (p *Progress) End() error {
	if p.Delay == 0 {
		return nil
	}
	return p.Learner.labelBut(0)
}

// askLate is Ask for a record whose target comes late, which must be a valid one. It then learns until no more than delay
// records wait.
func (l *Learner) askLate(id string, r Record, delay int) (f Forecast, err error) {
	if _, _, _, err := l.label(r); err != nil { // found now, where it can still be told which record it is
		return f, err
	}
	if f, err = l.Ask(id, r); err != nil {
		return f, err
	}
	return f, l.labelBut(delay)
}

// labelBut gives the records that wait their own targets, but for the newest few.
func (l *Learner) labelBut(few int) error {
	for {
		l.mu.Lock()
		oldest := l.wait.oldest()
		waiting := len(l.wait.byID)
		l.mu.Unlock()
		if waiting <= few {
			return nil
		}
		if err := l.Label(oldest.ID, oldest.Record[l.target]); err != nil {
			return err
		}
	}
}
