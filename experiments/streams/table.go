// Package streams runs models over real streams whose vocabularies grow, row by row: predict, score, learn. Nothing is
// standardised by the future, and every model has one setting for all streams.
package streams

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/phe/onepass"
)

// Table is a stream in memory, in the order of time.
type Table struct {
	Name    string
	Columns []Column
	Target  []float64
	Head    onepass.Head // Bernoulli, Gaussian or Softmax
	Classes int          // of Softmax
	SHA256  string       // of the file that it was made from
}

// Column is one column: items by their numbers in Values, or numbers.
type Column struct {
	Name    string
	Values  []string
	Items   []int32   // [rows] index into Values; nil of a column of numbers
	Numbers []float64 // [rows]
}

// NumRows returns the number of rows.
func (t *Table) NumRows() int { return len(t.Target) }

// Names returns the names of the columns.
func (t *Table) Names() (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// Encode gives a row to an encoder.
func (t *Table) Encode(e *onepass.Encoder, row int) *onepass.Row {
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Items != nil {
			e.Item(i, c.Values[c.Items[row]])
		} else {
			e.Number(i, c.Numbers[row])
		}
	}
	return e.Row()
}

// items makes a column of n rows from what value returns for each.
func items(name string, n int, value func(row int) string) Column {
	c := Column{Name: name, Items: make([]int32, n)}
	numbers := map[string]int32{}
	for row := range n {
		v := value(row)
		i, ok := numbers[v]
		if !ok {
			i = int32(len(c.Values))
			numbers[v] = i
			c.Values = append(c.Values, v)
		}
		c.Items[row] = i
	}
	return c
}

func whole[N int | int16 | int32](v N) string { return strconv.Itoa(int(v)) }

// Names lists the streams that Load makes.
func Names() []string {
	return []string{"retail_12", "ml_4", "ml_reg", "retail_qty", "ml50k_4", "ml_classes", "retail_classes", "adult", "bank", "mushroom", "covertype"}
}

// Load makes a stream from gophe's data. Names lists them:
//
//   - retail_12: will a line of Online Retail sell 12 pieces or more? From StockCode, CustomerID, Country, hour, weekday and
//     UnitPrice; retail_qty: log₂ of the quantity; retail_classes: 1, 2–3, 4–7, 8–15, 16 or more pieces.
//   - ml_4: will a rating of MovieLens be 4 stars or more? From user, film, the film's genres and its year; ml_reg: the
//     stars; ml_classes: up to 2, 3, 4, and 5 stars; ml50k_4: ml_4 of the authors' sample.
//   - adult, bank, mushroom, covertype: the study's tables in the order of the file, with all columns. Their vocabularies are
//     small and do not grow, so that they show what the preset costs where it is not needed.
func Load(name string) (*Table, error) {
	switch name {
	case "retail_12", "retail_qty", "retail_classes":
		return loadRetail(name)
	case "ml_4", "ml_reg", "ml_classes":
		return loadFilms(name, "ml-latest-small")
	case "ml50k_4":
		return loadFilms(name, "movielens-50k")
	case "adult", "bank", "mushroom", "covertype":
		return loadStudy(name)
	}
	return nil, errors.Errorf("unknown stream %q; choose one of %v", name, Names())
}

func loadFilms(name, set string) (*Table, error) {
	r, err := data.LoadRatings(set, data.Options{})
	if err != nil {
		return nil, err
	}
	n := r.NumRows()
	t := &Table{Name: name, SHA256: r.SHA256, Target: make([]float64, n), Head: onepass.Bernoulli, Columns: []Column{
		items("user", n, func(row int) string { return whole(r.UserIDs[r.Users[row]]) }),
		items("film", n, func(row int) string { return whole(r.MovieIDs[r.Movies[row]]) }),
		items("genres", n, func(row int) string { return fmt.Sprint(r.Genres[r.Movies[row]]) }),
		items("year", n, func(row int) string {
			if year := r.Years[r.Movies[row]]; year > 0 {
				return whole(year)
			}
			return "?"
		}),
	}}
	for row, half := range r.HalfStars {
		switch name {
		case "ml_reg":
			t.Head, t.Target[row] = onepass.Gaussian, float64(half)/2
		case "ml_classes":
			t.Head, t.Classes, t.Target[row] = onepass.Softmax, 4, float64(max(0, int(half+1)/2-2))
		default:
			if half >= 8 {
				t.Target[row] = 1
			}
		}
	}
	return t, nil
}

// retailInTime returns the sales' rows in the order of time, those of a minute in the order of the file.
func retailInTime(s *data.Sales) []int32 {
	order := make([]int32, s.NumRows())
	for row := range order {
		order[row] = int32(row)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if d := int(s.Minutes[a]) - int(s.Minutes[b]); d != 0 {
			return d
		}
		return int(s.Places[a]) - int(s.Places[b])
	})
	return order
}

// perMaximum is what a number of the study's tables is multiplied by, since they hold shares of the column's maximum.
const perMaximum = 1000

func loadStudy(name string) (*Table, error) {
	d, err := data.Load(name, data.Options{})
	if err != nil {
		return nil, err
	}
	n := d.NumRows()
	t := &Table{Name: name, SHA256: d.SHA256, Target: make([]float64, n), Head: onepass.Bernoulli}
	if len(d.Classes) > 2 {
		t.Head, t.Classes = onepass.Softmax, len(d.Classes)
	}
	for _, c := range d.Categorical {
		t.Columns = append(t.Columns, items(c.Name, n, func(row int) string { return c.Values[row] }))
	}
	for _, c := range d.Numeric {
		numbers := make([]float64, n)
		for row, v := range c.Values {
			numbers[row] = perMaximum * v
		}
		t.Columns = append(t.Columns, Column{Name: c.Name, Numbers: numbers})
	}
	for row, label := range d.Labels {
		t.Target[row] = float64(label)
	}
	return t, nil
}
