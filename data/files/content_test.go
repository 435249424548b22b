package files

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

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
			for buffer := make([]byte, read); len(buffer) > 0; {
				n, err := opened.Read(buffer)
				if err != nil && n == 0 {
					t.Fatal(err)
				}
				buffer = buffer[n:]
			}
			if got, err := opened.finish(); err != nil || got != hex.EncodeToString(sum[:]) {
				t.Errorf("%s, %d bytes read before: %s, %v", c.file, read, got, err)
			}
		}
	}
}
