package columnweight

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "measure known.json anew")

// The numbers of the page are those of the fit. The large data sets take half a minute, so they are measured in the long tests.
func TestKnown(t *testing.T) {
	studies := filetest.Must(known())(t)
	for i, s := range studies {
		if s.Dataset != "mushroom" && !*update && !filetest.Long() {
			continue
		}
		table := filetest.Must(s.load())(t)
		columns := filetest.Must(measure(table))(t)
		if *update {
			studies[i].Columns = columns
			continue
		}
		if len(columns) != len(s.Columns) {
			t.Fatalf("%s: %d columns, want %d", s.Name, len(columns), len(s.Columns))
		}
		for k, c := range columns {
			want := s.Columns[k]
			if c.Name != want.Name || c.Items != want.Items || !near(c.Largest, want.Largest) || !near(c.Mean, want.Mean) || !near(c.ByRow, want.ByRow) {
				t.Errorf("%s, column %d is %+v, want %+v", s.Name, k+1, c, want)
			}
		}
	}
	if *update {
		content := filetest.Must(json.MarshalIndent(studies, "", " "))(t)
		filetest.Check(t, os.WriteFile("known.json", append(content, '\n'), 0o644))
	}
}

// near allows for the rounding of a number with two digits.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.015 }

// Adult says each education twice: as a word and as a number.
func TestEducationRepeatsItsNumber(t *testing.T) {
	table := filetest.Must(tables.Load("adult", files.Options{}))(t)
	education := table.Categorical[table.Incremental]
	for _, number := range table.Numeric {
		if number.Name != "education-num" {
			continue
		}
		words, numbers := map[float64]string{}, map[string]float64{}
		for row, word := range education.Values {
			words[number.Values[row]], numbers[word] = word, number.Values[row]
		}
		for row, word := range education.Values {
			if words[number.Values[row]] != word || numbers[word] != number.Values[row] {
				t.Fatalf("row %d: %s is %g, and elsewhere %s is that number", row, word, number.Values[row], words[number.Values[row]])
			}
		}
		if len(words) != 16 {
			t.Errorf("%d educations, want 16", len(words))
		}
		return
	}
	t.Error("adult has no education-num")
}
