package picture

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gophe/data/ratings"
	"gophe/phe/filetest"
)

// drawn draws ratings from the model itself: films of two numbers, and users with tastes N(0, I).
func drawn(users, films, perUser int, noise float64) *ratings.Ratings {
	random := rand.New(rand.NewPCG(1, 2))
	mean, x := make([]float64, films), make([][2]float64, films)
	for film := range films {
		mean[film], x[film] = 3+0.4*random.NormFloat64(), [2]float64{0.5 + 0.3*random.NormFloat64(), 0.3 * random.NormFloat64()}
	}
	r := &ratings.Ratings{UserIDs: make([]int32, users), MovieIDs: make([]int32, films)}
	for user := range users {
		u := [2]float64{random.NormFloat64(), random.NormFloat64()}
		for _, film := range random.Perm(films)[:perUser] {
			stars := mean[film] + u[0]*x[film][0] + u[1]*x[film][1] + noise*random.NormFloat64()
			r.Users, r.Movies = append(r.Users, int32(user)), append(r.Movies, int32(film))
			r.HalfStars = append(r.HalfStars, uint8(math.Round(min(max(2*stars, 0), 10))))
		}
	}
	return r
}

// The fit finds the noise of ratings that were drawn from the model, and rounded to half-stars. New users' ratings come as near as the
// noise allows, closer than by means, and nine in ten lie in their intervals.
func TestTastes(t *testing.T) {
	const noise, users = 0.5, 600
	r := drawn(users, 60, 40, noise)
	isNew := func(row int) bool { return r.Users[row] >= users-100 }
	tastes := FitTastes(r, func(row int) bool { return !isNew(row) }, 2, 20)
	if got := math.Sqrt(tastes.Noise); math.Abs(got-math.Hypot(noise, 0.5/math.Sqrt(12))) > 0.02 {
		t.Errorf("the noise is %.3f, want about %g", got, noise)
	}
	c := tastes.score(r, isNew, []int{0, 5, 20})
	least := noise * math.Sqrt(2/math.Pi)
	if c.Users != 100 || c.Ratings != 100*20 || c.Error[2] > 1.12*least || c.Error[2] > 0.97*c.Biases[2] || c.Error[0] < 1.3*c.Error[2] {
		t.Errorf("%+v, the least error is %.3f", c, least)
	}
	for i, held := range c.Held {
		if math.Abs(held-90) > 3 || i > 0 && c.Spread[i] > 0.8*c.Spread[i-1] {
			t.Errorf("with %d ratings known %.1f %% are held, and the spread is %.3f", c.Known[i], held, c.Spread[i])
		}
	}
}

// A regression's moments are gonum's: (XᵀX/σ² + I/v)⁻¹ and its product with Xᵀy/σ².
func TestNormal(t *testing.T) {
	const noise, variance = 0.3, 2.
	x := mat.NewDense(4, 3, []float64{1, 2, 0, -1, 0.5, 3, 0.2, 0.1, -2, 1, 1, 1})
	y := mat.NewVecDense(4, []float64{1, -2, 0.5, 3})
	p := newRegression(make([]float64, 3), variance)
	for i := range 4 {
		p.add(x.RawRowView(i), outer(x.RawRowView(i)), y.AtVec(i), noise)
	}
	mean, second := p.moments()
	var precision, covariance, want mat.Dense
	precision.Mul(x.T(), x)
	precision.Scale(1/noise, &precision)
	for i := range 3 {
		precision.Set(i, i, precision.At(i, i)+1/variance)
	}
	filetest.Check(t, covariance.Inverse(&precision))
	want.Mul(x.T(), y)
	want.Mul(&covariance, &want)
	want.Scale(1/noise, &want)
	for i := range 3 {
		if math.Abs(mean[i]-want.At(i, 0)) > 1e-12 {
			t.Errorf("mean %d is %g, want %g", i, mean[i], want.At(i, 0))
		}
		for j := range 3 {
			if got := second[i*3+j] - mean[i]*mean[j]; math.Abs(got-covariance.At(i, j)) > 1e-12 {
				t.Errorf("covariance %d, %d is %g, want %g", i, j, got, covariance.At(i, j))
			}
		}
	}
}
