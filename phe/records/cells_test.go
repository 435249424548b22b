package records

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"gophe/phe/disk/filetest"
)

// nestedRow is a row whose values Parquet holds as groups and lists, and as JSON text.
type nestedRow struct {
	User *struct {
		Geo  struct{ Country, Zip string }
		Tags []string
	}
	Items []struct {
		SKU string
		N   *int64
	}
	Device, Y string
}

// A record has the same columns and fields at each door: as JSON lines, in cells of CSV, and as groups, lists and texts of Parquet.
func TestNestedAtEachDoor(t *testing.T) {
	const jsonl = `{"User":{"Geo":{"Country":"DE","Zip":"07"},"Tags":["red","new"]},"Items":[{"SKU":"A","N":1},{"SKU":"B"}],` +
		`"Device":"{\"os\":{\"name\":\"x\"},\"mobile\":true}","Y":"a"}
{"User":null,"Items":[],"Device":"","Y":"b"}
{"User":{"Geo":{"Country":"FR","Zip":"1"},"Tags":[]},"Items":[{"SKU":"C","N":3}],"Device":"{\"os\":null,\"mobile\":false}","Y":"c"}
`
	csv := `User,Items.SKU,Items.N,Device,Y
"{""Geo"":{""Country"":""DE"",""Zip"":""07""},""Tags"":[""red"",""new""]}",A|B,1|,"{""os"":{""name"":""x""},""mobile"":true}",a
,,,,b
"{""Geo"":{""Country"":""FR"",""Zip"":""1""},""Tags"":[]}",C,3,"{""os"":null,""mobile"":false}",c
`
	rows := make([]nestedRow, 3)
	for i, line := range strings.Split(strings.TrimSpace(jsonl), "\n") {
		filetest.Check(t, json.Unmarshal([]byte(line), &rows[i]))
	}
	var file bytes.Buffer
	filetest.Check(t, parquet.Write(&file, rows))
	want := []string{"DE/07/red|new/A|B/1|/x/true/a", "///////b", "FR/1//C/3//false/c"}
	columns := strings.Fields("User.Geo.Country User.Geo.Zip User.Tags Items.SKU Items.N Device.os.name Device.mobile Y")
	for door, text := range map[string]string{"JSON lines": jsonl, "CSV": csv, "Parquet": file.String()} {
		path := write(t, "table", []byte(text))
		found := filetest.Must(Open(path, Options{}))(t)
		filetest.Want(t, sorted(found.Columns()), sorted(columns), "columns of %s", door)
		r := filetest.Must(Open(path, Options{Columns: columns}))(t)
		all, _ := readAll(t, r, len(text))
		filetest.Want(t, joined(all), want, "%s", door)
		filetest.Want(t, len(r.Aside().Ignored), 0, "names in %s that are no columns", door)
		filetest.Check(t, cmp.Or(r.Close(), found.Close()))
	}
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }

// A table that lacks a model's column has no object under the beginning of its name.
func TestLacksInside(t *testing.T) {
	_, err := New(strings.NewReader("user,y\nu,1\n"), "t", Options{Columns: []string{"user.id", "y"}})
	filetest.WantError(t, err, `t has no column "user.id"; its columns are ["user" "y"]`)
}

// A model of before keeps objects inside objects, in cells and in texts as one item.
func TestOneLevel(t *testing.T) {
	testRead(t, []readTest{
		{"CSV", "a,b\n\"{\"\"c\"\":1}\",x\n", Options{OneLevel: true}, "a b", []string{`{"c":1}/x`}},
		{"text of JSON", `{"a":"{\"c\":1}"}`, Options{OneLevel: true}, "a", []string{`{"c":1}`}},
		{"text beside objects", "a,b\n\"{\"\"c\"\":1}\",x\nnone,y\n{,z\n", Options{}, "a b a.c", []string{"/x/1", "none/y/", "{/z/"}},
		{"the path's columns", "month,b\n1,x\n", Options{Partition: [][2]string{{"year", "2024"}, {"month", "7"}}}, "month b year",
			[]string{"1/x/2024"}},
	})
}
