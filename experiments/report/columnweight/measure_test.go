package columnweight

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	columns "gophe/data/column"
	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/experiments/rivals/onehot"
	"gophe/experiments/task"
	"gophe/phe/disk/filetest"
)

// column holds the weights of a categorical column. The paper does not say how the weights of its items become one number, so there
// are three of them. A weight of several classes is the largest of its absolute values.
type column struct {
	name    string
	items   int     // distinct items
	largest float64 // absolute weight of any item
	mean    float64 // absolute weight, each item once
	byRow   float64 // absolute weight, each row once: a rare item counts little
}

// study is a data set with the column that the paper chose.
type study struct {
	name    string // as the page says it
	dataset string // of package labelled
	without string // a column that is left out
	chosen  string // by the paper (Supp. G.3)
}

var studies = []study{
	{"Adult", "adult", "", "education"},
	{"Adult without education-num", "adult", "education-num", "education"},
	{"Bank", "bank", "", "poutcome"},
	{"Mushroom", "mushroom", "", "odor"},
	{"Covertype", "covertype-49999", "", "wilderness_area"},
}

// maxShown bounds the columns of a data set that the page shows. The paper's choice is bold and always shown.
const maxShown = 3

// The weights of the page are those of the fit. The large data sets take half a minute, so they are measured in the long tests.
func TestWeights(t *testing.T) {
	rows := pageRows(t, "searches.md", "data, column |")
	shown := 0
	for _, s := range studies {
		if s.dataset != "mushroom" && !filetest.Long() {
			continue
		}
		two := func(weight float64) string { return fmt.Sprintf("%.2f", weight) }
		for i, c := range measure(t, s.load(t)) {
			name := c.name
			if name == s.chosen {
				name = "**" + name + "**"
			} else if i >= maxShown {
				continue
			}
			shown++
			place := fmt.Sprintf("%s, %d. %s", s.name, i+1, name)
			wantRow(t, rows, []string{place, strconv.Itoa(c.items), two(c.largest), two(c.mean), two(c.byRow)}, 0.015)
		}
	}
	if filetest.Long() && shown != len(rows) || shown == 0 {
		t.Errorf("%d rows are measured, and the page has %d", shown, len(rows))
	}
}

// Adult says each education twice: as a word and as a number.
func TestEducationRepeatsItsNumber(t *testing.T) {
	table := filetest.Must(labelled.Load("adult", files.Options{}))(t)
	education := table.Categorical[table.Incremental]
	number := table.Numeric[slices.IndexFunc(table.Numeric, func(c columns.Numeric) bool { return c.Name == "education-num" })]
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
}

// load reads the study's table.
func (s study) load(t *testing.T) *labelled.Table {
	table := filetest.Must(labelled.Load(s.dataset, files.Options{}))(t)
	kept := task.Names(table.Categorical)
	for _, c := range table.Numeric {
		kept = append(kept, c.Name)
	}
	return filetest.Must(table.Select(slices.DeleteFunc(kept, func(name string) bool { return name == s.without })))(t)
}

// measure fits the regression to all rows of a table and returns its categorical columns, those with the largest weights first.
// The regression is the refitted regression of package onehot: it has a ridge penalty with C = 1, and numbers are standardised.
func measure(t *testing.T, table *labelled.Table) []column {
	all := make([]int32, table.NumRows())
	for i := range all {
		all[i] = int32(i)
	}
	d := task.Itemise(table)
	fit := onehot.NewRefitted(&onehot.Table{Items: len(d.Items), Columns: len(table.Categorical), Numbers: len(table.Numeric),
		Classes: len(table.Classes), Index: d.Index, X: onehot.Standardise(d.Numbers, len(table.Numeric), all), Labels: d.Labels}, 1)
	filetest.Check(t, fit.Learn(all))
	columns := make([]column, len(table.Categorical))
	for c, categorical := range table.Categorical {
		columns[c].name = categorical.Name
	}
	for item, c := range d.ItemColumns {
		weight := fit.Weight(item)
		columns[c].items++
		columns[c].largest = max(columns[c].largest, weight)
		columns[c].mean += weight
	}
	for cell, item := range d.Index {
		columns[cell%len(columns)].byRow += fit.Weight(int(item))
	}
	for c := range columns {
		columns[c].mean /= float64(columns[c].items)
		columns[c].byRow /= float64(table.NumRows())
	}
	slices.SortStableFunc(columns, func(a, b column) int { return cmp.Compare(b.largest, a.largest) })
	return columns
}
