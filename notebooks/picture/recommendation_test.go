package picture

import (
	"math"
	"strings"
	"testing"

	"gophe/data/ratings"
	"gophe/data/ratings/synth"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/phe/disk/filetest"
)

// about returns a film that two numbers of a user decide.
func about(name string, mean, first, second float64) film {
	x := make([]float64, 1+len(ratings.Genres()))
	x[0], x[1] = first, second
	return film{name, mean, x}
}

// Five stars for Alien raise the forecast of Aliens and lower Amélie's, by the closed form: with one rating of deviation y and feature 1
// the posterior mean is y/(1+σ²), and the variance falls from 1 to σ²/(1+σ²). Films that share nothing stay.
func TestVisitor(t *testing.T) {
	v := &visitor{noise: 0.5, asked: []film{about("Alien", 3, 1, 0), about("Heat", 3.5, 0, 0.5)},
		others: []film{about("Aliens", 3.2, 0.8, 0), about("Amélie", 3.8, -0.7, 0), about("Ran", 4, 0, 0)}}
	at := play.NewPosition(play.Slider("Alien", 0, 5, 1, 0), play.Slider("Heat", 0, 5, 1, 0))
	none, five := drawtest.ByText(t, v.draw(at)), drawtest.ByText(t, v.draw(at.With("Alien", 5)))
	mean := func(name string, share float64) string { return draw.Number(share) + ": " + name }
	drawtest.Has(t, none, "after yours, 3.200: Aliens", "after yours, 3.800: Amélie", "after yours, 4: Ran")
	u, sd := 2/1.5, math.Sqrt(0.5/1.5)
	drawtest.Has(t, five, "after yours, "+mean("Aliens", 3.2+0.8*u), "after yours, "+mean("Amélie", 3.8-0.7*u), "after yours, "+mean("Ran", 4),
		mean("Aliens", 3.2+0.8*u-1.645*0.8*sd), mean("Amélie", 3.8-0.7*u+1.645*0.7*sd))
	before, after := v.draw(at).Caption, v.draw(at.With("Alien", 5)).Caption
	if !strings.HasPrefix(before, "0 of 2 films rated.") || !strings.Contains(before, "“Alien” would tell most") ||
		!strings.HasPrefix(after, "1 of 2 films rated.") || !strings.Contains(after, "“Heat” would tell most") {
		t.Errorf("captions %q and %q", before, after)
	}
}

// The asked films are apart from the forecast ones, all have names, and titles take the place of numbers.
func TestNewVisitor(t *testing.T) {
	r := filetest.Must(synth.Generate(synth.MovieLens32M().Scaled(0.001), 1))(t)
	titles := map[int32]string{}
	for _, id := range r.MovieIDs {
		titles[id] = "A title so long that it would not fit into the margin (1995)"
	}
	plain, titled := newVisitor(r, nil, 10, 12), newVisitor(r, titles, 10, 12)
	if len(plain.asked) != 10 || len(plain.others) != 12 {
		t.Fatalf("%d films are asked and %d forecast", len(plain.asked), len(plain.others))
	}
	seen := map[string]bool{}
	for _, f := range append(plain.asked, plain.others...) {
		if !strings.HasPrefix(f.name, "Film ") || len([]rune(f.name)) > 30 || seen[f.name] {
			t.Errorf("a film is called %q", f.name)
		}
		seen[f.name] = true
	}
	if want := "A title so long that it would…"; titled.asked[0].name != want {
		t.Errorf("the first film is called %q, want %q", titled.asked[0].name, want)
	}
}

// Given ten ratings of a user, the range of nine in ten holds nine in ten of the user's other ratings.
func TestVisitorHolds(t *testing.T) {
	r := filetest.Must(synth.Generate(synth.MovieLens32M().Scaled(0.01), 1))(t)
	v, films := newVisitor(r, nil, 10, 12), map[int32]film{}
	counts := map[int32]int{}
	for row, m := range r.Movies {
		counts[m]++
		films[m] = film{"", films[m].mean + float64(r.HalfStars[row])/2, featuresOf(r.Genres[m])}
	}
	byUser := make([][]int, len(r.UserIDs))
	for row, m := range r.Movies {
		if counts[m] >= 50 {
			byUser[r.Users[row]] = append(byUser[r.Users[row]], row)
		}
	}
	held, rows := 0.0, 0.0
	for _, list := range byUser {
		var seen []film
		var deviations []float64
		var user taste
		for i, row := range list {
			f := films[r.Movies[row]]
			f.mean /= float64(counts[r.Movies[row]])
			if i < 10 {
				seen, deviations = append(seen, f), append(deviations, float64(r.HalfStars[row])/2-f.mean)
				user = v.posterior(seen, deviations)
				continue
			}
			mean, sd := user.expected(f)
			if rows++; math.Abs(float64(r.HalfStars[row])/2-mean) < ninety*math.Hypot(sd, math.Sqrt(v.noise)) {
				held++
			}
		}
	}
	if share := held / rows; math.Abs(share-0.9) > 0.03 {
		t.Errorf("the ranges hold %.3f of %g ratings", share, rows)
	}
}
