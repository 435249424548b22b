package picture

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"gophe/data/ratings"
	"gophe/experiments/rivals/linear"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
)

// visitor is a new user who rates some films, and asks for forecasts of others. A user with vector u gives film m the stars
// b_m + x_m·u + noise. The belief about u begins as N(0, I), and given the films its posterior is exact.
type visitor struct {
	asked, others []film
	noise         float64 // variance of a rating given the user and the film
}

// film is a film with its b and its x.
type film struct {
	name     string
	mean     float64
	features []float64
}

const (
	candidates = 60    // most rated films, among which newVisitor chooses
	generosity = 0.5   // prior standard deviation of a user's mean, in stars
	genreTaste = 0.3   // and of a user's taste for a film's genres
	ninety     = 1.645 // half the width of an interval that holds nine in ten, in standard deviations
)

// Visitor returns the picture of a new user in the reader's hand, and its controls: a slider for each film that is asked. The picture
// shows the forecasts of other films before and after the reader's stars: intervals that hold the user's mean stars with nine chances in
// ten. A film without a title is called by its number and genres.
func Visitor(r *ratings.Ratings, titles map[int32]string, asked, others int) (picture func(at play.Position) *draw.Figure, films []play.Control) {
	v := newVisitor(r, titles, asked, others)
	begin := map[int]float64{0: 5, 1: 1} // stars of the first films, and 0 for no rating
	for i, f := range v.asked {
		films = append(films, play.Slider(f.name, 0, 5, 1, begin[i]))
	}
	return v.draw, films
}

// newVisitor picks films that many users rated. The films that tell most about a user are asked, and the most rated of the others are
// forecast.
func newVisitor(r *ratings.Ratings, titles map[int32]string, asked, others int) *visitor {
	counts, order := make([]float64, len(r.MovieIDs)), make([]int, len(r.MovieIDs))
	v, all := &visitor{}, make([]film, len(r.MovieIDs))
	for row, i := range r.Movies {
		counts[i]++
		all[i].mean += float64(r.HalfStars[row]) / 2
	}
	for i := range all {
		order[i], all[i] = i, film{filmName(r, i, titles), all[i].mean / counts[i], featuresOf(r.Genres[i])}
	}
	for row, i := range r.Movies {
		deviation := float64(r.HalfStars[row])/2 - all[i].mean
		v.noise += deviation*deviation - floats.Dot(all[i].features, all[i].features) // what users do not explain
	}
	v.noise /= float64(r.NumRows())
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	for _, i := range order[:min(candidates, len(order))] {
		v.others = append(v.others, all[i])
	}
	for range min(asked, len(v.others)) {
		// The covariance depends on the films that were rated, not on the stars.
		best := maxUncertain(v.others, v.posterior(v.asked, make([]float64, len(v.asked))))
		v.asked = append(v.asked, v.others[best])
		v.others = slices.Delete(v.others, best, best+1)
	}
	v.others = v.others[:min(others, len(v.others))]
	return v
}

// featuresOf returns a film's x: a number for the user's mean, and one for each genre. Films of many genres are no more divisive.
func featuresOf(genres uint32) []float64 {
	x := make([]float64, 1+len(ratings.Genres()))
	x[0] = generosity
	for g := range ratings.Genres() {
		if genres&(1<<g) != 0 {
			x[1+g] = genreTaste / math.Sqrt(float64(bits.OnesCount32(genres)))
		}
	}
	return x
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
func (v *visitor) posterior(films []film, deviations []float64) taste {
	user := show.Must(linear.NewGaussian(1+len(ratings.Genres()), 1, v.noise))
	for i, f := range films {
		user.Update(f.features, deviations[i])
	}
	mean, covariance, err := user.Posterior()
	show.Check(err)
	return taste{mean, covariance}
}

// expected returns the mean and the standard deviation of the belief about a user's mean stars for a film.
func (t taste) expected(f film) (mean, sd float64) {
	x := mat.NewVecDense(len(f.features), f.features)
	return f.mean + mat.Dot(x, t.mean), math.Sqrt(mat.Inner(x, t.covariance, x))
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

func (v *visitor) draw(at play.Position) *draw.Figure {
	var rated, left []film
	var deviations []float64
	for _, f := range v.asked {
		if stars := at.Number(f.name); stars > 0 {
			rated, deviations = append(rated, f), append(deviations, stars-f.mean)
		} else {
			left = append(left, f)
		}
	}
	before, after := v.posterior(nil, nil), v.posterior(rated, deviations)
	var first, last float64
	names := make([]string, len(v.others))
	c := draw.New("Stars", "").X(0.5, 5.5)
	for _, of := range []struct {
		name  string
		taste taste
		up    float64
		look  draw.Option
		sum   *float64
	}{{"before any rating", before, 0.15, draw.Faint(), &first}, {"after yours", after, -0.15, draw.Method("PHE"), &last}} {
		var low, means, high []float64
		for i, f := range v.others {
			mean, sd := of.taste.expected(f)
			names[i], low, means, high = f.name, append(low, mean-ninety*sd), append(means, mean), append(high, mean+ninety*sd)
			*of.sum += sd / float64(len(v.others))
		}
		c.Intervals(of.name, low, means, high, of.up, of.look)
	}
	says := fmt.Sprintf("%d of %d films rated. The mean spread of these forecasts is %s stars, and was %s. A rating scatters by %s more.",
		len(rated), len(v.asked), draw.Number(last), draw.Number(first), draw.Number(math.Sqrt(v.noise)))
	if len(left) > 0 {
		says += fmt.Sprintf(" A rating of “%s” would tell most.", left[maxUncertain(left, after)].name)
	}
	return c.NamesY(names...).Size(15*vg.Centimeter, 8*vg.Centimeter).Figure(says)
}
