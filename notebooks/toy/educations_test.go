package toy_test

import (
	"math"
	"slices"
	"testing"

	"gophe/notebooks/toy"
	"gophe/phe"
	"gophe/phe/filetest"
	"gophe/phe/hash"
	"gophe/phe/onepass"
)

func educations(t *testing.T) *toy.Educations {
	t.Helper()
	e, err := toy.NewEducations(phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, NumBuckets: 31, NumHashes: 2, EmbeddingDim: 1,
		Assembly: phe.PlainSum, Hash: hash.CarterWegman}, 100, 80)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// awk counts 7,570 rows of Bachelors without a missing value in the file, and 3,178 of them have a high income.
func TestEducations(t *testing.T) {
	e := educations(t)
	if len(e.Names) != 16 || e.Names[0] != "Bachelors" || e.Names[15] != "Preschool" {
		t.Errorf("the educations are %v", e.Names)
	}
	near(t, "share", e.Share("Bachelors"), 3178.0/7570, 1e-15)
	near(t, "log-odds", e.Counted("Bachelors"), math.Log(3178.0/(7570-3178)), 1e-12)
	total := 0
	for _, n := range e.Learned {
		total += n
	}
	if want := len(e.Initial) + 100*len(e.Steps); total != want {
		t.Errorf("%d rows are learned, want %d", total, want)
	}
	if got := e.Sharing("9th"); !slices.Equal(got, []string{"HS-grad", "11th", "5th-6th"}) {
		t.Errorf("9th shares rows with %v", got)
	}
	if slices.Contains(e.Used(e.Steps[0]), e.Rows("Masters")[1]) != slices.ContainsFunc(e.Steps[0], func(row int32) bool {
		return slices.Contains(e.Rows(e.Name(row)), e.Rows("Masters")[1])
	}) {
		t.Error("Used and Rows disagree")
	}
	if at := e.Change("Some-college").Step; at != 40 {
		t.Errorf("Some-college appears at %d", at)
	}
	for _, row := range slices.Concat(e.Blocks()[:41]...) {
		if e.Name(row) == "Some-college" {
			t.Fatal("Some-college comes before it appears")
		}
	}
}

// Given beliefs make the learner's logit the sum of the item's rows of E.
func TestGiven(t *testing.T) {
	e := educations(t)
	l, err := onepass.New(onepass.Config{Columns: 1, Outputs: 1, Dim: 1, Buckets: 31, Hashes: 2, Assembly: onepass.Mean, Head: onepass.Bernoulli,
		Approximation: onepass.MacKay, Prior: onepass.Prior{E: 1}, Tempering: 1, Least: 1e-6, Gamma: 1, Joint: true})
	if err != nil {
		t.Fatal(err)
	}
	filetest.Check(t, toy.Given(l, 0.5, -0.25))
	f := l.Predict(e.Row("Bachelors"))
	near(t, "prior mean", f.Logit, -0.25, 1e-12)
	near(t, "prior deviation", f.Spread, 0.5*math.Sqrt2, 1e-12)
	for range 2000 {
		l.Learn(e.Row("Bachelors"), 1)
		l.Learn(e.Row("Bachelors"), 0)
	}
	near(t, "logit after as many high incomes as low ones", l.Predict(e.Row("Bachelors")).Logit, 0, 0.01)
	other := filetest.Must(onepass.New(onepass.Paper(1, 0, 1)))(t)
	if toy.Given(other, 1, 0) == nil {
		t.Error("the paper's model is accepted")
	}
}
