package uci

import (
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

// A damaged file is reported as damaged, and not by an error in its rows, even if only the first rows are read.
func TestDamageBeforeParseError(t *testing.T) {
	d := toy()
	d.FirstRows = 1
	good := datatest.Compress(t, toyHeader+"1,a,b,no\n"+strings.Repeat("x,y\n", 50000))
	path := datatest.Write(t, filepath.Join(t.TempDir(), "toy.csv.gz"), good[:len(good)-6])
	for _, rows := range []int{0, 1} {
		d.FirstRows = rows
		c, _, err := files.Parse(files.File{Name: "toy.csv", Committed: "toy.csv.gz"}, path, d.Parse)
		if c != nil {
			t.Error("columns")
		}
		filetest.WantError(t, err, path, "damaged or cut off after line 50002")
	}
}

// TestContentBeforeChecksum checks that the line reports an altered first row, and the checksum an altered later row.
func TestContentBeforeChecksum(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(files.PathVariable, folder)
	row := strings.Repeat("1,", 11) + "0,0,0" + strings.Repeat(",0", 39) + ",1,7\n"
	header := strings.Join(Covertype().header(), ",") + "\n"
	path := datatest.Write(t, filepath.Join(folder, "covertype.csv"), header+row)
	for _, d := range []Declaration{Covertype(), Covertype49999()} {
		_, err := d.Load(files.Options{})
		filetest.WantError(t, err, path, "altered", "1 complete rows, declared", "data/uci/covertype.csv.zst")
		c := filetest.Must(d.Load(files.Options{AllowAltered: true}))(t)
		if c.Verified || c.Items[0].Token(0) != "wilderness_area_A1" || c.Items[1].Token(0) != "soil_type_S40" || c.Labels[0] != 6 {
			t.Errorf("%s: %+v", d.Name, c)
		}
	}
	datatest.Write(t, path, header+row+"x"+row)
	filetest.WantError(t, filetest.Failure(Covertype49999().Load(files.Options{})), path+":3:1:", `"elevation"`)
}
