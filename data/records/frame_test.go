package records

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/phe/disk/filetest"
)

func TestFrame(t *testing.T) {
	df := dataframe.New(series.New([]string{"01234", "", "7"}, series.String, "code"), series.New([]float64{0.1234567891, math.NaN(), 3}, series.Float, "price"),
		series.New([]int{12, 0, -3}, series.Int, "pieces"), series.New([]bool{true, false, true}, series.Bool, "paid"))
	f := filetest.Must(OfFrame(df))(t)
	if want := []string{"code", "price", "pieces", "paid"}; !slices.Equal(f.Columns(), want) {
		t.Errorf("columns %q, want %q", f.Columns(), want)
	}
	for i, want := range [][]string{{"01234", "0.1234567891", "12", "true"}, {"", "", "0", "false"}, {"7", "3", "-3", "true"}} {
		got, err := f.Read()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("row %d is %q, %v; want %q", i, got, err, want)
		}
	}
	if _, err := f.Read(); err != io.EOF {
		t.Errorf("after the last row: %v, want io.EOF", err)
	}
}

func TestFrameRefusesAnError(t *testing.T) {
	df := dataframe.New(series.New([]int{1}, series.Int, "a")).Select("b")
	if _, err := OfFrame(df); err == nil {
		t.Error("a DataFrame that is an error was taken for a table")
	}
}
