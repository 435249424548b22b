package columnweight

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"gophe/data"
	columns "gophe/data/column"
	"gophe/data/files"
	"gophe/data/tables"
	"gophe/phe/disk/filetest"
)

// The numbers of the page are those of the tables. The large tables are measured in the long tests, and MovieLens where its files are
// there.
func TestTellsIsMeasured(t *testing.T) {
	var known []telling
	filetest.Check(t, json.Unmarshal(tellsJSON, &known))
	var now []telling
	for _, of := range tellingItems {
		short := of.dataset != "drawn" && !*update && !filetest.Long()
		var table *tables.Table
		var err error
		if !short {
			table, err = data.OpenTable(of.dataset, files.Options{})
		}
		if short || errors.Is(err, fs.ErrNotExist) && !*update {
			t.Logf("%s is not measured: short %t, %v", of.dataset, short, err)
			for _, k := range known {
				if k.Dataset == of.dataset {
					now = append(now, k)
				}
			}
			continue
		}
		filetest.Check(t, err)
		now = append(now, measureTelling(of.dataset, table, of.items)...)
	}
	if *update {
		content := filetest.Must(json.MarshalIndent(now, "", " "))(t)
		filetest.Check(t, os.WriteFile("tells.json", append(content, '\n'), 0o644))
		return
	}
	if len(now) != len(known) {
		t.Fatalf("%d columns, want %d", len(now), len(known))
	}
	for i, want := range known {
		got := now[i]
		for item, share := range want.Of {
			if got.Column != want.Column || math.Abs(got.Of[item]-share) > 1e-9 {
				t.Errorf("%s, %s tells %s in %v %% of the rows, want %v", want.Dataset, got.Column, item, got.Of[item], share)
			}
		}
	}
}

// A column tells itself, and a constant tells no more than the most frequent item.
func TestTells(t *testing.T) {
	table := &tables.Table{Labels: make([]int32, 4)}
	for _, values := range []string{"aabc", "1112", "xxxx"} {
		table.Categorical = append(table.Categorical, columns.Categorical{Values: strings.Split(values, "")})
	}
	for _, c := range []struct {
		column, about int
		want          float64
	}{{0, 0, 1}, {0, 1, 1}, {1, 0, 0.75}, {2, 0, 0.5}, {-1, 0, 0.5}} {
		if got := tells(table, c.column, c.about); got != c.want {
			t.Errorf("column %d tells column %d in %v of the rows, want %v", c.column, c.about, got, c.want)
		}
	}
}
