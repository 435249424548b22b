package data

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"gophe/data/datatest"
)

func TestVerify(t *testing.T) {
	t.Setenv(PathVariable, "")
	for _, s := range Sources() {
		if err := s.Verify(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

func TestVerifyOtherForms(t *testing.T) {
	sources := Sources()
	mushroom := sources[2]
	file, err := os.Open(filepath.Join("uci", mushroom.Files[0].Committed))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	uncompressed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(uncompressed)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	folder := t.TempDir()
	t.Setenv(PathVariable, folder)
	check := func(file, content string, want ...string) {
		t.Helper()
		path := datatest.Write(t, filepath.Join(folder, file), content)
		defer os.Remove(path)
		err := mushroom.Verify()
		if len(want) > 0 {
			datatest.WantError(t, err, append(want, path, "data/uci/mushroom.csv.gz")...)
		} else if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	check("mushroom.csv", text)
	check("mushroom.csv.gz", datatest.Compress(t, text)) // other bytes than the committed file's, the same content
	check("mushroom.csv", text+"\n", "altered", "declared 849cfd1a")
	check("mushroom.csv.gz", datatest.Compress(t, text[1:]), "altered", "declared 849cfd1a")
	check("mushroom.csv.gz", datatest.Compress(t, text)[:1000], "cut off after line")
	check("mushroom.csv.gz", text, "not a gzip file")
	check("mushroom.csv", "", "empty")

	absent := Source{Name: "absent", Files: []File{{Name: "absent.csv", Committed: "absent.csv.gz"}}}
	datatest.WantError(t, absent.Verify(), `"absent"`, "found none of absent.csv.zst, absent.csv.gz, absent.csv", PathVariable)
}
