package show

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/experiments/result/fixture"
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
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
	filetest.WantError(t, filetest.Failure(isFull("fast")), "quick or full")
}

// A later cell finds the value that an earlier cell kept.
func TestKeep(t *testing.T) {
	t.Setenv("GONB_DIR", filepath.Join(t.TempDir(), "notebooks"))
	want := map[string][]float64{"a": {1, 2}, "b": nil}
	Keep("trace", want)
	if got := Kept[map[string][]float64]("trace"); !reflect.DeepEqual(got, want) {
		t.Errorf("kept %v, got %v", want, got)
	}
}

// A table has the types of its cells.
func TestRows(t *testing.T) {
	l := NewRows("pull", "rows", "mean")
	l.Add("mackay", 3, 0.5)
	l.Add("plug-in", 1200, math.NaN())
	page := table(l.Frame())
	fixture.WantText(t, page, "<th>pull</th><th>rows</th><th>mean</th>", `left">mackay<`, `right">3<`, `right">0.5000<`, `right">1200<`, `right">–<`)
}
