package tables

import (
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

func TestLoadUnknownName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", "unknown"}, {"Adult", "unknown"}, {"../adult", "unknown"}, {"retail", "package sales"}, {"covertype-50000", "unknown"},
	} {
		_, err := Load(c.name, files.Options{})
		filetest.WantError(t, err, c.want, "can be loaded: adult, bank, mushroom, mushroom-8124, covertype, covertype-49999")
	}
}

func TestLoadUnreadableFile(t *testing.T) {
	good := datatest.Compress(t, adultHeader+adultRow)
	long := datatest.Compress(t, adultHeader+strings.Repeat(adultRow, 20000))
	for _, c := range []struct{ name, file, content, want string }{
		{"empty", "adult.csv", "", "empty"},
		{"empty, compressed", "adult.csv.gz", "", "empty"},
		{"nothing compressed", "adult.csv.gz", datatest.Compress(t, ""), "empty"},
		{"not gzip", "adult.csv.gz", adultHeader + adultRow, "not a gzip file"},
		{"header of gzip only", "adult.csv.gz", good[:5], "not a gzip file"},
		{"cut off", "adult.csv.gz", long[:len(long)/2], "cut off after line"},
		{"checksum of gzip cut off", "adult.csv.gz", good[:len(good)-3], "cut off after line 2"},
		{"damaged", "adult.csv.gz", good[:len(good)-8] + "12345678", "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv(files.PathVariable, folder)
			path := datatest.Write(t, filepath.Join(folder, c.file), c.content)
			filetest.WantError(t, filetest.Failure(Load("adult", files.Options{AllowAltered: true})), path, c.want)
		})
	}
}

func TestLoadAltered(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(files.PathVariable, folder)
	path := datatest.Write(t, filepath.Join(folder, "adult.csv.gz"), datatest.Compress(t, adultHeader+adultRow))
	_, err := Load("adult", files.Options{})
	filetest.WantError(t, err, path, "altered", "declared 6f8f2bab", "1 complete rows, declared 45222", "data/uci/adult.csv.gz", "remedy: accept altered")

	table := filetest.Must(Load("adult", files.Options{AllowAltered: true}))(t)
	if table.Verified || table.NumRows() != 1 || table.Path != path || len(table.SHA256) != 64 {
		t.Errorf("got %+v", table)
	}

	t.Setenv(files.PathVariable, filepath.Join(folder, "uci"))
	path = datatest.Write(t, filepath.Join(folder, "uci", "adult.csv.gz"), datatest.Compress(t, adultHeader+adultRow))
	filetest.WantError(t, filetest.Failure(Load("adult", files.Options{})), "git checkout -- "+path)
}

func TestLoadParseErrorBeforeChecksum(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(files.PathVariable, folder)
	path := datatest.Write(t, filepath.Join(folder, "adult.csv"), adultHeader+adultRow+"x"+adultRow)
	_, err := Load("adult", files.Options{})
	filetest.WantError(t, err, path+":3:1:", `"age"`)
	if strings.Contains(err.Error(), "altered") {
		t.Error(err)
	}
}

func BenchmarkLoad(b *testing.B) {
	for name, bytes := range map[string]int64{"adult": 5277522, "covertype": 75170064} {
		b.Run(name, func(b *testing.B) {
			b.Setenv(files.PathVariable, "")
			b.ReportAllocs()
			b.SetBytes(bytes)
			for b.Loop() {
				filetest.Must(Load(name, files.Options{}))(b)
			}
		})
	}
}
