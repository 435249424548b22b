// Package log takes a learner along a log so that a kill loses no record and learns no record twice.
//
// A log is rows in one order that stays: a file, several files, a pipe that is sent again. Whoever reads it from a position gets the same
// rows again. So one checkpoint holds the learner and its position: after a kill the rows behind the position are read again, and no row
// before it is.
package log

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"iter"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/stream/schema"
)

// Log is rows in one order that stays.
type Log interface {
	// Columns finds out the names of the fields by the first rows. Only a new model asks; Use tells the names that a model has.
	Columns(ctx context.Context) ([]string, error)
	Use(columns []string)
	// Read returns the entries behind a position; nil is the beginning. It ends at the end of a log that ends, and otherwise waits.
	// ErrTruncated, ErrReplaced and ErrLostEnd say that the position's next entry is not there. Every error is final.
	Read(ctx context.Context, from Position) iter.Seq2[Entry, error]
}

// Position says where in a log reading goes on. Only the log that wrote it reads it.
type Position = json.RawMessage

// Entry is a row of a log.
type Entry struct {
	Record      []string  // valid until the next entry; nil: no row here (a tombstone, a control record)
	Bad         error     // why it is no row: *records.RecordError
	Waits       bool      // no entry: the next one has not come yet, so learn what is here
	AtEnd       bool      // with Waits: the log had no more when it was last asked
	Asks, Label bool      // the label comes later; this is a label
	Time        time.Time // when it was written, if the log knows
	After       Place     // the position behind it
}

// Place is a position that is not written as text yet. One in ten thousand is saved. Errors print a Place to name the entry before it.
type Place interface{ Position() Position }

// Errors of a log whose entries behind a position are not there.
var (
	ErrTruncated = errors.New("the log no longer has the next entry")
	ErrReplaced  = errors.New("this is another log under the same name")
	ErrLostEnd   = errors.New("the log ends before the position")
)

// Store keeps the newest checkpoint: a file (checkpoint.Store), or a place on servers ([NATSStore]). One program at a time holds it.
type Store interface {
	Save(write func(io.Writer) error) error // ErrFenced: another program holds it now
}

// ErrFenced says that another program holds the store now.
var ErrFenced = errors.New("another program learns this model now")

// place returns the position that a value is as text.
func place(v any) Position {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the positions of this package can be written
	}
	return b
}

// decode reads a position. One of another kind of log has other fields.
func decode(p Position, to any) error {
	if len(p) == 0 {
		return nil
	}
	return errors.WithMessage(text.Decode(p, to), "the position is of another kind of log, such as a file in place of a stream")
}

// First returns the first records of a log that keep accepts, as many as a schema needs; nil accepts all. A log that waits has no more. If
// all records are bad, First returns the error of the first.
func First(ctx context.Context, log Log, keep func([]string) bool) ([][]string, error) {
	next, stop := iter.Pull2(log.Read(ctx, nil))
	defer stop()
	var end error // io.EOF after a good record, and before it the first bad one
	return schema.First(func() ([]string, error) {
		for {
			e, err, more := next()
			switch {
			case !more || e.AtEnd:
				return nil, cmp.Or(end, io.EOF)
			case err != nil || len(e.Record) > 0:
				end = io.EOF
				return e.Record, err
			}
			end = cmp.Or(end, e.Bad)
		}
	}, keep, schema.Sample)
}
