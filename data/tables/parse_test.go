package tables

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

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
			if columns != nil || !strings.HasPrefix(err.Error(), "adult.csv:") {
				t.Errorf("columns %v, error %v", columns, err)
			}
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
			if len(c.Values) != n || slices.ContainsFunc(c.Values, bad) {
				t.Errorf("column %q: %v", c.Name, c.Values)
			}
		}
		for _, l := range table.Labels {
			if l < 0 || int(l) >= len(table.Classes) {
				t.Errorf("label %d", l)
			}
		}
	})
}
