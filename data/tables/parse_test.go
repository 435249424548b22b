package tables

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/data/uci"
	"gophe/phe/disk/filetest"
)

const (
	adultHeader = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,capital-loss,hours-per-week,native-country,income\n"
	adultRow    = "39,State-gov,77516,Bachelors,13,Never-married,Adm-clerical,Not-in-family,White,Male,2174,0,40,United-States,<=50K\n"
)

// toy is a declaration small enough to write its files by hand.
func toy() uci.Declaration {
	return uci.Declaration{
		Name:        "toy",
		Columns:     []uci.Field{{Name: "size", Kind: uci.Numeric}, {Name: "color", Kind: uci.Categorical}, {Name: "code", Kind: uci.Categorical}, {Name: "class", Kind: uci.Label}},
		Classes:     []string{"no", "yes"},
		Missing:     "?",
		Incremental: "code",
	}
}

func TestParse(t *testing.T) {
	table := filetest.Must(parse(toy(), "toy.csv", strings.NewReader("size,color,code,class\n4,red,007,yes\n1.5,\"a,\"\"b\nc\",NA,no\n?,x,y,no\n9,?,y,yes\n-2,NaN,never seen ✓,no\n")))(t)
	if got, want := table.Labels, []int32{1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
	// 4 is the largest number of complete rows. Incomplete rows are dropped before.
	if got, want := table.Numeric[0].Values, []float64{1, 0.375, -0.5}; !slices.Equal(got, want) {
		t.Errorf("size %v, want %v", got, want)
	}
	for i, want := range [][]string{{"red", "a,\"b\nc", "NaN"}, {"007", "NA", "never seen ✓"}} {
		if got := table.Categorical[i].Values; !slices.Equal(got, want) {
			t.Errorf("%s %q, want %q", table.Categorical[i].Name, got, want)
		}
	}
	if table.Incremental != 1 {
		t.Errorf("incremental column is %d, want 1", table.Incremental)
	}
}

func TestParseNumbers(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "-17": -17, "17850.0": 17850, "1e3": 1000, "2E-1": 0.2} {
		table, err := parse(toy(), "toy.csv", strings.NewReader("size,color,code,class\n-1e9,a,b,no\n"+text+",a,b,no\n"))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := table.Numeric[0].Values[1]; got != want && got != 1 { // 1: it is its own maximum
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", "junk", "007", "+1", "1,5", " 5", "5 ", "NaN", "nan", "Inf", "0x10", "1_000", "1e999", "1e16", "-1e-16", ".5", "5.", "--1", "\"\"\"5\"\"\"", "true", "null", "٣"} {
		quoted := `"` + text + `"`
		if strings.HasPrefix(text, `"`) {
			quoted = text
		}
		_, err := parse(toy(), "toy.csv", strings.NewReader("size,color,code,class\n1,a,b,no\n"+quoted+",a,b,no\n"))
		if err == nil {
			t.Errorf("%q: read as a number", text)
			continue
		}
		if !strings.HasPrefix(err.Error(), `toy.csv:3:`) || !strings.Contains(err.Error(), `column "size"`) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const header, row = "size,color,code,class\n", "1,red,a,no\n"
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"empty", "", []string{"toy.csv: the file is empty", "size,color,code,class"}},
		{"blank lines", "\n\n", []string{"toy.csv: the file is empty"}},
		{"header only", header, []string{"a header and no rows"}},
		{"header without line end", "size,color,code,class", []string{"a header and no rows"}},
		{"no complete row", header + "?,a,b,no\n1,a,?,no\n", []string{"2 rows, every one of which lacks a value"}},
		{"byte-order mark", "\ufeff" + header + row, []string{"toy.csv:1:1:", "byte-order mark"}},
		{"UTF-16", "\xff\xfes\x00i\x00", []string{"toy.csv:1:1:", `"size" is missing`}},
		{"no header", row + row, []string{"toy.csv:1:1:", `column 1 is "1", want "size"`, `"size" is missing`}},
		{"column missing at the end", "size,color,code\n1,red,a\n", []string{"toy.csv:1:12:", `column 4, "class", is missing`}},
		{"column missing in the middle", "size,code,class\n1,a,no\n", []string{"toy.csv:1:6:", `column 2 is "code", want "color"`, `"color" is missing`}},
		{"column too many at the end", "size,color,code,class,extra\n", []string{"toy.csv:1:23:", `column 5, "extra", is one too many`}},
		{"column too many in the middle", "size,extra,color,code,class\n", []string{"toy.csv:1:6:", `"extra" is not a declared column`}},
		{"columns reordered", "color,size,code,class\n", []string{"toy.csv:1:1:", `column 1 is "color", want "size"`, "another order"}},
		{"column twice", "size,size,code,class\n", []string{"toy.csv:1:6:", `want "color"`}},
		{"header in capitals", "Size,color,code,class\n", []string{"toy.csv:1:1:", `"Size"`}},
		{"semicolons", "size;color;code;class\n1;red;a;no\n", []string{"toy.csv:1:1:", `want "size"`}},
		{"quote in header", "size,co\"lor,code,class\n", []string{"toy.csv:1:8:"}},
		{"row too short", header + row + "1,red,a\n", []string{"toy.csv:3:7:", "3 fields, want 4", `"code"`}},
		{"row too long", header + row + "\n" + "1,red,a,no,b\n", []string{"toy.csv:4:9:", "5 fields, want 4", `"class"`}},
		{"cut off within a row", header + row + "1,re", []string{"toy.csv:3:3:", "2 fields, want 4"}},
		{"number", header + row + "1,red,a,no\nx,red,a,no\n", []string{"toy.csv:4:1:", `column "size": "x" is not a number`}},
		{"number after a multi-line field", header + "1,\"a\nb\",c,no\nx,d,e,no\n", []string{"toy.csv:4:1:", `"x"`}},
		{"error in an incomplete row", header + row + "x,?,a,no\n", []string{"toy.csv:3:1:", `"x"`}},
		{"label", header + row + "1,red,a,maybe\n", []string{"toy.csv:3:9:", `column "class": "maybe" is none of the classes no, yes`}},
		{"label with a blank", header + "1,red,a, no\n", []string{"toy.csv:2:9:", `" no"`}},
		{"label missing", header + "1,red,a,?\n", []string{"toy.csv:2:9:", `"?"`}},
		{"empty cell", header + "1,,a,no\n", []string{"toy.csv:2:3:", `column "color"`, `written "?"`}},
		{"not UTF-8", header + "1,caf\xe9,a,no\n", []string{"toy.csv:2:3:", "not UTF-8"}},
		{"stray quote", header + row + "1,r\"ed,a,no\n", []string{"toy.csv:3:4:", "bare"}},
		{"open quote", header + "1,\"red,a,no\n1,red,a,no\n", []string{"toy.csv:", "starts on line 2", "quote"}},
		{"long text", header + "1" + strings.Repeat("x", 5000) + ",red,a,no\n", []string{"toy.csv:2:1:", "xxx…"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse(toy(), "toy.csv", strings.NewReader(c.content))
			filetest.WantError(t, err, c.want...)
			if len(err.Error()) > 400 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(adultHeader + adultRow)
	f.Add(adultHeader + "?" + adultRow)
	f.Add(adultHeader + strings.ReplaceAll(adultRow, ",", ",\""))
	f.Add(adultHeader + adultRow + strings.Replace(adultRow, "77516", "-1e15", 1) + strings.Replace(adultRow, "77516", "1e-15", 1))
	f.Add(strings.ReplaceAll(adultHeader+adultRow, "\n", "\r\n"))
	f.Add("\ufeff" + adultHeader)
	f.Add("")
	f.Fuzz(func(t *testing.T, content string) {
		table, err := parse(filetest.Must(lookUp("adult"))(t), "adult.csv", strings.NewReader(content))
		if err != nil {
			if table != nil || !strings.HasPrefix(err.Error(), "adult.csv:") {
				t.Errorf("table %v, error %v", table, err)
			}
			return
		}
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

// parse returns the Table in CSV content, without its checksum; errors name the path. It stops at the data set's last row.
func parse(d uci.Declaration, path string, content io.Reader) (*Table, error) {
	c, err := d.Parse(path, content)
	if err != nil {
		return nil, err
	}
	return newTable(d, c), nil
}
