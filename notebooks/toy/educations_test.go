package toy_test

import (
	"math"
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/notebooks/show"
	"gophe/notebooks/toy"
	"gophe/phe"
	"gophe/phe/hash"
)

func educations() *toy.Educations {
	return toy.NewEducations(show.Must(tables.Load("adult", files.Options{})),
		phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, NumBuckets: 31, NumHashes: 2, EmbeddingDim: 1,
			Assembly: phe.PlainSum, Hash: hash.CarterWegman}, 100, 80)
}

// awk counts 7,570 rows of Bachelors without a missing value in the file, and 3,178 of them have a high income.
func TestEducations(t *testing.T) {
	e := educations()
	if len(e.Names) != 16 || e.Names[0] != "Bachelors" || e.Names[15] != "Preschool" {
		t.Errorf("the educations are %v", e.Names)
	}
	near(t, "share", e.Of["Bachelors"].Share, 3178.0/7570, 1e-15)
	near(t, "log-odds", e.Of["Bachelors"].LogOdds, math.Log(3178.0/(7570-3178)), 1e-12)
	total := 0
	for _, education := range e.Of {
		total += education.Learned
	}
	if want := len(e.Initial) + 100*len(e.Steps); total != want {
		t.Errorf("%d rows are learned, want %d", total, want)
	}
	if got := e.Of["9th"].Sharing; !slices.Equal(got, []string{"HS-grad", "11th", "5th-6th"}) {
		t.Errorf("9th shares rows with %v", got)
	}
	if used, first := e.Used(e.Steps[0]), e.Rows(e.Name(e.Steps[0][0])); !slices.Equal(used[:2], first) || len(used) != 2*100 {
		t.Errorf("the first chunk uses rows %v", used)
	}
	if at := e.Of["Some-college"].New.Step; at != 40 {
		t.Errorf("Some-college appears at %d", at)
	}
	for _, row := range slices.Concat(e.Blocks[:41]...) {
		if e.Name(row) == "Some-college" {
			t.Fatal("Some-college comes before it appears")
		}
	}
}

// The learner's logit is the sum of the item's rows of E.
func TestSum(t *testing.T) {
	e, l := educations(), toy.Sum(0.5, -0.25, true)
	f := l.Predict(e.Of["Bachelors"].Row)
	near(t, "prior mean", f.Logit, -0.25, 1e-12)
	near(t, "prior deviation", f.Spread, 0.5*math.Sqrt2, 1e-12)
	for range 2000 {
		l.Predict(e.Of["Bachelors"].Row)
		l.Update(1, 1)
		l.Predict(e.Of["Bachelors"].Row)
		l.Update(0, 1)
	}
	near(t, "logit after as many high incomes as low ones", l.Predict(e.Of["Bachelors"].Row).Logit, 0, 0.01)
}
