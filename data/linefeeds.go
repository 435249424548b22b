package data

import (
	"bytes"
	"io"
)

// lineFeeds reads text with each CR LF made LF, so that a file is the same file with either line ends. A CR elsewhere stays.
type lineFeeds struct {
	in     io.Reader
	buffer []byte
	text   []byte // of the buffer: what has not been read yet
	held   bool   // a CR that ended the last block: whether it stays depends on the next
	err    error  // of in; comes after text
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

// dropReturns makes each CR LF an LF, in place.
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
