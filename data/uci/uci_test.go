package uci

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/phe/filetest"
)

func TestSourcesAreComplete(t *testing.T) {
	sources := Sources()
	if len(sources) != 6 {
		t.Errorf("%d sources, want 6", len(sources))
	}
	for _, s := range sources {
		if len(s.Files) != 1 || s.Folder != "uci" || s.Title == "" || s.Rows == 0 || s.Columns == 0 || s.Licence == "" || s.Citation == "" {
			t.Fatalf("incomplete: %+v", s)
		}
		f := s.Files[0]
		if f.Name != s.Name+".csv" || f.Committed != f.Name+".gz" && f.Committed != f.Name+".zst" || f.MD5 != "" || f.Zipped != "" {
			t.Errorf("incomplete: %+v", f)
		}
		if !strings.HasPrefix(s.Origin, "https://") || len(f.CommittedSHA256) != 64 || len(f.SHA256) != 64 {
			t.Errorf("malformed: %+v", s)
		}
	}
}

// TestReadmeAgrees compares the two places that state checksums.
func TestReadmeAgrees(t *testing.T) {
	content := filetest.Must(os.ReadFile("README.md"))(t)
	for _, s := range Sources() {
		f := s.Files[0]
		for _, want := range []string{f.CommittedSHA256 + "  " + f.Committed, f.SHA256 + "  " + f.Name, s.Origin, s.Licence} {
			if !strings.Contains(string(content), want) {
				t.Errorf("README.md lacks %q", want)
			}
		}
	}
}

func TestCommittedFilesMatchSources(t *testing.T) {
	for _, s := range Sources() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			f := s.Files[0]
			file := filetest.Must(os.Open(f.Committed))(t)
			defer file.Close()
			compressedHash, contentHash := sha256.New(), sha256.New()
			compressed := io.TeeReader(file, compressedHash)
			content := filetest.Must(files.Unpack(f.Committed, compressed))(t)
			if _, err := io.Copy(contentHash, content); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, compressed); err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(compressedHash.Sum(nil)); got != f.CommittedSHA256 {
				t.Errorf("%s: %s, declared %s", f.Committed, got, f.CommittedSHA256)
			}
			if got := hex.EncodeToString(contentHash.Sum(nil)); got != f.SHA256 {
				t.Errorf("uncompressed %s: %s, declared %s", f.Committed, got, f.SHA256)
			}
		})
	}
}
