package feed

import (
	"context"
	"hash/crc64"
	"io"
	"path/filepath"

	"gophe/data/records"
	place "gophe/phe/disk/output"
	"gophe/phe/internal/text"
	"gophe/phe/live/checkpoint"
	"gophe/phe/remedy"
)

// begin goes to where the last checkpoint was saved. It changes no file before it has checked input and output.
func (f *feeding) begin(ctx context.Context) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	if f.plain {
		if f.file, err = openPlain(string(f.State.Input.Name)); err == nil { // it stays open, since another file may take its name
			f.State.Input, err = f.State.Input.extend(f.file, f.State.Position.Offset)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case f.State.Position.Record == 0: // the last input was left before its end: the numbers of its rows would mix with those of the new rows
		_, err = f.Learner.LearnWaiting(0)
	case f.plain:
		err = remedy.With("from the beginning", f.source.Seek(f.State.Position))
	case !f.isPipe(): // its records must be skipped
		err = f.source.Seek(records.Position{})
	}
	if err == nil && f.plain {
		err = f.takeBytes()
	}
	if err != nil {
		return err
	}
	if !f.plain && f.State.Position.Record > 0 {
		if err := f.skip(ctx); err != nil {
			return err
		}
	}
	if f.options.Output != "" {
		others := append(f.options.Others, string(f.State.Input.Name))
		if f.store != nil {
			others = append(others, checkpoint.Files(f.store.Path)...)
		}
		if err := (place.Place{Path: f.options.Output, Others: others, Overwrite: true}).Check(); err != nil {
			return remedy.With("other output", err)
		}
		if f.output, err = openOutput(&f.State, f.Learner.Schema, f.options, f.keep != nil || f.options.SkipBad ||
			f.State.Bad > 0); err != nil {
			return err
		}
		f.State.OutputName = text.String(filepath.Base(f.options.Output))
	}
	// A program that is killed before its next checkpoint must find the learner's schema. And a new input must be in the
	// checkpoint before the forecasts of the last input are cut.
	if err := f.save(false); err != nil {
		return err
	}
	if err := f.output.cut(); err != nil {
		return err
	}
	f.readAhead()
	return nil
}

// takeBytes makes the fingerprint reach to the source's position. The source has passed the header before the feed
// began.
func (f *feeding) takeBytes() error {
	f.next = f.State.Fingerprint
	f.source.Watch(f.next.add) // the fingerprint is of the bytes that were learned, even if the file changes at once
	return f.next.extend(f.file, f.source.Position().Offset)
}

// skip skips the records that were learned. A pipe has no positions: it is sent from its beginning again. A compressed or Parquet file is
// read from its beginning too, since its bytes do not show which records they hold.
func (f *feeding) skip(ctx context.Context) error {
	f.readAhead()
	check := uint64(0)
	for skipped := int64(0); skipped < f.State.Position.Record; skipped++ {
		if len(f.rest) == 0 {
			if f.isShown() {
				f.show()
			}
			list, err := f.await(ctx)
			if err != nil {
				return err
			}
			f.rest = list
		}
		r := f.rest[0]
		switch {
		case r.err == io.EOF:
			return f.otherPipe("ended before")
		case r.last():
			return r.err
		}
		check = checkSum(check, r.record)
		f.rest = f.rest[1:]
	}
	if check != f.State.Check {
		return f.otherPipe("does not begin with")
	}
	return nil
}

// otherPipe returns the error for a pipe or a file whose beginning was not learned.
func (f *feeding) otherPipe(what string) error {
	name, first := "begin anew", "put that part back"
	switch {
	case f.isPipe():
		name, first = "append", "send it from its beginning again"
	case f.State.Ended:
		name = "learn again"
	}
	return remedy.Errorf(name, "%s %s the %d records that were learned; %s", f.State.Input.Name, what, f.State.Position.Record, first)
}

// checkSum adds a record to the sum of the records before it. Each field and each record ends with a byte that UTF-8 never has.
func checkSum(sum uint64, record []string) uint64 {
	bytes := make([]byte, 0, 512) // one long update takes a third of the time of many short ones
	for _, field := range record {
		bytes = append(append(bytes, field...), 0xfe)
	}
	return crc64.Update(sum, ecma, append(bytes, 0xff))
}

var ecma = crc64.MakeTable(crc64.ECMA)
