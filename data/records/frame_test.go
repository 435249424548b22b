package records

import (
	"fmt"
	"io"
	"log"
	"math"
	"slices"
	"strings"
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

// Columns go by name, and floats are written as their columns are read.
func TestFrameColumns(t *testing.T) {
	df := dataframe.New(series.New([]int{1}, series.Int, "city"), series.New([]int{2}, series.Int, "more"),
		series.New([]int{3}, series.Int, "y"))
	if got, err := filetest.Must(OfFrame(df, "y", "city"))(t).Read(); err != nil || !slices.Equal(got, []string{"3", "1"}) {
		t.Errorf("%q, %v", got, err)
	}
	f := filetest.Must(OfFrame(dataframe.New(series.New([]float64{1.234}, series.Float, "a"),
		series.New([]float64{1.234}, series.Float, "b"))))(t)
	f.Typed([]string{"b"})
	if got, err := f.Read(); err != nil || !slices.Equal(got, []string{"1.234", "1,234"}) {
		t.Errorf("%q, %v", got, err)
	}
	_, err := OfFrame(df, "y", "City")
	filetest.WantError(t, err, `no column "City"`, `"city"`)
}

// gota makes one id of two that are neighbours, unless it reads them as text.
func ExampleOfFrame() {
	const orders = "order,paid\n18446744073709551614,yes\n18446744073709551615,no\n"
	for _, o := range [][]dataframe.LoadOption{nil, {dataframe.WithTypes(map[string]series.Type{"order": series.String})}} {
		f, err := OfFrame(dataframe.ReadCSV(strings.NewReader(orders), o...))
		if err != nil {
			log.Fatal(err)
		}
		for record, err := f.Read(); err == nil; record, err = f.Read() {
			fmt.Println(record)
		}
	}
	// Output:
	// [1.8446744073709552e+19 yes]
	// [1.8446744073709552e+19 no]
	// [18446744073709551614 yes]
	// [18446744073709551615 no]
}
