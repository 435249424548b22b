package run

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"sort"
	"testing"
	"time"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/tables"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/ncf"
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

// planOf returns the plan of a spec whose protocol is changed.
func planOf(t *testing.T, s spec.Spec, change func(*protocol.Spec)) *protocol.Plan {
	t.Helper()
	change(&s.Protocol)
	filetest.Check(t, s.Validate())
	_, p := loaded(t, s)
	return p
}

// planError returns the error of a valid spec that has no plan.
func planError(s spec.Spec) error {
	_, _, err := task.Load(s, files.Options{AllowAltered: true})
	return cmp.Or(s.Validate(), err)
}

// wantShortened checks that a plan is the beginning of another one.
func wantShortened(t *testing.T, short, all *protocol.Plan, steps int) {
	t.Helper()
	filetest.WantEqual(t, short.Initial, all.Initial, "cut short, the list of initial rows")
	filetest.WantEqual(t, short.Steps, all.Steps[:steps], "cut short, the list of steps")
	filetest.WantEqual(t, short.Days, all.Days[:steps], "cut short, the list of days")
	filetest.Want(t, short.Scored && !short.Untrained && len(short.Tests) == 0, "cut short, it is %+v", short)
}

// changeRatings puts TestMain's ratings, changed, in the place of its file.
func changeRatings(t *testing.T, change func(*ratings.Ratings)) {
	t.Helper()
	folder := t.TempDir()
	filetest.Check(t, fixture.ShortRatings(folder, change))
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
	filetest.WantEqual(t, f.Stream.Initial, 216, "number of initial ratings")
	for i, step := range p.Steps {
		for _, row := range step {
			filetest.WantEqual(t, time.Unix(int64(r.Seconds[row]), 0).UTC().Format(time.DateOnly), f.Stream.Days[i], "a day of step %d", i)
		}
	}
	filetest.Want(t, slices.IsSorted(f.Stream.Days) && f.Stream.Days[0] >= "2000-01-01", "days %q", f.Stream.Days)
	items := made.About().NumItems
	numbers := map[string]int{"PHE": 2 * (31*3 + 17*2), "Ada": 31*3 + 17*2, "EE": items * 3, "P-EE embedded": 2 * (items + 20) * 3}
	for i := range f.Methods {
		m := &f.Methods[i]
		filetest.WantEqual(t, m.Convention, protocol.Ours, "convention of %s", m.Label())
		filetest.WantEqual(t, m.Parameters, numbers[m.Name], "%s: number of parameters", m.Label())
		for _, run := range m.Runs {
			filetest.WantEqual(t, len(run.Memory), fixture.Pick(m.Hash != "", 6, 0), "%s: number of measurements of memory", m.Label())
			for step, memory := range run.Memory {
				filetest.Want(t, memory.Step == step+1 && memory.Megabytes >= 0, "%s: memory %+v at step %d", m.Label(), memory, step)
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
	}{{ncf.MultiHot, "", 250}, {ncf.NoLabels, "", 250}, {ncf.Embedded, "", 270}, {ncf.MultiHot, ncf.Embedded, 270}, {ncf.Embedded, ncf.MultiHot, 250}, {ncf.Embedded, ncf.NoLabels, 250}} {
		s.Recommender.Genres = c.model
		got := s.Config(spec.Method{Rows: phe.Vocabulary, Estimate: phe.Posterior, Genres: c.own}, 250)
		filetest.WantEqual(t, got.Encoder.Capacity, c.want, "room, model %s, method %q,", c.model, c.own)
		filetest.WantEqual(t, got.Encoder.NumParameters(), 2*3*c.want, "number of parameters, model %s, method %q,", c.model, c.own)
		hashed := s.Config(spec.Method{Rows: phe.Hashed, Estimate: phe.Posterior, Genres: c.own}, 250).Encoder.NumParameters()
		filetest.WantEqual(t, hashed, 2*(31*3+17*2), "hashed, number of parameters, model %s, method %q,", c.model, c.own)
	}
}

// Ratings are cut by the fields that name the days and their number.
func TestRatingPlans(t *testing.T) {
	s := tinyRatings(t)
	short, all := planOf(t, s, func(*protocol.Spec) {}), planOf(t, s, func(p *protocol.Spec) { p.MaxChunks = 0 })
	filetest.WantEqual(t, [3]int{len(all.Steps), len(all.Days), len(all.Users)}, [3]int{69, 69, 69}, "number of steps, days and users")
	wantShortened(t, short, all, 6)
	filetest.WantEqual(t, short.Users, all.Users[:6], "cut short, the list of users")
	same := planOf(t, s, func(p *protocol.Spec) { p.MaxChunks = 69 })
	filetest.WantEqual(t, len(same.Steps), 69, "number of steps in 69 days")
	later := planOf(t, s, func(p *protocol.Spec) { p.FirstDay, p.MaxChunks = "2010-01-01", 0 })
	days := len(later.Days)
	filetest.Want(t, len(later.Initial) > len(all.Initial), "from 2010 on: %d initial ratings", len(later.Initial))
	filetest.Want(t, days < 69 && later.Days[0] >= "2010-01-01", "from 2010 on: days %q", later.Days)
	filetest.WantEqual(t, later.Days, all.Days[69-days:], "from 2010 on: the list of days")
	younger := planOf(t, s, func(p *protocol.Spec) { p.FromDay = "1998-01-01" })
	filetest.Want(t, len(younger.Initial) < len(all.Initial), "ratings of 1998 on: %d", len(younger.Initial))
	filetest.WantEqual(t, younger.Days, short.Days, "ratings of 1998 on: the list of days")
	for _, days := range [][2]string{{"2000-01-01", "2030-01-01"}, {"2024-01-01", "2024-02-01"}, {"1990-01-01", "1990-01-02"}} {
		s.Protocol.FromDay, s.Protocol.FirstDay = days[0], days[1]
		filetest.WantError(t, planError(s), "spec tiny, protocol", days[0], days[1], "choose other days")
	}
}

// MovieLens' streams, where the file is at hand, are those of the committed results.
func TestMovieLensPlans(t *testing.T) {
	t.Setenv(files.PathVariable, dataPath)
	for _, name := range []string{"movielens-small", "movielens-50k"} {
		t.Run(name, func(t *testing.T) {
			s := filetest.Must(spec.Load(name))(t)
			for _, source := range ratings.Sources() {
				if _, err := source.Find(); source.Name == s.Dataset && err != nil {
					t.Skipf("%s is not here, since its terms keep it out of the checkout; set %s to its folder to test with it", source.Name, files.PathVariable)
				}
			}
			made, p := loaded(t, s)
			filetest.WantEqual(t, p.Describe(), filetest.Must(result.Read("../out/"+name+".json"))(t).Stream, "stream")
			filetest.WantEqual(t, made.About().Verified, true, "data are verified")
		})
	}
}

// Memory is measured about a hundred times along a stream, of ratings only, and at its end where that is a hundredth.
func TestMemorySamples(t *testing.T) {
	for steps, want := range map[int]struct{ n, first int }{1: {1, 1}, 99: {99, 1}, 100: {100, 1}, 250: {125, 2}, 2838: {101, 28}} {
		p := &protocol.Plan{Stream: &tables.Stream{Steps: make([][]int32, steps)}, Users: make([]int, steps)}
		var all []result.Memory
		for step := range steps {
			all = append(all, (&job{}).memory(p, step)...)
		}
		filetest.WantEqual(t, len(all), want.n, "measurements in %d steps: number", steps)
		filetest.WantEqual(t, all[0].Step, want.first, "measurements in %d steps: the first step", steps)
		p.Users = nil
		filetest.WantEqual(t, (&job{}).memory(p, steps-1), nil, "memory without users")
	}
}

// A generated set is opened by its name, and its columns are its checksum.
func TestGeneratedRatings(t *testing.T) {
	spec := tinyRatings(t)
	spec.Dataset = "generated-320k"
	made, p := loaded(t, spec)
	about := made.About()
	filetest.Want(t, len(about.SHA256) == 64 && about.Verified && len(p.Steps) == 6, "%+v, %d steps", about, len(p.Steps))
	filetest.WantEqual(t, about.NumItems, 2009+len(ratingsOf(t, spec).MovieIDs), "number of items")
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
	s.Methods[1] = spec.Method{Name: "P-EE all", Rows: phe.Vocabulary, Estimate: phe.Posterior, UpdateEpochs: 1, Scope: phe.AllParameters, Genres: ncf.Embedded}
	f, r := inFull(t, s), ratingsOf(t, s)
	_, p := loaded(t, s)
	cold := coldCells(r, p)
	for _, m := range s.Methods {
		d, c := ledByHand(t, s, m, 1)
		h := newHandScore()
		along(t, d, m, p, func(day int, predicted []float32) {
			filetest.WantEqual(t, len(predicted), 3*len(p.Steps[day]), "number of predictions")
			for i, row := range p.Steps[day] {
				means := []float64{float64(predicted[3*i]), float64(predicted[3*i+1]), float64(predicted[3*i+2])}
				h.rating(r.HalfStars[row], cold[row], ncf.Predictive{Means: means, StdDev: c.Recommender.StdDev})
			}
			h.endStep()
		})
		h.check(t, m.Name, methodOf(t, f, m.Name, false).Runs[1])
		filetest.Want(t, slices.Min(h.cells) >= 1, "%s: calibration %v; the test meant to see all cells", m.Name, h.cells)
	}
}

// spy remembers what models predict.
type spy struct {
	task.Task
	predictions [][]float32
}

func (s *spy) Judge(c spec.Config, rows []int32) protocol.Judge {
	judge := s.Task.Judge(c, rows)
	return func(predictions []float32) protocol.Score {
		s.predictions = append(s.predictions, slices.Clone(predictions))
		return judge(predictions)
	}
}

// RowLearner returns a learner whose predictions the spy remembers too.
func (s *spy) RowLearner(c spec.Config, m spec.Method, from task.Beginning) (task.RowLearner, error) {
	l, err := s.Task.RowLearner(c, m, from)
	if err != nil {
		return nil, err
	}
	judged := l.(task.Judged)
	judged.Judge = func(rows []int32) protocol.Judge { return s.Judge(c, rows) }
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
			areNotForeseen(t, s)
		})
	}
}

