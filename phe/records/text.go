package records

import (
	"bytes"
	"io"

	"github.com/pkg/errors"
)

const (
	maxRecord = 16 << 20  // bytes of a record; a longer one is an error
	blockSize = 256 << 10 // bytes that are read at once
)

// errTooLong says that a record is longer than maxRecord.
var errTooLong = errors.New("the record is too long")

// text reads a source line by line. It holds the lines of the current record, so that a reader can go back to the record's
// beginning. It holds no more than maxRecord bytes and one block.
type text struct {
	in      *source
	growing bool              // the last line needs a line end
	whole   func([]byte) bool // tells whether a last line needs no line end; nil if it does
	passed  func([]byte)      // takes the bytes that the position passes; may be nil
	bom     int64             // number of bytes of the byte order mark

	buffer []byte
	start  int   // beginning of the record in buffer
	scan   int   // beginning of its next line
	end    int   // end of the bytes in buffer
	err    error // the error after these bytes

	at    Position // position of the record
	taken int64    // number of the record's lines before scan
	half  bool     // the last line was left alone
}

// next returns the next line of the record with its line end. The line is valid until the next call.
func (t *text) next() ([]byte, error) {
	for searched := t.scan - t.start; ; {
		if i := bytes.IndexByte(t.buffer[t.start+searched:t.end], '\n'); i >= 0 {
			return t.take(t.start + searched + i + 1), nil
		}
		searched = t.end - t.start
		switch {
		case t.err != nil:
			return t.last()
		case searched >= maxRecord:
			return nil, errTooLong
		}
		t.fill()
	}
}

// last returns the text after the last line end. A line without its end is complete only at the end of a text that no program
// writes: after another error the line is cut off.
func (t *text) last() ([]byte, error) {
	if t.err == io.EOF && t.scan < t.end {
		t.half = t.growing && (t.whole == nil || !t.whole(t.buffer[t.scan:t.end]))
		if !t.half {
			return t.take(t.end), nil
		}
	}
	return nil, t.err
}

// take returns the bytes before end that are not taken, as one line. Where files were joined, it can begin with a mark.
func (t *text) take(end int) []byte {
	line := t.buffer[t.scan:end:end]
	if line[0] == byteOrderMark[0] {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	t.scan = end
	t.taken++
	return line
}

// fill reads a block behind the bytes that are held.
func (t *text) fill() {
	held := copy(t.buffer, t.buffer[t.start:t.end])
	t.start, t.scan, t.end = 0, t.scan-t.start, held
	if held == len(t.buffer) {
		larger := make([]byte, min(2*held, maxRecord+blockSize))
		copy(larger, t.buffer)
		t.buffer = larger
	}
	n, err := io.ReadAtLeast(t.in, t.buffer[t.end:], 1)
	t.end, t.err = t.end+n, err
}

// accept ends the record behind the lines that are taken.
func (t *text) accept() {
	t.skip()
	t.at.Record++
}

// skip passes the lines that are taken, which belong to no record.
func (t *text) skip() {
	t.pass(t.scan)
	t.at.Line += t.taken
	t.taken = 0
}

// pass moves the position behind the bytes before end.
func (t *text) pass(end int) {
	if t.passed != nil {
		t.passed(t.buffer[t.start:end])
	}
	t.at.Offset += int64(end - t.start)
	t.start, t.scan = end, end
}

// rewind goes back to the beginning of the record.
func (t *text) rewind() { t.scan, t.taken = t.start, 0 }

// dropLine passes the first line of a bad record without keeping it: a stray quote can pull the following lines into the record.
func (t *text) dropLine() {
	t.rewind()
	t.at.Record++
	for {
		if i := bytes.IndexByte(t.buffer[t.start:t.end], '\n'); i >= 0 {
			t.take(t.start + i + 1)
			break
		}
		t.pass(t.end)
		if t.err != nil {
			t.taken++
			break
		}
		t.fill()
	}
	t.skip()
}

// bad returns an error about the current record.
func (t *text) bad(problem, remedy string) *RecordError {
	return &RecordError{File: t.in.name, Line: t.at.Line + 1, Record: t.at.Record + 1, Problem: problem, Remedy: remedy}
}

func (t *text) position() Position { return t.at }

// seek makes the record at p the next one.
func (t *text) seek(p Position) error {
	check := int64(0)
	if p.Offset > t.bom {
		check = 1
	}
	if err := t.in.goTo(p.Offset - check); err != nil {
		return err
	}
	t.start, t.scan, t.end, t.taken, t.err, t.half = 0, 0, 0, 0, nil, false
	t.at = p
	if check == 0 {
		return nil
	}
	for t.end < 2 && t.err == nil {
		t.fill()
	}
	if t.err != nil && t.err != io.EOF {
		return t.err
	}
	held := t.buffer[:t.end]
	switch {
	case len(held) == 0:
		return errors.Errorf("%s is shorter than the position, %d bytes; start from the beginning of the file", t.in.name, p.Offset)
	case held[0] != '\n' && len(held) > 1 && held[1] != '\n' && held[1] != '\r':
		return errors.Errorf("line %d of %s was record %d when it ended at byte %d, and now it is longer or another one; "+
			"put it back, or start from the beginning of the file", p.Line, t.in.name, p.Record, p.Offset)
	}
	t.start, t.scan = 1, 1
	return nil
}
