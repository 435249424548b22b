package run

import (
	"context"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"testing"
	"time"

	"gophe/data/ratings"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"
)

// handScore adds up by the words of the metrics' names, and by the textbook's formulas.
type handScore struct {
	series map[string][]float64 // of each day
	cells  []float64
	cold   map[string][]result.Tally
}

// day scores predictions of a day's ratings: some means each, of one deviation.
func (h *handScore) day(r *ratings.Ratings, cold map[int32][4]int, rows []int32, law func(i int) (means []float64, stdDev float64)) {
	if h.series == nil {
		h.series, h.cells, h.cold = map[string][]float64{}, make([]float64, 20), map[string][]result.Tally{}
	}
	sum := map[string]float64{}
	for i, row := range rows {
		half := int(r.HalfStars[row])
		all, stdDev := law(i)
		y, n := float64(half)/10, float64(len(all))
		mean, apart, density := 0.0, 0.0, 0.0
		for _, m := range all {
			mean += m / n
			apart += math.Abs(m-y) / n
			density += math.Exp(-(y-m)*(y-m)/(2*stdDev*stdDev)) / math.Sqrt(2*math.Pi*stdDev*stdDev) / n
		}
		below := func(y float64) float64 {
			p := 0.0
			for _, m := range all {
				p += math.Erfc((m-y)/(stdDev*math.Sqrt2)) / 2 / n
			}
			return p
		}
		sum[measure.RatingError] += math.Abs(mean - y)
		sum[measure.SampleError] += apart
		sum[measure.SquaredError] += (mean - y) * (mean - y)
		sum[measure.LogLikelihood] += math.Log(density)
		from, to := 0., 1. // the lowest and the highest rating stand for an open interval
		if half > 1 {
			from = below((float64(half) - 0.5) / 10)
		}
		if half < 10 {
			to = below((float64(half) + 0.5) / 10)
		}
		for k := range h.cells {
			if overlap := min(to, float64(k+1)/20) - max(from, float64(k)/20); overlap > 0 {
				h.cells[k] += overlap / (to - from)
			}
		}
		for way, name := range []string{"user first", "film first", "user learned", "film learned"} {
			if h.cold[name] == nil {
				h.cold[name] = make([]result.Tally, 5)
			}
			h.cold[name][cold[row][way]].Rows++
			h.cold[name][cold[row][way]].Error += math.Abs(mean - y)
		}
	}
	for metric, value := range sum {
		h.series[metric] = append(h.series[metric], value/float64(len(rows)))
	}
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

// check compares with a run's result: means to the file's digits. Sums over all ratings are float32 in the program, so each
// rating has the same tolerance.
func (h *handScore) check(t *testing.T, name string, run result.Run) {
	t.Helper()
	tolerance := 1e-6
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < tolerance) {
			t.Errorf("%s: %s is %v by hand, %v by the runner", name, what, want, got)
		}
	}
	for _, metric := range ratingMetrics {
		got, want := run.Series(metric), h.series[metric]
		if len(got) != len(want) {
			t.Fatalf("%s: %s of %d days, want %d", name, metric, len(got), len(want))
		}
		for day := range want {
			near(metric+" of day "+strconv.Itoa(day), got[day], want[day])
		}
	}
	for _, n := range run.Rows {
		tolerance += 1e-7 * float64(n)
	}
	for i := range h.cells {
		near("cell "+strconv.Itoa(i), run.Calibration[i], h.cells[i])
	}
	for way, cells := range h.cold {
		for i, want := range cells {
			near(way+" "+strconv.Itoa(i)+", rows", run.Tallies[way][i].Rows, want.Rows)
			near(way+" "+strconv.Itoa(i)+", errors", run.Tallies[way][i].Error, want.Error)
		}
	}
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

// ratingLearner is a method's learner of seed 1 after the initial phase.
func ratingLearner(t *testing.T, spec spec.Spec, m spec.Method, r *ratings.Ratings, p *protocol.Plan) (Device, spec.Config) {
	t.Helper()
	c := spec.Config(m, len(r.UserIDs)+len(r.MovieIDs))
	config := ncf.Config{Config: c.Config, Recommender: c.RecommenderModel().Recommender}
	d := ncf.Data{User: r.Users, Item: r.Movies, ItemLabels: r.Genres}
	for _, genre := range ratings.Genres() {
		config.Labels = append(config.Labels, "genre_"+genre)
	}
	for _, id := range r.UserIDs {
		d.Users = append(d.Users, strconv.Itoa(int(id)))
	}
	for _, id := range r.MovieIDs {
		d.Items = append(d.Items, strconv.Itoa(-int(id)))
	}
	for _, half := range r.HalfStars {
		d.Ratings = append(d.Ratings, float32(half)/10)
	}
	model := filetest.Must(ncf.New(config))(t)
	learner := ledByHand(t, options(t, ""), model.Network, c.Config, 1, p.LargestStep(), false, func() (*learn.Batch, error) { return model.Batch(d) })
	filetest.Check(t, learner.Fit(learner.All.Take(p.Initial), spec.Protocol.InitialEpochs))
	learner.Settle()
	return learner, c
}

// The runner takes the very steps that one would take by hand: predict and score a day's ratings, then learn from them.
func TestRecommendByHand(t *testing.T) {
	changeRatings(t, fromHalfToFive)
	s := tinyRatings(t)
	s.Protocol.MaxChunks, s.Protocol.InitialEpochs, s.Model.LearningRate = 20, 40, 0.03 // so that predictions are on the scale
	s.Methods[1] = spec.Method{Name: "P-EE all", Rows: phe.Vocabulary, Estimate: phe.Posterior, UpdateEpochs: 1, Scope: phe.AllParameters, Genres: ncf.Embedded}
	f := mustExecute(t, s, options(t, t.TempDir()))
	_, p, r := taskOf(t, s)
	cold := coldCells(r, p)
	for _, m := range s.Methods {
		learner, c := ratingLearner(t, s, m, r, p)
		var h handScore
		for day, rows := range p.Steps {
			predicted := predictedAt(t, learner, rows, day)
			if len(predicted) != 3*len(rows) {
				t.Fatalf("%d predictions of %d rows", len(predicted), len(rows))
			}
			h.day(r, cold, rows, func(i int) ([]float64, float64) {
				return []float64{float64(predicted[3*i]), float64(predicted[3*i+1]), float64(predicted[3*i+2])}, c.Recommender.StdDev
			})
			filetest.Check(t, learner.Update(learner.All.Take(rows), m.UpdateEpochs))
		}
		h.check(t, m.Name, methodOf(t, f, m.Name, false).Runs[1])
		if least := slices.Min(h.cells); least < 1 {
			t.Errorf("%s: calibration %v; the test meant to see all cells", m.Name, h.cells)
		}
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
	made, p, _ := taskOf(t, spec)
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
	_, p, _ := taskOf(t, spec)
	changeRatings(t, func(r *ratings.Ratings) {
		row := p.Steps[day][0]
		r.HalfStars[row] = 11 - r.HalfStars[row]
	})
	for d, after := range spied(t, spec) {
		if same := slices.Equal(after, before[d]); same != (d <= day) {
			t.Errorf("day %d, after a rating of day %d has changed: the same predictions: %v", d, day, same)
		}
	}
	changeRatings(t, func(r *ratings.Ratings) { r.HalfStars[p.Initial[0]] = 11 - r.HalfStars[p.Initial[0]] })
	if after := spied(t, spec); slices.Equal(after[0], before[0]) {
		t.Error("an initial rating changes nothing")
	}
}