func areNotForeseen(t *testing.T, spec spec.Spec) {
	t.Helper()
	before := spied(t, spec)
	const day = 2
	_, p := loaded(t, spec)
	changeRatings(t, func(r *ratings.Ratings) {
		row := p.Steps[day][0]
		r.HalfStars[row] = 11 - r.HalfStars[row]
	})
	for d, after := range spied(t, spec) {
		filetest.WantEqual(t, slices.Equal(after, before[d]), d <= day, "one of day %d has changed, day %d is predicted alike", day, d)
	}
	changeRatings(t, func(r *ratings.Ratings) { r.HalfStars[p.Initial[0]] = 11 - r.HalfStars[p.Initial[0]] })
	filetest.Want(t, !slices.Equal(spied(t, spec)[0], before[0]), "an initial rating changes nothing")
}

// slowRival predicts each day's ratings anew from all blocks learned before it, in the words of the rivals' names:
// deviations refer to the other parts' predictions when the block had been learned, and each has ten more ratings of 0.
func slowRival(name string, r *ratings.Ratings, p *protocol.Plan) [][]float64 {
	y := func(row int32) float64 { return float64(r.HalfStars[row]) / 10 }
	blocks := append([][]int32{p.Initial}, p.Steps...)
	mean := func(last int) float64 { // of all ratings of the blocks up to and with one
		sum, n := 0.0, 0.0
		for _, block := range blocks[:last+1] {
			for _, row := range block {
				sum, n = sum+y(row), n+1
			}
		}
		return sum / n
	}
	means := make([]float64, len(blocks))
	for b := range blocks {
		means[b] = mean(b)
	}
	drawn := func(last int, mine func(row int32) bool, base func(block int, row int32) float64) float64 {
		sum, n := 0.0, 10.0
		for b, block := range blocks[:last+1] {
			for _, row := range block {
				if mine(row) {
					sum, n = sum+y(row)-base(b, row), n+1
				}
			}
		}
		return sum / n
	}
	film := func(last int, f int32) float64 {
		return drawn(last, func(row int32) bool { return r.Movies[row] == f }, func(b int, _ int32) float64 { return means[b] })
	}
	user := func(last int, u int32, base func(block int, row int32) float64) float64 {
		return drawn(last, func(row int32) bool { return r.Users[row] == u }, base)
	}
	days := make([][]float64, len(p.Steps))
	for day, rows := range p.Steps {
		for _, row := range rows {
			says := means[day] // the initial block is number 0
			switch name {
			case "User mean":
				says += user(day, r.Users[row], func(b int, _ int32) float64 { return means[b] })
			case "Film mean":
				says += film(day, r.Movies[row])
			case baseline.Biases:
				says += film(day, r.Movies[row]) + user(day, r.Users[row], func(b int, row int32) float64 { return means[b] + film(b, r.Movies[row]) })
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
	made, p := loaded(t, spec)
	r := ratingsOf(t, spec)
	methods := filetest.Must(made.Baselines(spec, p))(t)
	filetest.WantEqual(t, len(methods), 4, "number of rivals")
	cold := coldCells(r, p)
	for i, name := range []string{"Global mean", "User mean", "Film mean", baseline.Biases} {
		m := methods[i]
		filetest.WantEqual(t, m.Name, name, "rival %d", i)
		filetest.Want(t, baseline.Has(name) && !m.Frozen && m.Hash == "" && m.Parameters == 0, "rival %+v", m)
		says, h := slowRival(name, r, p), newHandScore()
		for day, rows := range p.Steps {
			for i, row := range rows {
				h.rating(r.HalfStars[row], cold[row], ncf.Predictive{Means: says[day][i : i+1], StdDev: 0.2})
			}
			h.endStep()
		}
		filetest.WantEqual(t, len(m.Runs), 2, "%s: number of runs", name)
		for _, run := range m.Runs {
			filetest.WantEqual(t, len(run.Rows), len(p.Steps), "%s: number of days", name)
			h.check(t, name, run)
		}
	}
}
