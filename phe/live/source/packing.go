package source

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pkg/errors"

	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// packed holds rows of a message, all as CSV or all as JSON.
type packed struct {
	body  []byte
	csv   bool
	rows  int64
	after Place
}

// read reads the input ahead, up to a message.
func (f *Feeder) read(ctx context.Context) <-chan Entry {
	entries := make(chan Entry, messageRows)
	go func() {
		defer close(entries)
		for e, err := range f.In.Read(ctx, f.from) {
			if e.Waits {
				continue
			}
			if e.Record = slices.Clone(e.Record); err != nil {
				e.Record, e.Bad = nil, err
			}
			select {
			case entries <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return entries
}

// gather returns a full message, or the rows that have come since its first one for a time, and why no more come: io.EOF at the end.
func (f *Feeder) gather(ctx context.Context, entries <-chan Entry) (m *packed, why error) {
	var late <-chan time.Time
	for m == nil || m.rows < messageRows && len(m.body) < messageBytes {
		if next := f.held; next != nil {
			if m == nil {
				m, late = &packed{csv: next.csv}, time.After(fillTime)
			} else if m.csv != next.csv || len(m.body)+len(next.body) > f.most() {
				return m, nil
			}
			m.body, m.rows, m.after = append(m.body, next.body...), m.rows+1, next.after
			f.held = nil
			continue
		}
		select {
		case e, open := <-entries:
			if !open && ctx.Err() == nil {
				return m, io.EOF
			}
			if f.held, why = f.take(e); why != nil {
				return m, why
			}
		case <-late:
			return m, nil
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, errors.WithStack(ctx.Err())
		}
	}
	return m, nil
}

// most is the number of bytes that a message's rows may have.
func (f *Feeder) most() int { return int(f.conn.JS().Conn().MaxPayload()) - maxHeaders }

// skip counts a bad row, or returns its error with its place.
func (f *Feeder) skip(e Entry, err error) error {
	switch {
	case err == nil:
		return nil
	case f.SkipBad && (errors.As(err, new(*records.RecordError)) || errors.As(err, new(*schema.FieldError))):
		f.Bad++
		return nil
	case e.After == nil:
		return err
	}
	return errors.WithMessage(err, fmt.Sprint(e.After))
}

// take packs a row that belongs to the stream; nil if it does not. It counts others.
func (f *Feeder) take(e Entry) (p *packed, err error) {
	if e.Record == nil && e.Bad == nil {
		return nil, nil
	}
	if keep := f.In.Condition(); e.Bad == nil && keep != nil && !keep(e.Record) {
		f.Outside++
		return nil, nil
	}
	if err = e.Bad; err == nil {
		err = f.Check(e.Record)
	}
	if err == nil {
		p, err = f.pack(e.Record)
	}
	if err == nil && len(p.body) > f.most() {
		err = &records.RecordError{File: f.In.Name(), Remedy: "shorten it, or give the servers a larger max_payload",
			Problem: fmt.Sprintf("the row has %d bytes, and the servers take %d", len(p.body), f.most())}
	}
	if err != nil {
		return nil, f.skip(e, err)
	}
	p.after = e.After
	return p, nil
}

// pack returns a row as a line of CSV, or as JSON if CSV would change it: a line end or a zero byte in it, or the columns' names.
func (f *Feeder) pack(record []string) (p *packed, err error) {
	p = &packed{rows: 1}
	b := records.CSVLine(record)
	if p.csv = f.csv && b != f.header && !(strings.ContainsAny(b, "\r\x00") && utf8.ValidString(b)); p.csv {
		p.body = []byte(b + "\n")
		return p, nil
	}
	p.body, err = records.AppendObject(nil, f.columns, record)
	if err != nil {
		err = &records.RecordError{File: f.In.Name(), Problem: "it is not UTF-8", Remedy: "save the file as UTF-8"}
	}
	return p, err
}
