package tables

import (
	"math"
	"path/filepath"
	"slices"
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

const (
	adultHeader = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,capital-loss,hours-per-week,native-country,income\n"
	adultRow    = "39,State-gov,77516,Bachelors,13,Never-married,Adm-clerical,Not-in-family,White,Male,2174,0,40,United-States,<=50K\n"
)

func FuzzParse(f *testing.F) {
	f.Add(adultHeader + adultRow)
	f.Add(adultHeader + "?" + adultRow)
	f.Add(adultHeader + strings.ReplaceAll(adultRow, ",", ",\""))
	f.Add(adultHeader + adultRow + strings.Replace(adultRow, "77516", "-1e15", 1) + strings.Replace(adultRow, "77516", "1e-15", 1))
	f.Add(strings.ReplaceAll(adultHeader+adultRow, "\n", "\r\n"))
	f.Add("\ufeff" + adultHeader)
	f.Add("")
	f.Fuzz(func(t *testing.T, content string) {
		d := filetest.Must(lookUp("adult"))(t)
		columns, err := d.Parse("adult.csv", strings.NewReader(content))
		if err != nil {
			filetest.Want(t, columns == nil && strings.HasPrefix(err.Error(), "adult.csv:"),
				"columns %v, error %v", columns, err)
			return
		}
		table := filetest.Must(newTable(columns, nil))(t)
		n := table.NumRows()
		if n == 0 || len(table.Categorical) != 8 || len(table.Numeric) != 6 {
			t.Fatalf("%d rows, %d + %d columns", n, len(table.Categorical), len(table.Numeric))
		}
		for _, c := range table.Categorical {
			if len(c.Values) != n || slices.Contains(c.Values, "?") || slices.Contains(c.Values, "") {
				t.Errorf("column %q: %q", c.Name, c.Values)
			}
		}
		for _, c := range table.Numeric {
			bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(float64(float32(v)), 0) }
			filetest.Want(t, len(c.Values) == n && !slices.ContainsFunc(c.Values, bad), "column %q: %v", c.Name, c.Values)
		}
		for _, l := range table.Labels {
			filetest.Want(t, l >= 0 && int(l) < len(table.Classes), "label %d", l)
		}
	})
}
