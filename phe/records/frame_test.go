package records

import (
	"fmt"
	"io"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/phe/disk/filetest"
)

func TestFrame(t *testing.T) {
	df := dataframe.New(series.New([]string{"01234", "", "7"}, series.String, "code"),
		series.New([]float64{0.1234567891, math.NaN(), 3}, series.Float, "price"),
		series.New([]int{12, 0, -3}, series.Int, "pieces"), series.New([]bool{true, false, true}, series.Bool, "paid"))
	f := filetest.Must(OfFrame(df))(t)
	filetest.Want(t, f.Columns(), []string{"code", "price", "pieces", "paid"}, "columns")
	for i, want := range [][]string{{"01234", "0.1234567891", "12", "true"}, {"", "", "0", "false"}, {"7", "3", "-3", "true"}} {
		filetest.Want(t, filetest.Must(f.Read())(t), want, "row %d", i)
	}
	filetest.Want(t, filetest.Failure(f.Read()), io.EOF, "after the last row")
}

// Columns go by name, and floats are written as their columns are read.
func TestFrameColumns(t *testing.T) {
	df := dataframe.New(series.New([]int{1}, series.Int, "city"), series.New([]int{2}, series.Int, "more"),
		series.New([]int{3}, series.Int, "y"))
	filetest.Want(t, filetest.Must(filetest.Must(OfFrame(df, "y", "city"))(t).Read())(t), []string{"3", "1"}, "the columns by name")
	f := filetest.Must(OfFrame(dataframe.New(series.New([]float64{1.234}, series.Float, "a"),
		series.New([]float64{1.234}, series.Float, "b"))))(t)
	f.Typed([]string{"b"})
	filetest.Want(t, filetest.Must(f.Read())(t), []string{"1.234", "1,234"}, "floats of two columns")
	filetest.WantError(t, filetest.Failure(OfFrame(df, "y", "City")), `no column "City"`, `"city"`)
	filetest.WantError(t, filetest.Failure(OfFrame(df.Select("b"))), "this DataFrame is an error, not a table")
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
