package files

import (
	"bufio"
	"bytes"
	"io"
)

// lineFeeds reads text and replaces each CR LF by LF, so that line ends do not change a checksum. Any other CR stays.
type lineFeeds struct{ in *bufio.Reader }

func newLineFeeds(in io.Reader) lineFeeds { return lineFeeds{bufio.NewReaderSize(in, 1<<17)} }

// Read implements io.Reader.
func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if n > 0 && err == nil && p[n-1] == '\r' { // what follows decides whether it stays
		var next []byte
		if next, err = l.in.Peek(1); string(next) == "\n" {
			n--
		}
	}
	kept := p[:0]
	for line := range bytes.Lines(p[:n]) {
		text, ended := bytes.CutSuffix(line, []byte("\r\n"))
		kept = append(kept, text...)
		if ended {
			kept = append(kept, '\n')
		}
	}
	return len(kept), err
}
