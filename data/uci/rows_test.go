package uci

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"gophe/data/column"
	"gophe/phe/disk/filetest"
)

// oneHots is a declaration with two one-hot fields, and nothing missing.
func oneHots() Declaration {
	return Declaration{
		Name: "one-hot",
		Columns: []Field{{Name: "size", Kind: numeric}, {"area", oneHot, "A", 2}, {Name: "color"}, {"soil", oneHot, "S", 3},
			{Name: "class", Kind: label}}, Classes: []string{"1", "2"}, Incremental: "soil",
	}
}

const oneHotHeader = "size,area1,area2,color,soil1,soil2,soil3,class\n"

func TestParseOneHot(t *testing.T) {
	c := filetest.Must(parse(oneHots(), oneHotHeader+"4,1,0,?,0,0,1,2\n2,0,1,red,1,0,0,1\n1,1,0,red,0,1,0,1\n"))(t)
	want := []column.Categorical{
		{Name: "area", Values: []string{"A1", "A2", "A1"}}, {Name: "color", Values: []string{"?", "red", "red"}},
		{Name: "soil", Values: []string{"S3", "S1", "S2"}},
	}
	for i, items := range c.Items {
		filetest.Want(t, items.Name, want[i].Name, "the column %d", i)
		filetest.Want(t, items.Values, want[i].Values, "%s", items.Name)
	}
	filetest.Want(t, c.Incremental, 2, "the incremental column")
	filetest.Want(t, c.Labels, []int32{1, 0, 0}, "labels")
	filetest.Want(t, len(c.Numbers), 1, "columns of numbers")
	filetest.Want(t, c.Numbers[0].Values, []float64{4, 2, 1}, "size")
}

func TestParseOneHotRefuses(t *testing.T) {
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
			filetest.WantError(t, filetest.Failure(parse(oneHots(), oneHotHeader+row+c.row)), c.want...)
		})
	}
}

// TestParseBlocks checks that neither the end of a block nor an incomplete row leaves a trace in the columns or in the line of an error.
// Equal items are one string, because an item must not keep its line in memory.
func TestParseBlocks(t *testing.T) {
	for _, n := range []int{1, column.BlockRows - 1, column.BlockRows, column.BlockRows + 1, 2 * column.BlockRows, 2*column.BlockRows + 3} {
		var b strings.Builder
		b.WriteString(toyHeader)
		for i := range n {
			if i == 17 {
				b.WriteString("1,?,x,no\n")
			}
			fmt.Fprintf(&b, "%d,c%d,%04d,%s\n", i+1, i%3, i, []string{"no", "yes"}[i%2])
		}
		c := filetest.Must(parse(toy(), b.String()))(t)
		columns := [][2]int{{len(c.Labels), c.Rows}, {len(c.Numbers[0].Values), len(c.Items[0].Values)}, {len(c.Items[1].Values), n}}
		filetest.Want(t, columns, [][2]int{{n, n}, {n, n}, {n, n}}, "rows of the columns")
		for i := range n {
			number, color, code := c.Numbers[0].Values[i], c.Items[0].Values[i], c.Items[1].Values[i]
			if number != float64(i+1) || code != fmt.Sprintf("%04d", i) || color != fmt.Sprintf("c%d", i%3) || c.Labels[i] != int32(i%2) {
				t.Fatalf("%d rows: row %d is %v, %q, %q, %d", n, i, number, color, code, c.Labels[i])
			}
			if unsafe.StringData(color) != unsafe.StringData(c.Items[0].Values[i%3]) {
				t.Fatal("equal values have a string each")
			}
		}
		if n > 17 {
			_, err := parse(toy(), b.String()+"1,a,b,maybe\n")
			filetest.WantError(t, err, fmt.Sprintf("toy.csv:%d:7:", n+3))
		}
	}
}

// TestParseFirstRows checks that rows after the declared rows are not read.
func TestParseFirstRows(t *testing.T) {
	d := toy()
	d.FirstRows = 3
	for _, rest := range []string{"", "9,d,e,no\n", "not a row\n"} {
		c := filetest.Must(parse(d, toyHeader+"1,a,b,no\n?,a,b,no\n2,a,c,yes\n"+rest))(t)
		filetest.Want(t, c.Numbers[0].Values, []float64{1, 2}, "the numbers before %q", rest)
	}
	filetest.Want(t, filetest.Must(parse(d, toyHeader+"1,a,b,no\n"))(t).Rows, 1, "rows, fewer than declared")
	_, err := parse(d, toyHeader+"?,a,b,no\n?,a,b,no\n?,a,b,no\n1,a,b,no\n")
	filetest.WantError(t, err, "3 rows, every one of which lacks a value")
}
