package files

import (
	"bytes"
	"io"
)

// lineFeeds reads text and replaces each CR LF by LF, so that line ends do not change a checksum. Any other CR stays.
type lineFeeds struct {
	in     io.Reader
	buffer []byte
	text   []byte // part of the buffer that was not returned yet
	held   bool   // the last block ended in a CR, and the next block decides whether it stays
	err    error  // error of in, returned after text
}

func newLineFeeds(in io.Reader) *lineFeeds { return &lineFeeds{in: in, buffer: make([]byte, 1<<17)} }

// Read implements io.Reader.
func (l *lineFeeds) Read(p []byte) (int, error) {
	for len(l.text) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.fill()
	}
	n := copy(p, l.text)
	l.text = l.text[n:]
	return n, nil
}

func (l *lineFeeds) fill() {
	start := 0
	if l.held {
		l.buffer[0], start = '\r', 1
	}
	n, err := l.in.Read(l.buffer[start:])
	text := l.buffer[:start+n]
	if l.held = err == nil && bytes.HasSuffix(text, []byte("\r")); l.held {
		text = text[:len(text)-1]
	}
	l.text, l.err = dropReturns(text), err
}

// dropReturns replaces each CR LF by LF, in place.
func dropReturns(text []byte) []byte {
	kept := 0
	for rest := text; ; {
		i := bytes.Index(rest, []byte("\r\n"))
		if i < 0 {
			return text[:kept+copy(text[kept:], rest)]
		}
		kept += copy(text[kept:], rest[:i])
		rest = rest[i+1:]
	}
}
