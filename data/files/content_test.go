package files

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

// TestContentHashesWhatNobodyReads checks that the checksum is the whole file's, even if little of it was parsed.
func TestContentHashesWhatNobodyReads(t *testing.T) {
	text := strings.Repeat("line\n", 50000)
	sum := sha256.Sum256([]byte(text))
	for _, c := range []struct{ file, content string }{{"toy.csv", text}, {"toy.csv.gz", datatest.Compress(t, text)}} {
		for _, read := range []int{0, 1, 100000, len(text)} {
			opened := filetest.Must(openContent(datatest.Write(t, filepath.Join(t.TempDir(), c.file), c.content)))(t)
			filetest.Must(io.ReadFull(opened, make([]byte, read)))(t)
			filetest.Want(t, filetest.Must(opened.finish())(t), hex.EncodeToString(sum[:]), "sum of %s after %d bytes", c.file, read)
		}
	}
}

func TestLineFeeds(t *testing.T) {
	long := strings.Repeat("0123456789,\r", 20000)
	edge := strings.Repeat("x", 1<<17-1) + "\r" // the CR ends the buffer
	for text, want := range map[string]string{
		"": "", "a": "a", "\r": "\r", "\n": "\n", "\r\n": "\n", "a\r\nb\n\r\n": "a\nb\n\n", "\r\r\n\r": "\r\n\r", "a\rb": "a\rb",
		"\n\r": "\n\r", edge + "\n": edge[:len(edge)-1] + "\n", edge + "y": edge + "y", edge: edge,
		long + "\n": long[:len(long)-1] + "\n", strings.Repeat("abc\r\n", 50000): strings.Repeat("abc\n", 50000),
	} {
		for name, in := range map[string]func(io.Reader) io.Reader{
			"as it comes":  func(r io.Reader) io.Reader { return r },
			"byte by byte": iotest.OneByteReader, "with the end": iotest.DataErrReader,
		} {
			got := filetest.Must(io.ReadAll(newLineFeeds(in(strings.NewReader(text)))))(t)
			filetest.True(t, string(got) == want, "%s: %.20q… gives %.20q…", name, text, got)
		}
	}
	got, err := io.ReadAll(newLineFeeds(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("\r\n")))))
	filetest.Want(t, err, iotest.ErrTimeout, "error")
	filetest.Want(t, string(got), "\r", "text before the error")
}
