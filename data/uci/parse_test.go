package uci

import (
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// toyHeader is the header of toy's files.
const toyHeader = "size,color,code,class\n"

// toy is a declaration small enough to write its files by hand.
func toy() Declaration {
	return Declaration{
		Name: "toy", Columns: fields("size color code class", map[string]Kind{"size": numeric, "class": label}),
		Classes: []string{"no", "yes"}, Missing: "?", Incremental: "code",
	}
}

// parse returns the columns in the content of toy.csv.
func parse(d Declaration, content string) (*Columns, error) {
	return d.Parse("toy.csv", strings.NewReader(content))
}

func TestParse(t *testing.T) {
	c := filetest.Must(parse(toy(), toyHeader+"4,red,007,yes\n1.5,\"a,\"\"b\nc\",NA,no\n?,x,y,no\n9,?,y,yes\n-2,NaN,never seen ✓,no\n"))(t)
	filetest.Want(t, c.Labels, []int32{1, 0, 0}, "labels")
	filetest.Want(t, c.Numbers[0].Values, []float64{4, 1.5, -2}, "size")
	for i, want := range [][]string{{"red", "a,\"b\nc", "NaN"}, {"007", "NA", "never seen ✓"}} {
		filetest.Want(t, c.Items[i].Values, want, "%s", c.Items[i].Name)
	}
	filetest.Want(t, c.Incremental, 1, "the incremental column")
}

func TestParseNumbers(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "-17": -17, "17850.0": 17850, "1e3": 1000, "2E-1": 0.2} {
		c := filetest.Must(parse(toy(), toyHeader+text+",a,b,no\n"))(t)
		filetest.Want(t, c.Numbers[0].Values[0], want, "%q", text)
	}
	for _, text := range []string{"", "junk", "007", "+1", "1,5", " 5", "5 ", "NaN", "nan", "Inf", "0x10", "1_000", "1e999", "1e16",
		"-1e-16", ".5", "5.", "--1", `"5"`, "true", "null", "٣"} {
		quoted := `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		filetest.WantError(t, filetest.Failure(parse(toy(), toyHeader+"1,a,b,no\n"+quoted+",a,b,no\n")), "toy.csv:3:", `column "size"`)
	}
}

func TestParseRefuses(t *testing.T) {
	const header, row = toyHeader, "1,red,a,no\n"
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
		{"column missing in the middle", "size,code,class\n1,a,no\n",
			[]string{"toy.csv:1:6:", `column 2 is "code", want "color"`, `"color" is missing`}},
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
			_, err := parse(toy(), c.content)
			filetest.WantError(t, err, c.want...)
			filetest.True(t, len(err.Error()) <= 400, "the error has %d bytes", len(err.Error()))
		})
	}
}
