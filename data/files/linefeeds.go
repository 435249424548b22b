package files

import (
	"bufio"
	"bytes"
	"io"
)

// lineFeeds reads text and replaces each CR LF by LF, so that line ends do not change a checksum. Any other CR stays.
type lineFeeds struct {
	in   *bufio.Reader
	line []byte // rest of the last line
	err  error  // that ended it
}

func newLineFeeds(in io.Reader) *lineFeeds { return &lineFeeds{in: bufio.NewReaderSize(in, 1<<17)} }

// Read implements io.Reader. It returns as many lines as it can, since lines are short.
func (l *lineFeeds) Read(p []byte) (n int, err error) {
	for n < len(p) && (len(l.line) > 0 || l.err == nil) {
		if len(l.line) == 0 {
			l.next()
		}
		copied := copy(p[n:], l.line)
		l.line, n = l.line[copied:], n+copied
	}
	if n == 0 && len(p) > 0 {
		err = l.err
	}
	return n, err
}

// next reads a line, or a part of a long one.
func (l *lineFeeds) next() {
	l.line, l.err = l.in.ReadSlice('\n')
	last := len(l.line) - 1
	switch {
	case l.err == bufio.ErrBufferFull:
		l.err = nil
		if l.line[last] == '\r' { // what follows decides whether it stays
			l.line, _ = l.line[:last], l.in.UnreadByte()
		}
	case bytes.HasSuffix(l.line, []byte("\r\n")):
		l.line[last-1] = '\n'
		l.line = l.line[:last]
	}
}
