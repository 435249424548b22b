package run

import (
	"context"
	"maps"
	"math"
	"os"
	"slices"
	"sort"
	"strconv"
	"testing"
	"time"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/data/ratings"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/ncf"
	"gophe/phe/onepass"
)

// tinyRatings is a recommender's spec with little of everything, on the generated ratings of TestMain's file.
func tinyRatings(t *testing.T) spec.Spec {
	t.Helper()
	c := ncf.Paper()
	c.Encoder.EmbeddingDim, c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 3, 31, 2, 17
	c.Encoder.InitialLogStdDev = -2
	c.Hidden, c.TrainSamples, c.TestSamples, c.BatchSize = 3, 2, 3, 256
	spec := spec.Spec{
		Name: "tiny", Title: "for tests", Dataset: "ml-latest-small", Protocol: protocoltest.Full[protocol.Recommend], Seeds: []int64{0, 1},
		Model: c.Config, Recommender: &spec.Recommender{Hidden: c.Hidden, StdDev: c.StdDev, Genres: c.LabelInput},
		Methods: []spec.Method{
			{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 2},
			{Name: "Ada", Rows: phe.Hashed, Estimate: phe.Point, UpdateEpochs: 1},
		},
	}
	filetest.Check(t, spec.Validate())
	return spec
}

// ratingsOf returns the ratings of a spec.
func ratingsOf(t *testing.T, s spec.Spec) *ratings.Ratings {
	t.Helper()
	return filetest.Must(data.OpenRatings(s.Dataset, files.Options{AllowAltered: true}))(t)
}

// changeRatings puts TestMain's ratings, changed, in the place of its file.
func changeRatings(t *testing.T, change func(*ratings.Ratings)) {
	t.Helper()
	folder := t.TempDir()
	filetest.Check(t, resulttest.ShortRatings(folder, change))
	t.Setenv(files.PathVariable, folder)
}

// dataPath is where the caller of the tests has data sets that are not part of the checkout.
var dataPath = os.Getenv(files.PathVariable)

// The days from spec to file, for all ways to represent items. TestRecommendByHand checks the scores.
func TestRecommend(t *testing.T) {
	s := tinyRatings(t)
	s.Methods = append(s.Methods,
		spec.Method{Name: "EE", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 2},
		spec.Method{Name: "P-EE embedded", Rows: phe.Vocabulary, Estimate: phe.Posterior, UpdateEpochs: 2, Genres: ncf.Embedded})
	f := wantWhole(t, s, "PHE", "Ada", "EE", "P-EE embedded", "PHE (frozen)", "Ada (frozen)", "EE (frozen)", "P-EE embedded (frozen)",
		"Global mean", "User mean", "Film mean", baseline.Biases)
	made, p := loaded(t, s)
	r := ratingsOf(t, s)
	filetest.Want(t, f.Stream.Initial, 216, "number of initial ratings")
	for i, step := range p.Steps {
		for _, row := range step {
			filetest.Want(t, time.Unix(int64(r.Seconds[row]), 0).UTC().Format(time.DateOnly), f.Stream.Days[i], "a day of step %d", i)
		}
	}
	filetest.True(t, slices.IsSorted(f.Stream.Days) && f.Stream.Days[0] >= "2000-01-01", "days %q", f.Stream.Days)
	items := made.About().NumItems
	numbers := map[string]int{"PHE": 2 * (31*3 + 17*2), "Ada": 31*3 + 17*2, "EE": items * 3, "P-EE embedded": 2 * (items + 20) * 3}
	for i := range f.Methods {
		m := &f.Methods[i]
		filetest.Want(t, m.Convention, protocol.Ours, "convention of %s", m.Label())
		filetest.Want(t, m.Parameters, numbers[m.Name], "%s: number of parameters", m.Label())
		for _, run := range m.Runs {
			filetest.Want(t, len(run.Memory), resulttest.Pick(m.Hash != "", 6, 0), "%s: number of measurements of memory", m.Label())
			for step, memory := range run.Memory {
				filetest.True(t, memory.Step == step+1 && memory.Megabytes >= 0, "%s: memory %+v at step %d", m.Label(), memory, step)
			}
		}
	}
}

