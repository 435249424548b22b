package show

import (
	"strings"
	"testing"

	"gophe/experiments/fixture"
	"gophe/experiments/spec"

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

func TestFirst(t *testing.T) {
	df := dataframe.New(series.New([]int{5, 6, 7}, series.Int, "n"))
	if got := First(2, df); got.Nrow() != 2 || got.Elem(1, 0).String() != "6" {
		t.Errorf("the first two of three rows are %v", got)
	}
	if got := First(9, df).Nrow(); got != 3 {
		t.Errorf("the first nine of three rows are %d", got)
	}
}

// The quick size is smaller than the paper's, and has a name of its own.
func TestSizes(t *testing.T) {
	for value, name := range map[string]string{"": "adult-online-quick", "quick": "adult-online-quick", "full": "adult-online"} {
		t.Setenv(sizeVariable, value)
		spec := Spec("adult-online", func(s *spec.Spec) { s.Protocol.MaxChunks = 100 })
		if spec.Name != name || (spec.Protocol.MaxChunks == 100) == Full() {
			t.Errorf("%q: %s has %d chunks at most", value, spec.Name, spec.Protocol.MaxChunks)
		}
	}
	fixture.WantError(t, fixture.Failure(isFull("fast")), "quick or full")
}
