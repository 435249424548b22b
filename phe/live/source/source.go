package source

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// Source is rows in one order that stays: [Files], a [JetStream], or rows and their labels as one ([Labelled]).
type Source interface {
	Name() string // as the user gave it
	// Columns returns the names of the fields. Without a schema it finds them by the first rows.
	Columns(ctx context.Context) ([]string, error)
	Infer(schema.Hints) (schema.Schema, error) // from the first rows
	Fit(schema.Schema)                         // reads the columns as a schema says
	// Described returns the description of the rows that came with them; false if there is none.
	Described(ctx context.Context) (Description, bool, error)

	// Choose goes on with the source if a model was learning it, and otherwise begins it: the past then counts no row.
	Choose(past *Past, c Choice) (begins bool, err error)
	// Read returns the entries behind a position; nil is the beginning. It ends at the end of a source that ends, and otherwise waits.
	// ErrTruncated, ErrReplaced and ErrLostEnd say that the position's next entry is not there. Every error is final.
	Read(ctx context.Context, from Position) iter.Seq2[Entry, error]
	Condition() func(row []string) bool // whether a row belongs to the stream; nil if all do
	Seekable() bool                     // it can be read again
	Drains() bool                       // after the context's end it still gives the rows that came, since they come once

	Progress() (read, size int64) // of the same unit; a size of 0 is not known. It may run concurrently
	Aside() records.Aside
	Unfinished() int64 // number of a last line that was left alone; 0 if there is none
	Paths() []string   // of its files; the one that was read last is the last
	// Lost adds to an error the number of rows that were read and not learned, and that cannot be read again.
	Lost(err error, learned int64) error
	Close() error

	untyped() (lists []string) // writes numbers as first rows need them, and returns the columns that are lists
}

// Options say how a model reads a source.
type Options struct {
	records.Options
	Schema  *schema.Schema // the model's; nil for a new one, which infers it
	Learns  bool           // the model learns the rows, so the target's column must be there
	Apart   bool           // rows without a header may lack the target's column, as where labels come from another source
	Where   string         // what rows of the stream meet, such as "Quantity>0"; empty if all rows belong to it
	SkipBad bool           // of a stream: missing messages are a bad row, and a first one may hold no row. Otherwise they end the reading
	Follow  bool           // of a stream or a file: wait for new rows. Otherwise it ends at the last one that was there when reading began
	Say     func(string)   // of a file that is followed: receives a line if rows are lost

	Kinds map[string]schema.Kind // that the user gave to columns
}

// forModel returns the options by which the model's columns are read.
func (o Options) forModel() (records.Options, error) {
	of, s := o.Options, o.Schema
	if s == nil {
		return of, nil
	}
	if o.Apart {
		of.Own = slices.DeleteFunc(s.Names(), func(name string) bool { return name == s.Target.Column })
	}
	if of.Columns != nil && !slices.Equal(of.Columns, s.Names()) && !slices.Equal(of.Columns, of.Own) {
		return of, errors.Errorf("the columns %q are given, and the model has the columns %q; give these, or none", of.Columns, s.Names())
	}
	of.Columns, of.Needed, of.OneLevel = s.Names(), []string{}, !s.Nested
	for _, c := range s.Columns {
		if c.Needed(o.Learns) || c.Name == schema.ConditionOn(o.Where) {
			of.Needed = append(of.Needed, c.Name)
		}
	}
	return of, nil
}

// Position says where in a source reading goes on. Only the source that wrote it reads it.
type Position = json.RawMessage

// Entry is a row of a source.
type Entry struct {
	Record []string // valid until the next entry; nil: no row here (a tombstone, a control record)
	Bad    error    // why it is no row: *records.RecordError
	Waits  bool     // no entry: the next one has not come yet, so learn these
	AtEnd  bool     // with Waits: the source had no more when it was last asked
	After  Place    // the position behind it
	Label  bool     // of Labelled: the record is the id and the target of a row that came before
	Order  Order    // of Labelled: whether another reading has the entry at this place

	time int64 // of Labelled
}

// Order tells whether an entry has its place by both logs of Labelled, however they come.
type Order int

const (
	Sure   Order = iota
	Ahead        // a row behind the last label that was there: it is sure once a later label comes
	Passed       // a row that no longer waited for a log of labels that was silent
	Late         // what came behind others that belong after it, or was in no order
)

// Linger is how long a row waits for others that are learned with it. To wake up for each row of a slow source costs several times as much.
const Linger = 10 * time.Millisecond

// Place is a position not yet encoded: few are ever saved. Errors print a Place to name the entry before it.
type Place interface {
	Position() Position
	// Identify returns the identity of the input as far as the place. It goes on from the identity in the last checkpoint.
	Identify(last Input) (Input, error)
}

// Errors of a source whose entries behind a position are not there.
var (
	ErrTruncated = errors.New("the log no longer has the next entry")
	ErrReplaced  = errors.New("this is another log under the same name")
	ErrLostEnd   = errors.New("the log ends before the position")
)

// IsBad tells whether an error leaves out one row, and the next one can be read.
func IsBad(err error) bool { return errors.As(err, new(*records.RecordError)) }

// encode returns the position that a value is as text.
func encode(v any) Position {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the positions of this package can be written
	}
	return b
}

// decode reads a position. One of another kind of source has other fields.
func decode(p Position, to any) error {
	if len(p) == 0 {
		return nil
	}
	return errors.WithMessage(text.Decode(p, to), "the position is of another kind of log, such as a file in place of a stream")
}

// First returns the first records of a source that keep accepts, as many as a schema needs; nil accepts all. A source that waits has no
// more. If all records are bad, First returns the error of the first.
func First(ctx context.Context, in Source, keep func([]string) bool) ([][]string, error) {
	if l, is := in.(*Labelled); is {
		return l.first(ctx, keep)
	}
	next, stop := iter.Pull2(in.Read(ctx, nil))
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