// P-EE's vocabulary has genres as items only if the model or the method embeds them.
func TestGenresInVocabulary(t *testing.T) {
	s := tinyRatings(t)
	for _, c := range []struct {
		model, own ncf.LabelInput
		want       int
	}{{ncf.MultiHot, "", 250}, {ncf.NoLabels, "", 250}, {ncf.Embedded, "", 270}, {ncf.MultiHot, ncf.Embedded, 270}, {ncf.Embedded,
		ncf.MultiHot, 250}, {ncf.Embedded, ncf.NoLabels, 250}} {
		s.Recommender.Genres = c.model
		got := s.Config(spec.Method{Rows: phe.Vocabulary, Estimate: phe.Posterior, Genres: c.own}, 250)
		filetest.Want(t, got.Encoder.Capacity, c.want, "room, model %s, method %q,", c.model, c.own)
		filetest.Want(t, got.Encoder.NumParameters(), 2*3*c.want, "number of parameters, model %s, method %q,", c.model, c.own)
		hashed := s.Config(spec.Method{Rows: phe.Hashed, Estimate: phe.Posterior, Genres: c.own}, 250).Encoder.NumParameters()
		filetest.Want(t, hashed, 2*(31*3+17*2), "hashed, number of parameters, model %s, method %q,", c.model, c.own)
	}
}

// MovieLens' streams, where the file is at hand, are those of the committed results, and have the numbers of a count of the file.
func TestMovieLensPlans(t *testing.T) {
	t.Setenv(files.PathVariable, dataPath)
	for name, want := range map[string][4]int{"movielens-small": {8721, 2838, 69965, 610}, "movielens-50k": {4368, 1379, 33272, 323}} {
		t.Run(name, func(t *testing.T) {
			s := filetest.Must(spec.Load(name))(t)
			for _, source := range filetest.Some(t, ratings.Sources(), "sources of ratings") {
				if _, err := source.Find(); source.Name == s.Dataset && err != nil {
					t.Skipf("%s is not here, since its terms keep it out of the checkout; set %s to its folder to test with it",
						source.Name, files.PathVariable)
				}
			}
			made, p := loaded(t, s)
			filetest.Want(t, p.Describe(), filetest.Must(result.Read("../out/"+name+".json"))(t).Stream, "stream")
			filetest.Want(t, made.About().Verified, true, "data are verified")
			got := [4]int{len(p.Initial), len(p.Days), len(slices.Concat(p.Steps...)), p.Users[len(p.Users)-1]}
			filetest.Want(t, got, want, "initial ratings, days, ratings on them, and users at the end")
			filetest.Want(t, [2]int{len(p.Steps), len(p.Users)}, [2]int{want[1], want[1]}, "steps, and counts of users")
		})
	}
}

// Memory is measured about a hundred times along a stream, of ratings only, and at its end where that is a hundredth.
func TestMemorySamples(t *testing.T) {
	for steps, want := range map[int]struct{ n, first int }{1: {1, 1}, 99: {99, 1}, 100: {100, 1}, 250: {125, 2}, 2838: {101, 28}} {
		p := &protocol.Plan{Stream: &labelled.Stream{Steps: make([][]int32, steps)}, Users: make([]int, steps)}
		var all []result.Memory
		for step := range steps {
			all = append(all, (&job{}).memory(p, step)...)
		}
		filetest.Want(t, len(all), want.n, "measurements in %d steps: number", steps)
		filetest.Want(t, all[0].Step, want.first, "measurements in %d steps: the first step", steps)
		p.Users = nil
		filetest.Want(t, (&job{}).memory(p, steps-1), nil, "memory without users")
	}
}

// A generated set is opened by its name, and its columns are its checksum.
func TestGeneratedRatings(t *testing.T) {
	spec := tinyRatings(t)
	spec.Dataset = "generated-320k"
	made, p := loaded(t, spec)
	about := made.About()
	filetest.True(t, len(about.SHA256) == 64 && about.Verified && len(p.Steps) == 6, "%+v, %d steps", about, len(p.Steps))
	filetest.Want(t, about.NumItems, 2009+len(ratingsOf(t, spec).MovieIDs), "number of items")
}

// coldCells counts the ratings before each one: of its user and of its film, the same day's earlier ones included, and of earlier days
// alone. The cells are none, 1, 2 to 4, 5 to 9, and more.
func coldCells(r *ratings.Ratings, p *protocol.Plan) map[int32][4]int {
	cell := func(before int) int { return sort.SearchInts([]int{1, 2, 5, 10}, before+1) }
	cold, users, films := map[int32][4]int{}, map[int32]int{}, map[int32]int{}
	for _, day := range append([][]int32{p.Initial}, p.Steps...) {
		ofUser, ofFilm := maps.Clone(users), maps.Clone(films) // of earlier days
		for _, row := range slices.Sorted(slices.Values(day)) {
			u, f := r.Users[row], r.Movies[row]
			cold[row] = [4]int{cell(users[u]), cell(films[f]), cell(ofUser[u]), cell(ofFilm[f])}
			users[u]++
			films[f]++
		}
	}
	return cold
}

