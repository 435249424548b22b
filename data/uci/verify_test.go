package uci

import (
	"os"
	"path/filepath"
	"testing"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

func TestVerify(t *testing.T) {
	t.Setenv(files.PathVariable, "")
	for _, s := range Sources() {
		if err := s.Verify(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

func TestVerifyOtherForms(t *testing.T) {
	mushroom := Mushroom().source()
	text := string(filetest.Unzip(t, mushroom.Files[0].Committed))
	folder := t.TempDir()
	t.Setenv(files.PathVariable, folder)
	check := func(file, content string, want ...string) {
		t.Helper()
		path := datatest.Write(t, filepath.Join(folder, file), content)
		defer os.Remove(path)
		err := mushroom.Verify()
		if len(want) > 0 {
			filetest.WantError(t, err, append(want, path, "data/uci/mushroom.csv.gz")...)
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
	good := datatest.Compress(t, text)
	check("mushroom.csv.gz", good[:5], "not a gzip file")
	check("mushroom.csv.gz", good[:len(good)-3], "cut off after line 8417")
	check("mushroom.csv.gz", good[:len(good)-8]+"12345678", "damaged")
	check("mushroom.csv.gz", "", "empty")
	check("mushroom.csv", "", "empty")

	absent := files.Source{Name: "absent", Files: []files.File{{Name: "absent.csv", Committed: "absent.csv.gz"}}}
	filetest.WantError(t, absent.Verify(), `"absent"`, "found none of absent.csv.zst, absent.csv.gz, absent.csv", files.PathVariable)
}
