package picture

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gophe/data/ratings"
	"gophe/data/ratings/synth"
	"gophe/figures"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/phe/disk/filetest"
)

// visitor has two films that tastes agree on, one against them, and one that says nothing about a taste.
func visitor() (*Visitor, play.Position) {
	v := &Visitor{Noise: 0.5, Asked: []film{{"Alien", 3, []float64{1, 0}}, {"Heat", 3.5, []float64{0, 0.5}}},
		Others: []film{{"Aliens", 3.2, []float64{0.8, 0}}, {"Amélie", 3.8, []float64{-0.7, 0}}, {"Ran", 4, []float64{0, 0}}}}
	return v, play.NewPosition(play.Slider("Alien", 0, 5, 1, 0), play.Slider("Heat", 0, 5, 1, 0))
}

// Five stars for Alien raise the forecast of Aliens and lower Amélie's, by the closed form: with one rating of deviation y and feature 1
// the posterior mean is y/(1+σ²), and the variance falls from 1 to σ²/(1+σ²). Films that share nothing stay.
func TestVisitor(t *testing.T) {
	v, at := visitor()
	none, five := drawtest.ByText(t, v.Draw(at), "visitor-0"), drawtest.ByText(t, v.Draw(at.With("Alien", 5)), "visitor-5")
	mean := func(name string, share float64) string { return figures.Number(share) + ": " + name }
	drawtest.Has(t, none, "after yours, 3.200: Aliens", "after yours, 3.800: Amélie", "after yours, 4: Ran")
	u := 2 / 1.5
	for _, want := range []string{mean("Aliens", 3.2+0.8*u), mean("Amélie", 3.8-0.7*u), mean("Ran", 4)} {
		if _, ok := five["after yours, "+want]; !ok {
			t.Errorf("no mark %q in %v", want, five)
		}
	}
	sd := math.Sqrt(0.5 / 1.5)
	drawtest.Has(t, five, mean("Aliens", 3.2+0.8*u-1.645*0.8*sd), mean("Amélie", 3.8-0.7*u+1.645*0.7*sd))
	before, after := v.Draw(at).Caption, v.Draw(at.With("Alien", 5)).Caption
	if !strings.HasPrefix(before, "0 of 2 films rated.") || !strings.Contains(before, "“Alien” would tell most") ||
		!strings.HasPrefix(after, "1 of 2 films rated.") || !strings.Contains(after, "“Heat” would tell most") {
		t.Errorf("captions %q and %q", before, after)
	}
}

// The asked films are apart from the forecast ones, all have names, and titles take the place of numbers.
func TestNewVisitor(t *testing.T) {
	r := filetest.Must(synth.Generate(synth.MovieLens32M().Scaled(0.001), 1))(t)
	tastes := FitTastes(r, func(int) bool { return true }, 3, 3)
	titles := map[int32]string{}
	for _, id := range r.MovieIDs {
		titles[id] = "A title so long that it would not fit into the margin (1995)"
	}
	plain, titled := NewVisitor(tastes, r, nil, 10, 12), NewVisitor(tastes, r, titles, 10, 12)
	if len(plain.Asked) != 10 || len(plain.Others) != 12 {
		t.Fatalf("%d films are asked and %d forecast", len(plain.Asked), len(plain.Others))
	}
	seen := map[string]bool{}
	for _, f := range append(plain.Asked, plain.Others...) {
		if !strings.HasPrefix(f.Name, "Film ") || len([]rune(f.Name)) > 30 || seen[f.Name] {
			t.Errorf("a film is called %q", f.Name)
		}
		seen[f.Name] = true
	}
	if want := "A title so long that it would…"; titled.Asked[0].Name != want {
		t.Errorf("the first film is called %q, want %q", titled.Asked[0].Name, want)
	}
}

// The curve ends with all users and films, and the table's line stays level.
func TestArriving(t *testing.T) {
	r := &ratings.Ratings{Users: []int32{0, 0, 1, 1}, Movies: []int32{0, 1, 1, 2}, HalfStars: make([]uint8, 4)}
	marks := drawtest.ByText(t, Arriving(r, 4), "growth")
	drawtest.Has(t, marks, "users and films, 0: 2", "users and films, 3: 5", "users, 3: 2", "rows of PHE's table, 3: 4")
}

// Both curves have a point for each number of known ratings.
func TestColdUsers(t *testing.T) {
	marks := drawtest.ByText(t, (cold{Known: []int{0, 10}, Error: []float64{0.75, 0.5}, Biases: []float64{0.75, 0.625}, Spread: []float64{0.5, 0.25}, Held: []float64{90, 89.6}, Users: 3, Ratings: 40}).figure(), "cold")
	drawtest.Has(t, marks, "exact belief, 10: 0.5000", "means of film and user, 10: 0.6250", "standard deviation of the belief, 10: 0.2500")
}

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