// fromHalfToFive has ratings at both ends of the scale among the first days.
func fromHalfToFive(r *ratings.Ratings) {
	for i := range r.HalfStars {
		switch i % 11 {
		case 0:
			r.HalfStars[i] = 1
		case 1:
			r.HalfStars[i] = 10
		}
	}
}

// The runner takes the very steps that one would take by hand: predict and score a day's ratings, then learn from them.
func TestRecommendByHand(t *testing.T) {
	changeRatings(t, fromHalfToFive)
	s := tinyRatings(t)
	s.Protocol.MaxChunks, s.Protocol.InitialEpochs, s.Model.LearningRate = 20, 40, 0.03 // so that predictions are on the scale
	s.Methods[1] = spec.Method{Name: "P-EE all", Rows: phe.Vocabulary, Estimate: phe.Posterior, UpdateEpochs: 1,
		Scope: phe.AllParameters, Genres: ncf.Embedded}
	f, r := inFull(t, s), ratingsOf(t, s)
	_, p := loaded(t, s)
	cold := coldCells(r, p)
	for _, m := range s.Methods {
		d, c := ledByHand(t, s, m, 1)
		h := newHandScore()
		along(t, d, m, p, func(day int, predicted []float32) {
			filetest.Want(t, len(predicted), 3*len(p.Steps[day]), "number of predictions")
			for i, row := range p.Steps[day] {
				means := []float64{float64(predicted[3*i]), float64(predicted[3*i+1]), float64(predicted[3*i+2])}
				h.rating(r.HalfStars[row], cold[row], ncf.Predictive{Means: means, StdDev: c.Recommender.StdDev})
			}
			h.endStep()
		})
		h.check(t, m.Name, methodOf(t, f, m.Name, false).Runs[1])
		filetest.True(t, slices.Min(h.cells) >= 1, "%s: calibration %v; the test meant to see all cells", m.Name, h.cells)
	}
}

// spy remembers what models predict.
type spy struct {
	task.Task
	predictions [][]float32
}

func (s *spy) Judge(c spec.Config, rows []int32, predictions []float32) protocol.Score {
	s.predictions = append(s.predictions, slices.Clone(predictions))
	return s.Task.Judge(c, rows, predictions)
}

// RowLearner returns a learner whose predictions the spy remembers too.
func (s *spy) RowLearner(c spec.Config, m spec.Method, from task.Beginning) (task.RowLearner, error) {
	l, err := s.Task.RowLearner(c, m, from)
	if err != nil {
		return nil, err
	}
	judged := l.(task.Judged)
	judged.Task = s
	return judged, nil
}

// spied are a single method's predictions along the days, by the runner.
func spied(t *testing.T, spec spec.Spec) [][]float32 {
	t.Helper()
	made, p := loaded(t, spec)
	s := &spy{Task: made}
	o := options(t, t.TempDir())
	r := &run{folder: folder{o.Out, spec.Name}, spec: spec, options: o.complete(spec), task: s, plan: p, started: time.Now()}
	_, err := r.layOut(t.Context())
	if err == nil {
		err = r.all(context.Background())
	}
	if err != nil || len(s.predictions) != 2*len(p.Steps) {
		t.Fatalf("%d predictions along %d days, %v", len(s.predictions), len(p.Steps), err)
	}
	return s.predictions[len(p.Steps):] // after the frozen model's
}

// A rating's value changes no prediction of its day or of earlier days. It changes predictions of later days.
func TestRatingsAreNotForeseen(t *testing.T) {
	for _, m := range []spec.Method{tinyRatings(t).Methods[0], ratingPasses()[0]} {
		t.Run(m.Name, func(t *testing.T) { // the ratings that it changes are its own
			s := tinyRatings(t)
			s.Seeds, s.Methods = s.Seeds[:1], []spec.Method{m}
			before := spied(t, s)
			const day = 2
			_, p := loaded(t, s)
			changeRatings(t, func(r *ratings.Ratings) { r.HalfStars[p.Steps[day][0]] = 11 - r.HalfStars[p.Steps[day][0]] })
			for d, after := range spied(t, s) {
				filetest.Want(t, slices.Equal(after, before[d]), d <= day, "one of day %d has changed, day %d is predicted alike", day, d)
			}
			changeRatings(t, func(r *ratings.Ratings) { r.HalfStars[p.Initial[0]] = 11 - r.HalfStars[p.Initial[0]] })
			filetest.True(t, !slices.Equal(spied(t, s)[0], before[0]), "an initial rating changes nothing")
		})
	}
}

