package run

import (
	"math"
	"strconv"
	"testing"

	"gophe/data/ratings"
	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/ncf"
	"gophe/phe/onepass"
)

// ratingPasses are methods of one pass over ratings.
func ratingPasses() []spec.Method {
	return []spec.Method{
		{Name: "One pass", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass, Genres: ncf.Embedded},
		{Name: "One pass, FM", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass, Genres: ncf.Embedded, Interactions: onepass.FM},
		{Name: "One pass, no genres", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass, Genres: ncf.NoLabels},
	}
}

// tinyRatingPass is a spec of one pass on the generated ratings of TestMain's file.
func tinyRatingPass(t *testing.T) spec.Spec {
	t.Helper()
	spec := tinyRatings(t)
	spec.Model.Encoder.NumBuckets, spec.Model.Encoder.NumWeights = 503, 101
	spec.Methods = ratingPasses()
	filetest.Check(t, spec.Validate())
	return spec
}

// ratingPassByHand is a learner of package onepass with the ratings, made without the runner's code.
func ratingPassByHand(t *testing.T, r *ratings.Ratings, memory int, m spec.Method) (*onepass.Model, func(row int32) *onepass.Row) {
	t.Helper()
	names := []string{"user", "film", "genres"}
	if m.Genres == ncf.NoLabels {
		names = names[:2]
	}
	c := onepass.Stream(onepass.Shape{Columns: len(names), Memory: memory, Head: onepass.Gaussian, Interactions: m.Interactions})
	c.Seed = 1
	learner := filetest.Must(onepass.New(c))(t)
	encoder := filetest.Must(onepass.NewEncoder(c, names))(t)
	return learner, func(row int32) *onepass.Row {
		encoder.Item(0, strconv.Itoa(int(r.UserIDs[r.Users[row]])))
		encoder.Item(1, "-"+strconv.Itoa(int(r.MovieIDs[r.Movies[row]])))
		for g, name := range ratings.Genres() {
			if len(names) == 3 && r.Genres[r.Movies[row]]&(1<<g) != 0 {
				encoder.Item(2, "genre_"+name)
			}
		}
		return encoder.Row()
	}
}

// The runner leads one pass over ratings as one would by hand: the initial ratings once, then each day predicted whole before it
// is learned. The frozen model stops after the initial ratings.
func TestRatingPassByHand(t *testing.T) {
	changeRatings(t, fromHalfToFive)
	spec := tinyRatingPass(t)
	spec.Protocol.MaxChunks = 20
	f, r := inFull(t, spec), ratingsOf(t, spec)
	_, p := loaded(t, spec)
	cold := coldCells(r, p)
	const budget = 2 * (503*3 + 101*2) // numbers of PHE's tables
	for _, m := range spec.Methods {
		own := methodOf(t, f, m.Name, false)
		for _, frozen := range []bool{false, true} {
			learner, row := ratingPassByHand(t, r, 4*(budget-(own.TotalParameters-own.Parameters)), m)
			learn := func(rows []int32) {
				for _, i := range rows {
					learner.Predict(row(i))
					learner.Update(float64(float32(r.HalfStars[i])/10), 1)
				}
			}
			learn(p.Initial)
			h := newHandScore()
			for _, rows := range p.Steps {
				for _, i := range rows {
					says := learner.Predict(row(i))
					own := ncf.Predictive{Means: []float64{float64(float32(says.Mean))}, StdDev: float64(float32(math.Sqrt(says.Variance)))}
					h.rating(r.HalfStars[i], cold[i], own)
				}
				h.endStep()
				if !frozen {
					learn(rows)
				}
			}
			run := methodOf(t, f, m.Name, frozen).Runs[1]
			h.check(t, m.Name, run)
			filetest.WantEqual(t, run.InitialSteps, len(p.Initial), "%s: number of initial ratings", m.Name)
			filetest.WantEqual(t, run.UpdateSteps == 0, frozen, "%s, frozen %v: nothing is learned", m.Name, frozen)
		}
	}
}

