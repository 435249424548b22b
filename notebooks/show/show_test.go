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

func TestSize(t *testing.T) {
	for value, want := range map[string]string{"": sizeQuick, "quick": sizeQuick, "full": sizeFull, "look": sizeLook} {
		if got, err := size(value); err != nil || got != want {
			t.Errorf("%q: %q, %v", value, got, err)
		}
	}
	fixture.WantError(t, fixture.Failure(size("fast")), "quick, full or look")
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
