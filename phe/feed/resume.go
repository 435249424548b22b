package feed

import (
	"context"
	"hash/crc64"
	"io"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/phe/checkpoint"
	place "gophe/phe/output"
	"gophe/phe/stream"
	"gophe/phe/text"
)

// begin goes to where the last checkpoint was saved. It changes no file before it has checked input and output.
func (f *Feed) begin(ctx context.Context) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	if f.options.Plain {
		if err := f.openInput(); err != nil {
			return err
		}
	}
	if f.State.Position.Record > 0 {
		err = f.resume(ctx)
	} else {
		err = f.learnWaiting()
	}
	if err != nil {
		return err
	}
	if f.options.Output != "" {
		others := append(f.options.Others, f.State.Input.Name)
		if f.store != nil {
			others = append(others, checkpoint.Files(f.store.Path())...)
		}
		if err := (place.Place{Path: f.options.Output, Flag: "--predictions", Others: others}).Avoid(); err != nil {
			return err
		}
		if f.output, err = openOutput(&f.State, f.Learner.Schema(), f.options); err != nil {
			return err
		}
		f.State.OutputName = text.String(filepath.Base(f.options.Output))
	}
	// A program that is killed before its next checkpoint must find the learner's schema. And a new input must be in the
	// checkpoint before the forecasts of the last input are cut.
	if err := f.Save(); err != nil {
		return err
	}
	return f.output.cut()
}

// openInput opens the input's file to identify it. The file stays open, since another file may take its name.
func (f *Feed) openInput() (err error) {
	if f.file, err = openPlain(f.State.Input.Name); err != nil {
		return err
	}
	f.State.Input, err = f.State.Input.extend(f.file, f.State.Position.Offset)
	return err
}

// learnWaiting learns the records that still wait for their labels when a new input begins. The last input was left before its
// end, and the numbers of its rows would mix with the numbers of the new rows.
func (f *Feed) learnWaiting() error {
	last := stream.Progress{Learner: f.Learner, Delay: 1} // with a delay of 0 End does nothing
	return last.End()
}

// resume goes to the position of the last checkpoint. A pipe has no positions: it is sent from its beginning again, and the
// records that were learned are skipped.
func (f *Feed) resume(ctx context.Context) error {
	if !f.State.Input.isPipe() {
		return f.source.Seek(f.State.Position)
	}
	check := uint64(0)
	for range f.State.Position.Record {
		r := f.read()
		switch {
		case f.stopped || ctx.Err() != nil:
			return ctx.Err()
		case r.err == io.EOF:
			return f.otherPipe("ended before")
		case r.err != nil && !isBad(r.err):
			return r.err
		}
		check = checkSum(check, r.record)
	}
	if check != f.State.Check {
		return f.otherPipe("does not begin with")
	}
	return nil
}

// otherPipe returns the error for a pipe whose beginning was not learned.
func (f *Feed) otherPipe(what string) error {
	return errors.Errorf("%s %s the %d records that were learned; send it from its beginning again, or --append if its records are new",
		f.State.Input.Name, what, f.State.Position.Record)
}

// checkSum adds a record to the sum of the records before it. Each field and each record ends with a byte that UTF-8 never has.
func checkSum(sum uint64, record []string) uint64 {
	for _, field := range record {
		sum = crc64.Update(sum, ecma, []byte(field))
		sum = crc64.Update(sum, ecma, []byte{0xfe})
	}
	return crc64.Update(sum, ecma, []byte{0xff})
}

var ecma = crc64.MakeTable(crc64.ECMA)