// One pass keeps the numbers in a file of its beliefs, and no more than PHE's tables. A slot of evidence has its count and its check bits
// in one number.
func TestRatingPassNumbers(t *testing.T) {
	spec := tinyRatingPass(t)
	f, r := resultOf(t, spec), ratingsOf(t, spec)
	made, p := loaded(t, spec)
	for _, m := range spec.Methods {
		learner := filetest.Must(made.RowLearner(spec.Config(m, made.About().NumItems), m, task.Beginning{Seed: 1}))(t)
		filetest.Check(t, learner.Learn(p.Initial))
		content := filetest.Must(learner.MarshalBinary())(t)
		const budget = 2 * (503*3 + 101*2)
		row := methodOf(t, f, m.Name, false)
		same, _ := ratingPassByHand(t, r, 4*(budget-(row.TotalParameters-row.Parameters)), m)
		filetest.Check(t, same.UnmarshalBinary(content))
		beliefs := same.Beliefs()
		numbers := 0
		for _, table := range beliefs.Tables {
			numbers += len(table.Mean) + len(table.Variance)
		}
		for name, list := range beliefs.Lists {
			if name != "rows" && name != "evidence met" && name != "evidence n" { // counters say nothing of a rating; n shares a number with the check bits
				numbers += len(list)
			}
		}
		for _, frozen := range []bool{false, true} {
			if got := methodOf(t, f, m.Name, frozen); got.TotalParameters != numbers || numbers > budget || numbers < budget-20 {
				t.Errorf("%s: %d numbers in the result, %d in its beliefs, %d at most", m.Name, got.TotalParameters, numbers, budget)
			}
		}
	}
}

// Nothing of Adam and of the network counts, but the memory, the columns and the interactions do.
func TestRatingPassIdentity(t *testing.T) {
	wantIdentities(t, func() spec.Spec { return tinyRatingPass(t) }, map[string]change{
		"epochs": func(s *spec.Spec, _ *spec.Method) { s.Protocol.InitialEpochs = 7 },
		"units":  func(s *spec.Spec, _ *spec.Method) { s.Recommender.Hidden, s.Recommender.StdDev = 7, 0.5 },
		"rate":   func(s *spec.Spec, _ *spec.Method) { s.Model.LearningRate, s.Model.Encoder.InitialLogStdDev = 0.5, -1 },
		"auto":   func(_ *spec.Spec, m *spec.Method) { m.Interactions = onepass.Auto },
	}, map[string]change{
		"buckets":      func(s *spec.Spec, _ *spec.Method) { s.Model.Encoder.NumBuckets = 509 },
		"genres":       func(_ *spec.Spec, m *spec.Method) { m.Genres = ncf.NoLabels },
		"FM":           func(_ *spec.Spec, m *spec.Method) { m.Interactions = onepass.FM },
		"first day":    func(s *spec.Spec, _ *spec.Method) { s.Protocol.FirstDay = "2000-01-02" },
		"data":         func(s *spec.Spec, _ *spec.Method) { s.Dataset = "movielens-50k" },
		"the device's": func(_ *spec.Spec, m *spec.Method) { m.Rule, m.UpdateEpochs = "", 1 },
	})
	spec := tinyRatingPass(t)
	if r := spec.Resolve(spec.Methods[0]); r.Initial().Fingerprint() == r.Fingerprint() {
		t.Error("the frozen model has the learning one's identity")
	}
}

// What one pass over ratings cannot do is refused with the remedy.
func TestRatingPassErrors(t *testing.T) {
	wantRefused(t, func() spec.Spec { return tinyRatingPass(t) }, map[string]refusal{
		"start":        {func(_ *spec.Spec, m *spec.Method) { m.Start = spec.FromInitial }, []string{"start", "from nothing", "leave it out"}},
		"exact rows":   {func(_ *spec.Spec, m *spec.Method) { m.Rows = phe.Vocabulary }, []string{"rows", "hashes items", `"hash" and "posterior"`}},
		"point":        {func(_ *spec.Spec, m *spec.Method) { m.Estimate = phe.Point }, []string{`estimate "point"`, `"hash" and "posterior"`}},
		"assembly":     {func(_ *spec.Spec, m *spec.Method) { m.Assembly = phe.Average }, []string{"assembly", "leave it out"}},
		"multi-hot":    {func(_ *spec.Spec, m *spec.Method) { m.Genres = "" }, []string{`genres of "One pass" is "multi-hot"`, `choose "embedded" or "none"`}},
		"interactions": {func(_ *spec.Spec, m *spec.Method) { m.Interactions = "triples" }, []string{`"triples"`, "choose one of", `"fm"`}},
		"too small":    {func(s *spec.Spec, _ *spec.Method) { s.Model.Encoder.NumBuckets, s.Model.Encoder.NumWeights = 3, 3 }, []string{"num_buckets", "too few", "larger"}},
		"of Adam":      {func(_ *spec.Spec, m *spec.Method) { m.Rule, m.UpdateEpochs, m.Interactions = "", 1, onepass.FM }, []string{"interactions", `rule "one-pass"`, "leave it out"}},
	})
}
