package feed

import (
	"context"
	"io"
	"iter"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/live/log"
	"gophe/phe/records"
)

// Compare reads the stream and the input from their beginnings, and returns an error that names the first row that differs. more says that
// the input has rows that were not fed.
func (f *Feeder) Compare(ctx context.Context) (more bool, err error) {
	if err := f.describe(ctx); err != nil {
		return false, err
	}
	there := log.NewJetStream(f.conn, f.Stream, records.Options{Columns: f.columns})
	info, err := there.Info(ctx)
	if err != nil {
		return false, err
	}
	if first := info.State.FirstSeq; first > 1 {
		return false, errors.Wrapf(log.ErrTruncated, "the stream %s begins at message %d", f.Stream, first)
	}
	next, stop := iter.Pull2(f.In.Read(context.WithoutCancel(ctx), nil))
	defer stop()
	for e, err := range there.Read(ctx, nil) {
		if err != nil {
			return false, err
		}
		if e.Waits || e.Record == nil && e.Bad == nil {
			continue
		}
		if e.Bad != nil {
			return false, errors.WithMessagef(e.Bad, "%v", e.After)
		}
		in, err := f.nextFed(next)
		if err == io.EOF {
			return false, errors.Errorf("%s ends after %s, and the stream has %v, too: the first difference", f.In.Name(),
				text.Counted(f.Fed, "row"), e.After)
		}
		if err != nil {
			return false, err
		}
		for i, value := range in.Record {
			if value != e.Record[i] {
				return false, errors.Errorf("%v has %q in the column %q, and %v has %q: the first difference", in.After, value,
					f.columns[i],
					e.After, e.Record[i])
			}
		}
		if f.Fed++; f.Progress != nil && f.Fed%messageRows == 0 {
			f.Progress()
		}
	}
	if ctx.Err() != nil {
		return false, errors.WithStack(ctx.Err())
	}
	_, err = f.nextFed(next)
	return err == nil, broker.Except(err, io.EOF)
}

// nextFed returns the next row of the input that belongs to the stream.
func (f *Feeder) nextFed(next func() (log.Entry, error, bool)) (log.Entry, error) {
	for {
		e, err, more := next()
		if !more {
			return e, io.EOF
		}
		if e.Waits {
			continue
		}
		if err != nil {
			return e, err
		}
		if fed, err := f.take(e); fed != nil || err != nil {
			return e, err
		}
	}
}
