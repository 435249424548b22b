package ratings

import (
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Frame returns a copy of ratings [from, to) as a gota DataFrame: user, film, stars (0.5 to 5) and time (UTC).
func (r *Ratings) Frame(from, to int) dataframe.DataFrame {
	n := to - from
	users, films, stars, when := make([]int, n), make([]int, n), make([]float64, n), make([]string, n)
	for i := range n {
		users[i] = int(r.UserIDs[r.Users[from+i]])
		films[i] = int(r.MovieIDs[r.Movies[from+i]])
		stars[i] = float64(r.HalfStars[from+i]) / 2
		when[i] = time.Unix(int64(r.Seconds[from+i]), 0).UTC().Format(time.DateTime)
	}
	return dataframe.New(series.New(users, series.Int, "userId"), series.New(films, series.Int, "movieId"),
		series.New(stars, series.Float, "rating"), series.New(when, series.String, "time"))
}
