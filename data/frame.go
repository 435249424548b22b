package data

import (
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Frame is rows [from, to), which must be there, as a gota DataFrame: the categorical columns as texts, the numeric ones, then
// the label's class.
// It is a copy, to look at and to group; models read the columns themselves.
func (t *Table) Frame(from, to int) dataframe.DataFrame {
	var columns []series.Series
	for _, c := range t.Categorical {
		columns = append(columns, series.New(c.Values[from:to], series.String, c.Name))
	}
	for _, c := range t.Numeric {
		columns = append(columns, series.New(c.Values[from:to], series.Float, c.Name))
	}
	classes := make([]string, to-from)
	for i, label := range t.Labels[from:to] {
		classes[i] = t.Classes[label]
	}
	return dataframe.New(append(columns, series.New(classes, series.String, "class"))...)
}

// Frame is rows [from, to) as a gota DataFrame: StockCode, CustomerID, Country, when it was sold (UTC), UnitPrice, Quantity.
func (s *Sales) Frame(from, to int) dataframe.DataFrame {
	var columns []series.Series
	for _, c := range s.Categorical {
		columns = append(columns, series.New(c.Values[from:to], series.String, c.Name))
	}
	when, quantities := make([]string, to-from), make([]int, to-from)
	for i := range when {
		when[i] = SalesStart.Add(time.Duration(s.Minutes[from+i]) * time.Minute).Format("2006-01-02 15:04")
		quantities[i] = int(s.Quantities[from+i])
	}
	return dataframe.New(append(columns,
		series.New(when, series.String, "InvoiceDate"),
		series.New(s.Prices[from:to], series.Float, "UnitPrice"),
		series.New(quantities, series.Int, "Quantity"))...)
}

// Frame is ratings [from, to) as a gota DataFrame: user, film, stars (0.5 to 5) and when they were given (UTC).
func (r *Ratings) Frame(from, to int) dataframe.DataFrame {
	n := to - from
	users, films, stars, when := make([]int, n), make([]int, n), make([]float64, n), make([]string, n)
	for i := range n {
		users[i] = int(r.UserIDs[r.Users[from+i]])
		films[i] = int(r.MovieIDs[r.Movies[from+i]])
		stars[i] = float64(r.HalfStars[from+i]) / 2
		when[i] = time.Unix(int64(r.Seconds[from+i]), 0).UTC().Format("2006-01-02 15:04:05")
	}
	return dataframe.New(series.New(users, series.Int, "userId"), series.New(films, series.Int, "movieId"),
		series.New(stars, series.Float, "rating"), series.New(when, series.String, "time"))
}