// slowRival predicts each day's ratings anew from all blocks learned before it, in the words of the rivals' names:
// deviations refer to the other parts' predictions when the block had been learned, and each has ten more ratings of 0.
func slowRival(name string, r *ratings.Ratings, p *protocol.Plan) [][]float64 {
	blocks := append([][]int32{p.Initial}, p.Steps...)
	drawn := func(last int, more float64, mine func(row int32) bool, base func(block int, row int32) float64) float64 {
		sum, n := 0.0, more
		for b, block := range blocks[:last+1] {
			for _, row := range block {
				if mine(row) {
					sum, n = sum+float64(r.HalfStars[row])/10-base(b, row), n+1
				}
			}
		}
		return sum / n
	}
	means := make([]float64, len(blocks)) // of all ratings of the blocks up to and with one
	for b := range blocks {
		means[b] = drawn(b, 0, func(int32) bool { return true }, func(int, int32) float64 { return 0 })
	}
	mean := func(block int, _ int32) float64 { return means[block] }
	film := func(last int, f int32) float64 {
		return drawn(last, 10, func(row int32) bool { return r.Movies[row] == f }, mean)
	}
	user := func(last int, u int32, base func(block int, row int32) float64) float64 {
		return drawn(last, 10, func(row int32) bool { return r.Users[row] == u }, base)
	}
	days := make([][]float64, len(p.Steps))
	for day, rows := range p.Steps {
		for _, row := range rows {
			says := means[day] // the initial block is number 0
			switch name {
			case "User mean":
				says += user(day, r.Users[row], mean)
			case "Film mean":
				says += film(day, r.Movies[row])
			case baseline.Biases:
				says += film(day, r.Movies[row]) + user(day, r.Users[row], func(b int, row int32) float64 {
					return means[b] + film(b,
						r.Movies[row])
				})
			}
			days[day] = append(days[day], says)
		}
	}
	return days
}

// The rivals predict as a slow implementation does, on all days. It knows no rating of the day and of later days.
func TestRatingRivals(t *testing.T) {
	changeRatings(t, fromHalfToFive)
	spec := tinyRatings(t)
	spec.Protocol.MaxChunks, spec.Recommender.StdDev = 0, 0.2
	_, p := loaded(t, spec)
	r := ratingsOf(t, spec)
	cold := coldCells(r, p)
	names := []string{"Global mean", "User mean", "Film mean", baseline.Biases}
	wantRivals(t, spec, names, func(rival int, h *handScore) {
		says := slowRival(names[rival], r, p)
		for day, rows := range p.Steps {
			for i, row := range rows {
				h.rating(r.HalfStars[row], cold[row], ncf.Predictive{Means: says[day][i : i+1], StdDev: 0.2})
			}
			h.endStep()
		}
	})
}

// ratingPasses are methods of one pass over ratings.
func ratingPasses() []spec.Method {
	return []spec.Method{
		{Name: "One pass", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass, Genres: ncf.Embedded},
		{Name: "One pass, FM", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass, Genres: ncf.Embedded,
			Interactions: onepass.FM},
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
			filetest.Want(t, run.InitialSteps, len(p.Initial), "%s: number of initial ratings", m.Name)
			filetest.Want(t, run.UpdateSteps == 0, frozen, "%s, frozen %v: nothing is learned", m.Name, frozen)
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
			if name != "rows" && name != "evidence met" &&
				name != "evidence n" { // counters say nothing of a rating; n shares a number with the check bits
				numbers += len(list)
			}
		}
		filetest.True(t, numbers <= budget && numbers >= budget-20, "%s: %d numbers in its beliefs, %d at most", m.Name, numbers, budget)
		for _, frozen := range []bool{false, true} {
			filetest.Want(t, methodOf(t, f, m.Name, frozen).TotalParameters, numbers, "%s: numbers in the result", m.Name)
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
	r := spec.Resolve(spec.Methods[0])
	filetest.True(t, r.Initial().Fingerprint() != r.Fingerprint(), "the frozen model has the learning one's identity")
}
