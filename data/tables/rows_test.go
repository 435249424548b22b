package tables

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gophe/data/column"
	"gophe/data/uci"
	"gophe/phe/disk/filetest"
)

// folded is a declaration with two folds, and nothing missing.
func folded() uci.Declaration {
	return uci.Declaration{
		Name: "folded",
		Columns: []uci.Field{
			{Name: "size", Kind: uci.Numeric}, {Name: "area1", Kind: uci.Indicator}, {Name: "area2", Kind: uci.Indicator}, {Name: "color", Kind: uci.Categorical},
			{Name: "soil1", Kind: uci.Indicator}, {Name: "soil2", Kind: uci.Indicator}, {Name: "soil3", Kind: uci.Indicator}, {Name: "class", Kind: uci.Label},
		},
		Folds:       []uci.Fold{{Name: "area", Prefix: "A", Size: 2}, {Name: "soil", Prefix: "S", Size: 3}},
		Classes:     []string{"1", "2"},
		Incremental: "soil",
	}
}

const foldedHeader = "size,area1,area2,color,soil1,soil2,soil3,class\n"

func TestParseFolds(t *testing.T) {
	table := filetest.Must(parse(folded(), "toy.csv", strings.NewReader(foldedHeader+"4,1,0,?,0,0,1,2\n2,0,1,red,1,0,0,1\n1,1,0,red,0,1,0,1\n")))(t)
	want := []column.Categorical{{Name: "area", Values: []string{"A1", "A2", "A1"}}, {Name: "color", Values: []string{"?", "red", "red"}}, {Name: "soil", Values: []string{"S3", "S1", "S2"}}}
	for i, c := range table.Categorical {
		if c.Name != want[i].Name || !slices.Equal(c.Values, want[i].Values) {
			t.Errorf("got %v, want %v", c, want[i])
		}
	}
	if table.Incremental != 2 || table.Token(2, 0) != "soil_S3" || !slices.Equal(table.Labels, []int32{1, 0, 0}) ||
		len(table.Numeric) != 1 || !slices.Equal(table.Numeric[0].Values, []float64{1, 0.5, 0.25}) {
		t.Errorf("got %+v", table)
	}
}

func TestParseFoldsRefuses(t *testing.T) {
	const row = "4,1,0,?,0,0,1,2\n"
	for _, c := range []struct {
		name, row string
		want      []string
	}{
		{"none", "4,0,0,?,0,0,1,2\n", []string{"toy.csv:3:3:", "area1 to area2, 0 are 1", "exactly one"}},
		{"two", "4,1,0,red,1,0,1,2\n", []string{"toy.csv:3:11:", "soil1 to soil3, 2 are 1"}},
		{"not an indicator", "4,1,0,red,0,2,0,2\n", []string{"toy.csv:3:13:", `column "soil2": "2" is neither 0 nor 1`}},
		{"empty indicator", "4,1,,red,0,0,1,2\n", []string{"toy.csv:3:5:", `column "area2"`, "neither"}},
		{"one written otherwise", "4,1,0,red,0,0,1.0,2\n", []string{`column "soil3": "1.0"`}},
		{"empty category where nothing is missing", "4,1,0,,0,0,1,2\n", []string{"toy.csv:3:7:", `column "color": "" is no value`}},
		{"empty number where nothing is missing", ",1,0,red,0,0,1,2\n", []string{"toy.csv:3:1:", `column "size": "" is not a number`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			filetest.WantError(t, filetest.Failure(parse(folded(), "toy.csv", strings.NewReader(foldedHeader+row+c.row))), c.want...)
		})
	}
}

// TestParseBlocks checks that neither the end of a block nor an incomplete row leaves a trace in a table.
func TestParseBlocks(t *testing.T) {
	for _, n := range []int{1, column.BlockRows - 1, column.BlockRows, column.BlockRows + 1, 2 * column.BlockRows, 2*column.BlockRows + 3} {
		var b strings.Builder
		b.WriteString("size,color,code,class\n")
		for i := range n {
			if i%1000 == 17 {
				b.WriteString("1,?,x,no\n")
			}
			fmt.Fprintf(&b, "%d,c%d,%04d,%s\n", i+1, i%3, i, []string{"no", "yes"}[i%2])
		}
		table := filetest.Must(parse(toy(), "toy.csv", strings.NewReader(b.String())))(t)
		if table.NumRows() != n || len(table.Numeric[0].Values) != n || len(table.Categorical[0].Values) != n || len(table.Categorical[1].Values) != n {
			t.Fatalf("%d rows: read %d", n, table.NumRows())
		}
		for i := range n {
			if table.Numeric[0].Values[i] != float64(i+1)/float64(n) || table.Categorical[1].Values[i] != fmt.Sprintf("%04d", i) ||
				table.Categorical[0].Values[i] != fmt.Sprintf("c%d", i%3) || table.Labels[i] != int32(i%2) {
				t.Fatalf("%d rows: row %d is %v, %q, %q, %d", n, i, table.Numeric[0].Values[i], table.Categorical[0].Values[i],
					table.Categorical[1].Values[i], table.Labels[i])
			}
		}
	}
}

// TestParseNamesLineOfLaterBlock checks that blocks do not disturb the line numbers of errors.
func TestParseNamesLineOfLaterBlock(t *testing.T) {
	content := "size,color,code,class\n" + strings.Repeat("1,a,b,no\n", column.BlockRows+5) + "1,a,b,maybe\n"
	_, err := parse(toy(), "toy.csv", strings.NewReader(content))
	filetest.WantError(t, err, fmt.Sprintf("toy.csv:%d:7:", column.BlockRows+7))
}

// TestParseFirstRows checks that rows after the declared rows are not read, and do not count for the maximum.
func TestParseFirstRows(t *testing.T) {
	d := toy()
	d.FirstRows = 3
	const header, rows = "size,color,code,class\n", "1,a,b,no\n?,a,b,no\n2,a,c,yes\n"
	for _, rest := range []string{"", "9,d,e,no\n", "not a row\n"} {
		content := strings.NewReader(header + rows + rest)
		table, err := parse(d, "toy.csv", content)
		if err != nil {
			t.Fatalf("%q: %v", rest, err)
		}
		if !slices.Equal(table.Numeric[0].Values, []float64{0.5, 1}) {
			t.Errorf("%q: %v", rest, table.Numeric[0].Values)
		}
	}
	table, err := parse(d, "toy.csv", strings.NewReader(header+"1,a,b,no\n"))
	if err != nil || table.NumRows() != 1 {
		t.Errorf("fewer rows than declared: %v, %v", table, err)
	}
	_, err = parse(d, "toy.csv", strings.NewReader(header+"?,a,b,no\n?,a,b,no\n?,a,b,no\n1,a,b,no\n"))
	filetest.WantError(t, err, "3 rows, every one of which lacks a value")
}

// TestParseSharesValues checks that equal values are one string, because a value must not keep its line in memory.
func TestParseSharesValues(t *testing.T) {
	table := filetest.Must(parse(toy(), "toy.csv", io.MultiReader(strings.NewReader("size,color,code,class\n"), strings.NewReader(strings.Repeat("1,red,b,no\n", column.BlockRows+2)))))(t)
	values := table.Categorical[0].Values
	if first, last := values[0], values[len(values)-1]; unsafe.StringData(first) != unsafe.StringData(last) {
		t.Error("equal values of two blocks have a string each")
	}
}
