package run

import (
	"context"
	"maps"
	"slices"
	"sort"
	"testing"
	"time"

	"gophe/data/ratings"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/ncf"
)

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
