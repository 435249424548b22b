package run

import (
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/tables"
	"gophe/experiments/measure"
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

// taskOf returns the task and the plan of a spec of ratings, and its ratings.
func taskOf(t *testing.T, spec spec.Spec) (task.Task, *protocol.Plan, *ratings.Ratings) {
	t.Helper()
	made, p, err := task.Load(spec, files.Options{AllowAltered: true})
	filetest.Check(t, err)
	return made, p, filetest.Must(data.OpenRatings(spec.Dataset, files.Options{AllowAltered: true}))(t)
}

// planOf returns the plan of a spec whose protocol is changed.
func planOf(s spec.Spec, change func(*protocol.Spec)) (*protocol.Plan, error) {
	change(&s.Protocol)
	if err := s.Validate(); err != nil {
		return nil, err
	}
	_, p, err := task.Load(s, files.Options{AllowAltered: true})
	return p, err
}

// changeRatings puts TestMain's ratings, changed, in the place of its file.
func changeRatings(t *testing.T, change func(*ratings.Ratings)) {
	t.Helper()
	folder := t.TempDir()
	filetest.Check(t, fixture.ShortRatings(folder, change))
	t.Setenv(files.PathVariable, folder)
}

// ratingMetrics lists the metrics of a recommender's day.
var ratingMetrics = []string{measure.SampleError, measure.RatingError, measure.SquaredError, measure.LogLikelihood}

// dataPath is where the caller of the tests has data sets that are not part of the checkout.
var dataPath = os.Getenv(files.PathVariable)

// The days from spec to file, for all ways to represent items: what every row of the result holds, and the same result again. The
// scores are checked by hand in ratinghand_test.go.
func TestRecommend(t *testing.T) {
	s, out := tinyRatings(t), t.TempDir()
	s.Methods = append(s.Methods,
		spec.Method{Name: "EE", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 2},
		spec.Method{Name: "P-EE embedded", Rows: phe.Vocabulary, Estimate: phe.Posterior, UpdateEpochs: 2, Genres: ncf.Embedded})
	made, p, r := taskOf(t, s)
	var rows []int
	for _, step := range p.Steps {
		rows = append(rows, len(step))
	}
	f := mustExecute(t, s, options(t, out))
	checkRatingStream(t, f, r, p)
	items := made.About().NumItems
	numbers := map[string]int{"PHE": 2 * (31*3 + 17*2), "Ada": 31*3 + 17*2, "EE": items * 3, "P-EE embedded": 2 * (items + 20) * 3}
	if want := []string{"PHE", "Ada", "EE", "P-EE embedded", "PHE (frozen)", "Ada (frozen)", "EE (frozen)", "P-EE embedded (frozen)",
		"Global mean", "User mean", "Film mean", baseline.Biases}; !slices.Equal(labelsOf(f), want) {
		t.Errorf("methods %q, want %q", labelsOf(f), want)
	}
	for i := range f.Methods {
		m, isModel, steps := &f.Methods[i], i < 8, 0
		if m.Protocol != protocol.Recommend || m.Dataset != s.Dataset || m.Convention != protocol.Ours || len(m.Runs) != 2 || m.Parameters != numbers[m.Name] {
			t.Fatalf("%s is of %s %s %s, %d parameters, %d runs", m.Label(), m.Convention, m.Dataset, m.Protocol, m.Parameters, len(m.Runs))
		}
		if i < 4 {
			steps = 6 * s.Methods[i].UpdateEpochs
		}
		for k, run := range m.Runs {
			if run.Seed != int64(k) || run.Status != result.Complete || !slices.Equal(run.Rows, rows) || run.Accuracy != nil || run.Tests != nil || len(run.Scores) != 3 {
				t.Errorf("%s: %+v", m.Label(), run)
			}
			if run.UpdateSteps != steps || run.InitialSteps != fixture.Pick(isModel, 2, 0) || len(run.Memory) != fixture.Pick(isModel, 6, 0) {
				t.Errorf("%s took %d and %d steps; memory %v", m.Label(), run.InitialSteps, run.UpdateSteps, run.Memory)
			}
			for step, memory := range run.Memory {
				if memory.Step != step+1 || memory.Megabytes < 0 {
					t.Errorf("%s: memory %+v at step %d", m.Label(), memory, step)
				}
			}
			if inAll := floats.Sum(run.Calibration); len(run.Calibration) != 20 || len(run.Tallies) != 4 || math.Abs(inAll-float64(len(slices.Concat(p.Steps...)))) > 1e-6 {
				t.Errorf("%s: %v ratings in the cells %v, tallies %v", m.Label(), inAll, run.Calibration, run.Tallies)
			}
		}
		for _, metric := range measure.Metrics(m) {
			if v, ok := measure.Of(metric, f, m, &m.Runs[0]); !ok || !(math.Abs(v) <= 100) {
				t.Errorf("%s of %s is %v, %v", metric, m.Label(), v, ok)
			}
		}
	}
	wantNoNull(t, out)
	wantSameAgain(t, s, readResult(t, out))
	for _, m := range s.Methods {
		wantSameFirstDay(t, f, m.Name, ratingMetrics)
		wantLearned(t, f, m.Name, ratingMetrics...)
	}
	wantOtherSeeds(t, f.Methods[0])
}

// checkRatingStream compares a result's days, users and data with the ratings. It counts users slowly.
func checkRatingStream(t *testing.T, f *result.File, r *ratings.Ratings, p *protocol.Plan) {
	t.Helper()
	stream := f.Stream
	if f.Status != result.Complete || stream.Initial != 216 || stream.Steps != 6 || len(stream.Tests)+len(stream.Changes) != 0 || len(stream.Days) != 6 || len(stream.Users) != 6 || !slices.IsSorted(stream.Days) || stream.Days[0] < "2000-01-01" {
		t.Fatalf("%s, stream %+v", f.Status, stream)
	}
	seen := map[int32]bool{}
	for i, step := range append([][]int32{p.Initial}, p.Steps...) {
		for _, row := range step {
			seen[r.Users[row]] = true
			if day := time.Unix(int64(r.Seconds[row]), 0).UTC().Format(time.DateOnly); i > 0 && day != stream.Days[i-1] {
				t.Errorf("step %d of %s has a rating of %s", i-1, stream.Days[i-1], day)
			}
		}
		if i > 0 && stream.Users[i-1] != len(seen) {
			t.Errorf("%d users by the end of step %d, want %d", stream.Users[i-1], i-1, len(seen))
		}
	}
	if m := f.Manifest; m.Dataset != "ml-latest-small" || m.DataSHA256 != r.SHA256 || m.DataVerified {
		t.Errorf("manifest %+v", m)
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
		if got.Encoder.Capacity != c.want || got.Encoder.NumParameters() != 2*3*c.want {
			t.Errorf("model %s, method %q: room for %d items, %d parameters; want %d", c.model, c.own, got.Encoder.Capacity, got.Encoder.NumParameters(), c.want)
		}
		if hashed := s.Config(spec.Method{Rows: phe.Hashed, Estimate: phe.Posterior, Genres: c.own}, 250); hashed.Encoder.NumParameters() != 2*(31*3+17*2) {
			t.Errorf("hashed, model %s, method %q: %d parameters", c.model, c.own, hashed.Encoder.NumParameters())
		}
	}
}

// A method with other genres than the model's has its own model and its own frozen row. A repeated setting has neither.
func TestOwnGenres(t *testing.T) {
	s := tinyRatings(t)
	s.Seeds, s.Protocol.MaxChunks, s.Methods = s.Seeds[:1], 1, nil
	for _, genres := range []ncf.LabelInput{ncf.MultiHot, ncf.Embedded, ncf.NoLabels} {
		s.Methods = append(s.Methods, spec.Method{Name: "PHE " + string(genres), Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1, Genres: genres})
	}
	f := mustRun(t, s, options(t, t.TempDir()))
	wantOwnModels(t, f, s.Methods)
	if unsaid := (spec.Method{Rows: phe.Hashed, Estimate: phe.Posterior}); s.Config(unsaid, 7) != s.Config(s.Methods[0], 7) {
		t.Error("a recommender is not multi-hot by itself")
	}
}

// Ratings are cut by the fields that name the days and their number.
func TestRatingPlans(t *testing.T) {
	cut := func(change func(*protocol.Spec)) (*protocol.Plan, error) { return planOf(tinyRatings(t), change) }
	must := func(change func(*protocol.Spec)) *protocol.Plan { return filetest.Must(cut(change))(t) }
	short, all := must(func(*protocol.Spec) {}), must(func(p *protocol.Spec) { p.MaxChunks = 0 })
	if !short.Scored || short.Untrained || len(short.Tests) != 0 || len(all.Steps) != 69 || len(all.Days) != 69 || len(all.Users) != 69 {
		t.Errorf("%d steps, %d days, %d counts of users", len(all.Steps), len(all.Days), len(all.Users))
	}
	if !slices.Equal(short.Initial, all.Initial) || !slices.Equal(short.Days, all.Days[:6]) || !slices.Equal(short.Users, all.Users[:6]) || !slices.EqualFunc(short.Steps, all.Steps[:6], slices.Equal[[]int32]) {
		t.Error("max_chunks changes more than the end")
	}
	if same := must(func(p *protocol.Spec) { p.MaxChunks = 69 }); len(same.Steps) != 69 {
		t.Errorf("%d of 69 days", len(same.Steps))
	}
	later := must(func(p *protocol.Spec) { p.FirstDay, p.MaxChunks = "2010-01-01", 0 })
	if len(later.Initial) <= len(all.Initial) || len(later.Days) >= 69 || later.Days[0] < "2010-01-01" || !slices.Equal(later.Days, all.Days[69-len(later.Days):]) {
		t.Errorf("from 2010 on: %q after %d ratings", later.Days, len(later.Initial))
	}
	if younger := must(func(p *protocol.Spec) { p.FromDay = "1998-01-01" }); len(younger.Initial) >= len(all.Initial) || !slices.Equal(younger.Days, short.Days) {
		t.Errorf("ratings of 1998 on: %d; days %q", len(younger.Initial), younger.Days)
	}
	for _, days := range [][2]string{{"2000-01-01", "2030-01-01"}, {"2024-01-01", "2024-02-01"}, {"1990-01-01", "1990-01-02"}} {
		_, err := cut(func(p *protocol.Spec) { p.FromDay, p.FirstDay = days[0], days[1] })
		filetest.WantError(t, err, "spec tiny, protocol", days[0], days[1], "choose other days")
	}
}

// MovieLens' numbers, where the file is at hand, equal the numbers of package ratings' stream.
func TestMovieLensPlans(t *testing.T) {
	t.Setenv(files.PathVariable, dataPath)
	for name, want := range map[string]struct{ initial, days, ratings, users int }{"movielens-small": {8721, 2838, 69965, 610}, "movielens-50k": {4368, 1379, 33272, 0}} {
		t.Run(name, func(t *testing.T) {
			spec := filetest.Must(spec.Load(name))(t)
			for _, source := range ratings.Sources() {
				if _, err := source.Find(); source.Name == spec.Dataset && err != nil {
					t.Skipf("%s is not here, since its terms keep it out of the checkout; set %s to its folder to test with it", source.Name, files.PathVariable)
				}
			}
			made, p, r := taskOf(t, spec)
			n := 0
			for _, step := range p.Steps {
				n += len(step)
			}
			if len(p.Initial) != want.initial || len(p.Steps) != want.days || len(p.Days) != want.days || len(p.Users) != want.days || n != want.ratings {
				t.Errorf("%d initial ratings, then %d on %d days", len(p.Initial), n, len(p.Steps))
			}
			if last := p.Users[len(p.Users)-1]; want.users > 0 && last != want.users || last > len(r.UserIDs) {
				t.Errorf("%d users in the end", last)
			}
			if !made.About().Verified {
				t.Error("not verified")
			}
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
		if len(all) != want.n || all[0].Step != want.first {
			t.Errorf("%d steps: measured %d times, first after step %d", steps, len(all), all[0].Step)
		}
		if p.Users = nil; (&job{}).memory(p, steps-1) != nil {
			t.Error("measured without users")
		}
	}
}

// A generated set is opened by its name, and its columns are its checksum.
func TestGeneratedRatings(t *testing.T) {
	spec := tinyRatings(t)
	spec.Dataset = "generated-320k"
	made, p, r := taskOf(t, spec)
	if about := made.About(); len(about.SHA256) != 64 || !about.Verified || len(p.Steps) != 6 || about.NumItems != 2009+len(r.MovieIDs) {
		t.Errorf("%+v, %d steps", about, len(p.Steps))
	}
}
