package picture

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"gophe/data/ratings"
	"gophe/notebooks/show"
	"gophe/phe/belief"
)

// Tastes is a linear recommender: a user with vector u gives film m the stars b_m + x_m·u + noise. Films are numbers, and u is a belief
// that begins as N(0, I). Given the films, a user's ratings have an exact posterior.
type Tastes struct {
	Mean     []float64   // b of each film, in stars
	Features [][]float64 // x of each film
	Noise    float64     // variance of a rating given the user and the film
}

// filmVariance is the prior variance of a film's numbers around the mean film's. Films with few ratings stay near the mean film.
const filmVariance = 0.1

// FitTastes learns films from the ratings that keep accepts, by expectation and maximisation: users' exact posteriors given the films,
// then the best films given the posteriors. It returns the films of the last round.
func FitTastes(r *ratings.Ratings, keep func(row int) bool, dim, rounds int) *Tastes {
	f := newFit(r, keep, dim)
	for range rounds {
		f.users()
		f.films()
	}
	return f.tastes
}

// newUser returns the belief about a user without ratings, from films of as many features as one has.
func newUser(features []float64, noise float64) *belief.LinearGaussian {
	return show.Must(belief.NewLinearGaussian(len(features), 1, noise))
}

// fit is the state of FitTastes.
type fit struct {
	tastes         *Tastes
	byUser, byFilm [][]rating
	centre         []float64   // b and x of the mean film
	mean           [][]float64 // posterior mean of each user
	second         [][]float64 // posterior second moment of each user [dim, dim]
	dim            int
}

// rating is a rating by its other side: the film of a user's rating, the user of a film's.
type rating struct {
	other int32
	stars float64
}

func newFit(r *ratings.Ratings, keep func(row int) bool, dim int) *fit {
	f := &fit{tastes: &Tastes{Noise: 1, Mean: make([]float64, len(r.MovieIDs)), Features: make([][]float64, len(r.MovieIDs))},
		byUser: make([][]rating, len(r.UserIDs)), byFilm: make([][]rating, len(r.MovieIDs)), centre: make([]float64, 1+dim), dim: dim,
		mean: make([][]float64, len(r.UserIDs)), second: make([][]float64, len(r.UserIDs))}
	sum, rows := 0.0, 0.0
	for row := range r.NumRows() {
		if !keep(row) {
			continue
		}
		user, film, stars := r.Users[row], r.Movies[row], float64(r.HalfStars[row])/2
		f.byUser[user] = append(f.byUser[user], rating{film, stars})
		f.byFilm[film] = append(f.byFilm[film], rating{user, stars})
		sum, rows = sum+stars, rows+1
	}
	f.centre[0], f.centre[1] = sum/rows, 0.5 // users differ in their mean, by half a star
	for film := range f.tastes.Features {
		f.tastes.Mean[film] = f.centre[0]
		x := append([]float64(nil), f.centre[1:]...)
		for k := 1; k < dim; k++ { // equal films would stay equal
			x[k] = 0.3 * float64((film*(2*k+1)+film/7*k)%11-5) / 5
		}
		f.tastes.Features[film] = x
	}
	return f
}

// users computes each user's posterior given the films.
func (f *fit) users() {
	for user, list := range f.byUser {
		p := newRegression(make([]float64, f.dim), 1)
		for _, r := range list {
			x := f.tastes.Features[r.other]
			p.add(x, outer(x), r.stars-f.tastes.Mean[r.other], f.tastes.Noise)
		}
		f.mean[user], f.second[user] = p.moments()
	}
}

// films finds the most probable numbers of each film given the users. The mean film and the noise follow.
func (f *fit) films() {
	sum, films, square, rows := make([]float64, 1+f.dim), 0.0, 0.0, 0.0
	for film, list := range f.byFilm {
		p := newRegression(f.centre, filmVariance)
		for _, r := range list {
			p.add(append([]float64{1}, f.mean[r.other]...), f.withOne(r.other), r.stars, f.tastes.Noise)
		}
		numbers, _ := p.moments()
		f.tastes.Mean[film], f.tastes.Features[film] = numbers[0], numbers[1:]
		for _, r := range list {
			square += f.miss(film, r)
		}
		rows += float64(len(list))
		if len(list) > 0 {
			floats.Add(sum, numbers)
			films++
		}
	}
	floats.ScaleTo(f.centre, 1/films, sum)
	f.tastes.Noise = square / rows
}

// withOne returns the second moment of (1, u) of a user.
func (f *fit) withOne(user int32) []float64 {
	n := 1 + f.dim
	out := make([]float64, n*n)
	out[0] = 1
	for i, m := range f.mean[user] {
		out[1+i], out[(1+i)*n] = m, m
		copy(out[(1+i)*n+1:], f.second[user][i*f.dim:][:f.dim])
	}
	return out
}

// miss returns the expected squared error of a film's rating.
func (f *fit) miss(film int, r rating) float64 {
	x, m := f.tastes.Features[film], f.mean[r.other]
	expected := floats.Dot(x, m)
	e := r.stars - f.tastes.Mean[film] - expected
	square := e*e - expected*expected
	for i := range x {
		square += x[i] * floats.Dot(x, f.second[r.other][i*f.dim:][:f.dim])
	}
	return square
}

// regression is a belief about the coefficients of a linear regression: their precision Λ, row by row, and Λμ.
type regression struct{ precision, information []float64 }

func newRegression(mean []float64, variance float64) *regression {
	n := len(mean)
	p := &regression{make([]float64, n*n), make([]float64, n)}
	for i := range n {
		p.precision[i*n+i] = 1 / variance
		p.information[i] = mean[i] / variance
	}
	return p
}

// add conditions on y = x·coefficients + noise. second is the expected outer product of x, if x is uncertain with mean x.
func (p *regression) add(x, second []float64, y, noise float64) {
	floats.AddScaled(p.precision, 1/noise, second)
	floats.AddScaled(p.information, y/noise, x)
}

// moments returns the mean of the coefficients and their second moment, row by row.
func (p *regression) moments() (mean, second []float64) {
	n := len(p.information)
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(n, p.precision)) {
		panic("picture: a precision is not positive definite")
	}
	mean = make([]float64, n)
	covariance := mat.NewSymDense(n, nil)
	show.Check(factor.SolveVecTo(mat.NewVecDense(n, mean), mat.NewVecDense(n, p.information)))
	show.Check(factor.InverseTo(covariance))
	second = outer(mean)
	for i := range n {
		for j := range n {
			second[i*n+j] += covariance.At(i, j)
		}
	}
	return mean, second
}

func outer(x []float64) []float64 {
	out := make([]float64, 0, len(x)*len(x))
	for _, v := range x {
		for _, w := range x {
			out = append(out, v*w)
		}
	}
	return out
}
