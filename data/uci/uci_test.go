package uci

import (
	"os"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func TestSourcesAreComplete(t *testing.T) {
	sources := Sources()
	filetest.Want(t, len(sources), 6, "sources")
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
			filetest.WantWords(t, string(content), want)
		}
	}
}
