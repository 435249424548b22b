package show

import (
	"strings"
	"testing"

	"gophe/experiments/fixture"
	"gophe/experiments/report"
	"gophe/experiments/spec"
	"gophe/phe/filetest"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

func TestTable(t *testing.T) {
	df := dataframe.New(series.New([]string{"<NA>", "a & b"}, series.String, "item"), series.New([]any{0.125, nil}, series.Float, "score"))
	page := table(df)
	fixture.WantText(t, page, "<th>item</th><th>score</th>", ">&lt;NA&gt;<", ">a &amp; b<", `right">0.1250<`, `right">–<`)
	if strings.Contains(page, "are shown") {
		t.Error("a table of two rows is said to be cut")
	}
}

func TestTableIsCut(t *testing.T) {
	page := table(dataframe.New(series.New(make([]int, maxRows+1), series.Int, "n")))
	if rows := strings.Count(page, "<tr>") - 1; rows != maxRows {
		t.Errorf("%d rows, want %d", rows, maxRows)
	}
	if !strings.Contains(page, "41 rows, of which the first 40 are shown") {
		t.Error("the cut is not told")
	}
}

// Numbers that do not exist stay apart from 0, and texts stay texts.
func TestCells(t *testing.T) {
	value := 84.25
	df := Cells([]report.Cell{{Item: "007", Dataset: "NA", Measured: &value, Seeds: 5}, {Item: "Table 1", Paper: &value}})
	filetest.Check(t, df.Error())
	if got := df.Col("measured"); got.Elem(0).Float() != value || !got.Elem(1).IsNA() {
		t.Errorf("measured is %v", got)
	}
	if item, dataset := df.Col("item").Elem(0).String(), df.Col("dataset").Elem(0).String(); item != "007" || dataset != "NA" {
		t.Errorf("item %q, data set %q", item, dataset)
	}
	if seeds, err := df.Col("seeds").Int(); err != nil || seeds[0] != 5 || seeds[1] != 0 {
		t.Errorf("seeds %v, %v", seeds, err)
	}
}

func TestSize(t *testing.T) {
	for value, want := range map[string]string{"": sizeQuick, "quick": sizeQuick, "full": sizeFull, "look": sizeLook} {
		if got, err := size(value); err != nil || got != want {
			t.Errorf("%q: %q, %v", value, got, err)
		}
	}
	filetest.WantError(t, fixture.Failure(size("fast")), "quick, full or look")
}

// A look is smaller than the quick size, which is smaller than the paper's; each has a name of its own.
func TestSpecSizes(t *testing.T) {
	work := map[string]int{}
	for _, size := range []string{sizeFull, sizeQuick, sizeLook} {
		t.Setenv(sizeVariable, size)
		spec := Spec("adult-online", func(s *spec.Spec) { s.Protocol.MaxChunks, s.Seeds = 100, s.Seeds[:2] })
		steps := spec.Protocol.MaxChunks
		if steps == 0 {
			steps = 317 // all of Adult's
		}
		work[size] = len(spec.Seeds) * (spec.Protocol.InitialEpochs + steps)
		if name := map[string]string{sizeFull: "adult-online", sizeQuick: "adult-online-quick", sizeLook: "adult-online-look"}[size]; spec.Name != name {
			t.Errorf("%s: the name is %s", size, spec.Name)
		}
	}
	if !(work[sizeLook] < work[sizeQuick] && work[sizeQuick] < work[sizeFull]) {
		t.Errorf("work %v", work)
	}
}

// Quick size takes the first rows, and full size all.
func TestQuick(t *testing.T) {
	df := dataframe.New(series.New([]int{5, 6, 7}, series.Int, "n"))
	for size, want := range map[string]int{"": 2, "look": 2, "full": 3} {
		t.Setenv(sizeVariable, size)
		if got := Quick(2, df); got.Nrow() != want || got.Elem(1, 0).String() != "6" {
			t.Errorf("in size %q there are %d rows: %v", size, got.Nrow(), got)
		}
	}
	if got := First(9, df).Nrow(); got != 3 {
		t.Errorf("the first nine of three rows are %d", got)
	}
}
