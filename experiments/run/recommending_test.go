package run

import (
	"cmp"
	"os"
	"slices"
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

// The days from spec to file, for all ways to represent items. The scores are checked by hand in ratinghand_test.go.
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

// A method with other genres than the model's has its own model and its own frozen row. A repeated setting has neither.
func TestOwnGenres(t *testing.T) {
	s := tinyRatings(t)
	s.Seeds, s.Protocol.MaxChunks, s.Methods = s.Seeds[:1], 1, nil
	for _, genres := range []ncf.LabelInput{ncf.MultiHot, ncf.Embedded, ncf.NoLabels} {
		s.Methods = append(s.Methods, spec.Method{Name: "PHE " + string(genres), Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1, Genres: genres})
	}
	wantOwnModels(t, resultOf(t, s), s.Methods)
	unsaid := spec.Method{Rows: phe.Hashed, Estimate: phe.Posterior}
	filetest.WantEqual(t, s.Config(unsaid, 7), s.Config(s.Methods[0], 7), "a recommender that says nothing of genres")
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
			filetest.WantEqual(t, p.Describe(), filetest.Must(committedResults().Find(name))(t).Stream, "stream")
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
