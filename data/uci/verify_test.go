package uci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

func TestVerify(t *testing.T) {
	t.Setenv(files.PathVariable, "")
	for _, s := range filetest.Some(t, Sources(), "sources") {
		filetest.Want(t, s.Verify(), nil, "%s: the error", s.Name)
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
		if len(want) == 0 {
			filetest.Check(t, err)
			return
		}
		filetest.WantError(t, err, append(want, path, "data/uci/mushroom.csv.gz")...)
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

// A damaged file is reported as damaged, and not by an error in its rows, even if only the first rows are read.
func TestDamageBeforeParseError(t *testing.T) {
	d := toy()
	d.FirstRows = 1
	good := datatest.Compress(t, toyHeader+"1,a,b,no\n"+strings.Repeat("x,y\n", 50000))
	path := datatest.Write(t, filepath.Join(t.TempDir(), "toy.csv.gz"), good[:len(good)-6])
	for _, rows := range []int{0, 1} {
		d.FirstRows = rows
		c, _, err := files.Parse(files.File{Name: "toy.csv", Committed: "toy.csv.gz"}, path, d.Parse)
		filetest.True(t, c == nil, "a damaged file has columns")
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
		filetest.True(t, !c.Verified, "%s: an altered file is verified", d.Name)
		filetest.Want(t, c.Items[0].Token(0)+", "+c.Items[1].Token(0), "wilderness_area_A1, soil_type_S40", "%s: items", d.Name)
		filetest.Want(t, c.Labels[0], 6, "%s: the label", d.Name)
	}
	datatest.Write(t, path, header+row+"x"+row)
	filetest.WantError(t, filetest.Failure(Covertype49999().Load(files.Options{})), path+":3:1:", `"elevation"`)
}
