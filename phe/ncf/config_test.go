package ncf_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gophe/phe"
	"gophe/phe/ncf"
	"gophe/phe/phetest"
)

// Each damage is refused by a message that says what would be right.
func TestConfigValidate(t *testing.T) {
	for _, c := range []struct {
		right  string
		damage func(*ncf.Config)
	}{
		{"hidden is 0; it must be at least 1 (the authors take 50)", func(c *ncf.Config) { c.Hidden = 0 }},
		{"std_dev is 0; it must be above 0, in units of ratings scaled to [0, 1]", func(c *ncf.Config) { c.StdDev = 0 }},
		{"std_dev is -0.3; it must be above 0", func(c *ncf.Config) { c.StdDev = -0.3 }},
		{"std_dev is NaN; it must be above 0", func(c *ncf.Config) { c.StdDev = math.NaN() }},
		{`genres is ""; choose "multi-hot" (the paper), "embedded" or "none"`, func(c *ncf.Config) { c.Genres = "" }},
		{`genres is "some"; choose`, func(c *ncf.Config) { c.Genres = "some" }},
		{`scheme "moments" works on one logit of a linear head; a recommender needs embeddings: use scheme "local"`, func(c *ncf.Config) { c.Scheme = phe.Moments }},
		{`use scheme "local"`, func(c *ncf.Config) { c.Scheme = phe.Quadrature }},
		{`scheme "table" draws whole tables, and a recommender's steps take only the rows they touch; use scheme "local"`, func(c *ncf.Config) { c.Scheme = phe.Table }},
		{`scheme is "all"; choose "rows"`, func(c *ncf.Config) { c.Scheme = "all" }},
		{`use scheme "items"`, func(c *ncf.Config) { c.Encoder.Assembly, c.Encoder.NumWeights = phe.Maximum, 0 }},
		{`scope is "incremental-column"; users and films both keep appearing: use "all-columns" or "all-parameters"`, func(c *ncf.Config) { c.Scope = phe.IncrementalColumn }},
		{`update scope is ""; choose`, func(c *ncf.Config) { c.Scope = "" }},
		{"likelihood_floor is 1e-08; it belongs to classifiers, so leave it out", func(c *ncf.Config) { c.Loss, c.LikelihoodFloor = phe.LogAverage, 1e-8 }},
		{"likelihood_floor is -1; it must be 0 or more", func(c *ncf.Config) { c.LikelihoodFloor = -1 }},
		{"num_buckets (B) is 1; it must be at least 2", func(c *ncf.Config) { c.Encoder.NumBuckets = 1 }},
		{`loss is ""; choose "expected"`, func(c *ncf.Config) { c.Loss = "" }},
		{"train_samples is 0", func(c *ncf.Config) { c.TrainSamples = 0 }},
		{"both must be at least 1", func(c *ncf.Config) { c.TestSamples = 0 }},
		{"kl_weight is -1; it must be 0 or more", func(c *ncf.Config) { c.KLWeight = -1 }},
		{"learning_rate is 0; it must be above 0", func(c *ncf.Config) { c.LearningRate = 0 }},
		{"update_learning_rate is -1", func(c *ncf.Config) { c.UpdateLearningRate = -1 }},
		{"batch_size is 0; it must be at least 1", func(c *ncf.Config) { c.BatchSize = 0 }},
	} {
		config := ncf.Default()
		c.damage(&config)
		refused(t, config.Validate(), c.right)
		_, err := ncf.NewModel(phetest.Backend(t), config, toyData(), 1, 2)
		refused(t, err, c.right)
	}
	check(t, ncf.Default().Validate())
	for _, m := range methods {
		check(t, m.config().Validate())
	}
	// The paper's Table 4 counts 460,414 parameters: of both tables, and means alone.
	if n := ncf.Default().Encoder.NumParameters(); n != 460414 {
		t.Errorf("the default's embedding module has %d parameters; Table 4 has 460,414", n)
	}
}

