package picture

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"gophe/data/ratings"
	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/phe/belief"
)

// Arriving draws the number of users, and of users and films, seen so far along the ratings. rows is the size of a table that stays.
func Arriving(r *ratings.Ratings, rows int) *figures.Figure {
	const points = 80
	var x, users, both []float64
	lastUser, lastFilm := int32(0), int32(0) // both are numbered in the order of their first rating
	for row := range r.NumRows() {
		lastUser, lastFilm = max(lastUser, r.Users[row]), max(lastFilm, r.Movies[row])
		if row%max(1, r.NumRows()/points) == 0 {
			x, users, both = append(x, float64(row)), append(users, float64(lastUser+1)), append(both, float64(lastUser+lastFilm+2))
		}
	}
	return draw.New("Ratings", "Seen so far").Line("users and films", x, both, draw.Method("P-EE")).Line("users", x, users, draw.Method("SlowAda")).
		Level("rows of PHE's table", float64(rows), 0, x[len(x)-1], draw.Method("PHE")).
		Size(13*vg.Centimeter, 5.5*vg.Centimeter).Figure("")
}

// Visitor is a new user who rates some films, and asks for forecasts of others.
type Visitor struct {
	Asked, Others []film
	Noise         float64 // variance of a rating given the user and the film
}

// film is a film with its numbers in Tastes.
type film struct {
	Name     string
	Mean     float64
	Features []float64
}

// candidates is the number of most rated films among which NewVisitor chooses.
const candidates = 60

// NewVisitor picks films that many users rated. The films that tell most about a user are asked, and the most rated of the others are
// forecast. A film without a title is called by its number and genres.
func NewVisitor(t *Tastes, r *ratings.Ratings, titles map[int32]string, asked, others int) *Visitor {
	counts, order := make([]int, len(r.MovieIDs)), make([]int, len(r.MovieIDs))
	for _, film := range r.Movies {
		counts[film]++
	}
	for film := range order {
		order[film] = film
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	v := &Visitor{Noise: t.Noise}
	for _, i := range order[:min(candidates, len(order))] {
		v.Others = append(v.Others, film{filmName(r, i, titles), t.Mean[i], t.Features[i]})
	}
	for range min(asked, len(v.Others)) {
		// The covariance depends on the films that were rated, not on the stars.
		best := maxUncertain(v.Others, v.posterior(v.Asked, make([]float64, len(v.Asked))))
		v.Asked = append(v.Asked, v.Others[best])
		v.Others = slices.Delete(v.Others, best, best+1)
	}
	v.Others = v.Others[:min(others, len(v.Others))]
	return v
}

// filmName returns a film's title, or its number and at most two genres, cut to the room next to a picture.
func filmName(r *ratings.Ratings, film int, titles map[int32]string) string {
	const most = 30 // letters
	name, ok := titles[r.MovieIDs[film]]
	if !ok {
		var genres []string
		for left := r.Genres[film]; left != 0 && len(genres) < 2; left &= left - 1 {
			genres = append(genres, ratings.Genres()[bits.TrailingZeros32(left)])
		}
		name = fmt.Sprintf("Film %d, %s", r.MovieIDs[film], strings.Join(genres, ", "))
	}
	if letters := []rune(name); len(letters) > most {
		name = string(letters[:most-1]) + "…"
	}
	return name
}

// taste is the belief about a user: u ~ N(mean, covariance).
type taste struct {
	mean       *mat.VecDense
	covariance *mat.SymDense
}

// posterior conditions N(0, I) on a user's ratings of films. deviations are the stars less the films' means.
func (v *Visitor) posterior(films []film, deviations []float64) taste {
	user := newUser(slices.Concat(v.Asked, v.Others)[0].Features, v.Noise)
	for i, f := range films {
		user.Update(f.Features, deviations[i])
	}
	return tasteOf(user)
}

// tasteOf returns the belief about a user.
func tasteOf(user *belief.LinearGaussian) taste {
	mean, covariance, err := user.Posterior()
	show.Check(err)
	return taste{mean, covariance}
}

// expected returns the mean and the standard deviation of the belief about a user's mean stars for a film.
func (t taste) expected(f film) (mean, sd float64) {
	x := mat.NewVecDense(len(f.Features), f.Features)
	return f.Mean + mat.Dot(x, t.mean), math.Sqrt(mat.Inner(x, t.covariance, x))
}

// maxUncertain returns the film about which a user's rating would tell most.
func maxUncertain(films []film, t taste) (best int) {
	most := -1.0
	for i, f := range films {
		if _, sd := t.expected(f); sd > most {
			best, most = i, sd
		}
	}
	return best
}

// Draw shows the forecasts of other films before and after the stars of a position: intervals that hold the user's mean stars with
// nine chances in ten.
func (v *Visitor) Draw(at play.Position) *figures.Figure {
	var rated, left []film
	var deviations []float64
	for _, f := range v.Asked {
		if stars := at.Number(f.Name); stars > 0 {
			rated, deviations = append(rated, f), append(deviations, stars-f.Mean)
		} else {
			left = append(left, f)
		}
	}
	before, after := v.posterior(nil, nil), v.posterior(rated, deviations)
	var first, last float64
	names := make([]string, len(v.Others))
	c := draw.New("Stars", "").X(0.5, 5.5)
	for _, of := range []struct {
		name  string
		taste taste
		up    float64
		look  draw.Option
		sum   *float64
	}{{"before any rating", before, 0.15, draw.Faint(), &first}, {"after yours", after, -0.15, draw.Method("PHE"), &last}} {
		var means, reach []float64
		for i, f := range v.Others {
			mean, sd := of.taste.expected(f)
			names[i], means, reach = f.Name, append(means, mean), append(reach, ninety*sd)
			*of.sum += sd / float64(len(v.Others))
		}
		intervals(c, of.name, means, reach, of.up, of.look)
	}
	says := fmt.Sprintf("%d of %d films rated. The mean spread of these forecasts is %s stars, and was %s. A rating scatters by %s more.",
		len(rated), len(v.Asked), figures.Number(last), figures.Number(first), figures.Number(math.Sqrt(v.Noise)))
	if len(left) > 0 {
		says += fmt.Sprintf(" A rating of “%s” would tell most.", left[maxUncertain(left, after)].Name)
	}
	return c.NamesY(names...).Size(15*vg.Centimeter, 8*vg.Centimeter).Figure(says)
}
