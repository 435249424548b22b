package show

import (
	"fmt"
	"math"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Columns returns a DataFrame from names and lists in turn, such as Columns("item", []string{"a"}, "rows", []int{3}). It ends the
// cell if an argument is neither.
func Columns(namesAndLists ...any) dataframe.DataFrame {
	var columns []series.Series
	for i := 0; i+1 < len(namesAndLists); i += 2 {
		name, ok := namesAndLists[i].(string)
		if !ok {
			Check(fmt.Errorf("column %d has the name %v; give a text", i/2+1, namesAndLists[i]))
		}
		kind := series.Float
		switch list := namesAndLists[i+1].(type) {
		case []string:
			kind = series.String
		case []int:
			kind = series.Int
		case []float64:
		default:
			Check(fmt.Errorf("column %s is a %T; give a list of texts, whole numbers or numbers", name, list))
		}
		columns = append(columns, series.New(namesAndLists[i+1], kind, name))
	}
	df := dataframe.New(columns...)
	Check(df.Error())
	return df
}

// Value returns a number that may not exist, such as the deviation of a single seed. It is then not a number, which Table shows as a dash.
func Value(number *float64) float64 {
	if number == nil {
		return math.NaN()
	}
	return *number
}

// Floats returns numbers as float64, for gonum's statistics.
func Floats[T int | int32 | float32](numbers []T) []float64 {
	list := make([]float64, len(numbers))
	for i, n := range numbers {
		list[i] = float64(n)
	}
	return list
}