// Data that does not fit is refused on the host: an accelerator would clamp its indices in silence.
func TestNewModelRefusesData(t *testing.T) {
	genres := func(n int) (names []string) {
		for g := range n {
			names = append(names, fmt.Sprint("genre_", g))
		}
		return
	}
	for _, c := range []struct {
		right  string
		damage func(*ncf.Data)
	}{
		{"data does not fit: 97 ratings have 96 users and 97 films, and 19 films have 19 sets of genres", func(d *ncf.Data) { d.User = d.User[1:] }},
		{"97 ratings have 97 users and 96 films", func(d *ncf.Data) { d.Film = d.Film[1:] }},
		{"96 ratings have 97 users", func(d *ncf.Data) { d.Ratings = d.Ratings[1:] }},
		{"19 films have 18 sets of genres", func(d *ncf.Data) { d.FilmGenres = d.FilmGenres[1:] }},
		{"18 films have 19 sets of genres", func(d *ncf.Data) { d.Films = d.Films[1:] }},
		{"0 genres; give 1 to 32", func(d *ncf.Data) { d.Genres = nil }},
		{"33 genres; give 1 to 32", func(d *ncf.Data) { d.Genres = genres(33) }},
		{`film "-3" is of genre number 5 and more; there are 5`, func(d *ncf.Data) { d.FilmGenres[2] = 1 << 5 }},
		{`film "-2" is of genre number 4 and more; there are 4`, func(d *ncf.Data) { d.Genres = d.Genres[1:] }},
		{`film "-1" is of genre number 31 and more; there are 31`, func(d *ncf.Data) { d.Genres, d.FilmGenres[0] = genres(31), 1<<31 }},
		{"rating 3 is 1.5; scale ratings to lie between 0 and 1", func(d *ncf.Data) { d.Ratings[3] = 1.5 }},
		{"rating 0 is -0.5", func(d *ncf.Data) { d.Ratings[0] = -0.5 }},
		{"rating 96 is NaN", func(d *ncf.Data) { d.Ratings[96] = float32(math.NaN()) }},
		{"rating 1 is +Inf", func(d *ncf.Data) { d.Ratings[1] = float32(math.Inf(1)) }},
		{"rating 7 is of user 11 and film 7; there are 11 users and 19 films, counted from 0", func(d *ncf.Data) { d.User[7] = 11 }},
		{"rating 7 is of user -1", func(d *ncf.Data) { d.User[7] = -1 }},
		{"rating 7 is of user 2 and film 19; there are", func(d *ncf.Data) { d.User[7], d.Film[7] = 2, 19 }},
		{"rating 7 is of user 2 and film -1", func(d *ncf.Data) { d.User[7], d.Film[7] = 2, -1 }},
	} {
		d := toyData()
		c.damage(&d)
		_, err := ncf.NewModel(phetest.Backend(t), methods[0].config(), d, 1, 2)
		refused(t, err, c.right)
	}
	d := toyData()
	d.Genres, d.FilmGenres[0] = genres(32), 1<<31
	d.Ratings[0], d.Ratings[1] = 0, 1
	_, err := ncf.NewModel(phetest.Backend(t), methods[0].config(), d, 1, 2)
	check(t, err)

	c := methods[2].config()
	c.Encoder.Capacity = toyUsers + toyFilms
	_, err = ncf.NewModel(phetest.Backend(t), c, toyData(), 1, 2)
	check(t, err)
	c.Genres = ncf.Embedded // five items more
	_, err = ncf.NewModel(phetest.Backend(t), c, toyData(), 1, 2)
	refused(t, err, "raise capacity")
	for _, sizes := range [][2]int{{0, 2}, {1, 0}} {
		_, err = ncf.NewModel(phetest.Backend(t), methods[0].config(), toyData(), sizes[0], sizes[1])
		refused(t, err, "at least one run and one row an update")
	}
}

func refused(t *testing.T, err error, right string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), right) {
		t.Errorf("refused by %v, which should say %s", err, right)
	}
}
