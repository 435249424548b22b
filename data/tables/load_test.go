package tables

import (
	"path/filepath"
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
