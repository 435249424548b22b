package ncf_test

import (
	"math"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/ncf"
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
		{`label_input is ""; choose "multi-hot" (the paper), "embedded" or "none"`, func(c *ncf.Config) { c.LabelInput = "" }},
		{`label_input is "some"; choose`, func(c *ncf.Config) { c.LabelInput = "some" }},
		{`scheme "moments" works on one logit of a linear head; a recommender needs embeddings: use scheme "local"`, func(c *ncf.Config) { c.Scheme = phe.Moments }},
		{`use scheme "local"`, func(c *ncf.Config) { c.Scheme = phe.Quadrature }},
		{`scheme "table" draws whole tables, and a recommender's steps take only the rows they touch; use scheme "local"`, func(c *ncf.Config) { c.Scheme = phe.Table }},
		{`scheme is "all"; choose "rows"`, func(c *ncf.Config) { c.Scheme = "all" }},
		{`use scheme "items"`, func(c *ncf.Config) { c.Encoder.Assembly, c.Encoder.NumWeights = phe.Maximum, 0 }},
		{`scope is "incremental-column"; users and items both keep appearing: use "all-columns" or "all-parameters"`, func(c *ncf.Config) { c.Scope = phe.IncrementalColumn }},
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
		{"update_kl_weight is -1; it must be 0 (the initial phase's) or more", func(c *ncf.Config) { c.UpdateKLWeight = -1 }},
		{"batch_size is 0; it must be at least 1", func(c *ncf.Config) { c.BatchSize = 0 }},
	} {
		config := ncf.Default()
		c.damage(&config)
		filetest.WantError(t, config.Validate(), c.right)
		_, err := ncf.New(config)
		filetest.WantError(t, err, c.right)
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
func TestRefusedData(t *testing.T) {
	for _, c := range []struct {
		right  string
		damage func(*ncf.Config, *ncf.Data)
	}{
		{"data does not fit: 97 ratings have 96 users and 97 items, and 19 items have 19 sets of labels", func(c *ncf.Config, d *ncf.Data) { d.User = d.User[1:] }},
		{"97 ratings have 97 users and 96 items", func(c *ncf.Config, d *ncf.Data) { d.Item = d.Item[1:] }},
		{"96 ratings have 97 users", func(c *ncf.Config, d *ncf.Data) { d.Ratings = d.Ratings[1:] }},
		{"19 items have 18 sets of labels", func(c *ncf.Config, d *ncf.Data) { d.ItemLabels = d.ItemLabels[1:] }},
		{"18 items have 19 sets of labels", func(c *ncf.Config, d *ncf.Data) { d.Items = d.Items[1:] }},
		{`0 labels with label_input "multi-hot"; give 1 to 32, or none with "none"`, func(c *ncf.Config, d *ncf.Data) { c.Labels = nil }},
		{`5 labels with label_input "none"; give 1 to 32, or none with "none"`, func(c *ncf.Config, d *ncf.Data) { c.LabelInput = ncf.NoLabels }},
		{"33 labels", func(c *ncf.Config, d *ncf.Data) { c.Labels = labelNames(33) }},
		{`item "-3" has label number 5; there are 5, counted from 0`, func(c *ncf.Config, d *ncf.Data) { d.ItemLabels[2] = 1 << 5 }},
		{`item "-2" has label number 4; there are 4, counted from 0`, func(c *ncf.Config, d *ncf.Data) { c.Labels = c.Labels[1:] }},
		{`item "-1" has label number 31; there are 31`, func(c *ncf.Config, d *ncf.Data) { c.Labels, d.ItemLabels[0] = labelNames(31), 1<<31 }},
		{"rating 3 is 1.5; scale ratings to lie between 0 and 1", func(c *ncf.Config, d *ncf.Data) { d.Ratings[3] = 1.5 }},
		{"rating 0 is -0.5", func(c *ncf.Config, d *ncf.Data) { d.Ratings[0] = -0.5 }},
		{"rating 96 is NaN", func(c *ncf.Config, d *ncf.Data) { d.Ratings[96] = float32(math.NaN()) }},
		{"rating 1 is +Inf", func(c *ncf.Config, d *ncf.Data) { d.Ratings[1] = float32(math.Inf(1)) }},
		{"rating 7 is of user 11 and item 7; there are 11 users and 19 items, counted from 0", func(c *ncf.Config, d *ncf.Data) { d.User[7] = 11 }},
		{"rating 7 is of user -1", func(c *ncf.Config, d *ncf.Data) { d.User[7] = -1 }},
		{"rating 7 is of user 2 and item 19; there are", func(c *ncf.Config, d *ncf.Data) { d.User[7], d.Item[7] = 2, 19 }},
		{"rating 7 is of user 2 and item -1", func(c *ncf.Config, d *ncf.Data) { d.User[7], d.Item[7] = 2, -1 }},
	} {
		config, d := methods[0].config(), toyData()
		c.damage(&config, &d)
		m, err := ncf.New(config)
		if err == nil {
			_, err = m.Batch(d)
		}
		filetest.WantError(t, err, c.right)
	}
	c, d := methods[0].config(), toyData()
	c.Labels, d.ItemLabels[0] = labelNames(32), 1<<31
	d.Ratings[0], d.Ratings[1] = 0, 1
	m := filetest.Must(ncf.New(c))(t)
	filetest.Must(m.Batch(d))(t)
	setLabels(&c, ncf.NoLabels)
	m = filetest.Must(ncf.New(c))(t)
	d.ItemLabels = nil
	filetest.Must(m.Batch(d))(t)
}

// A vocabulary holds the users, the items, and the labels if they are embedded. Names beyond its capacity are refused, and the
// error changes nothing.
func TestFullVocabulary(t *testing.T) {
	c := methods[2].config()
	c.Encoder.Capacity = toyUsers + toyItems
	l := newPinned(t, c, toyData(), 2)
	if got := len(snapshot(t, l).Vocabulary); got != toyUsers+toyItems {
		t.Errorf("a vocabulary of %d items, want %d", got, toyUsers+toyItems)
	}
	c.LabelInput = ncf.Embedded // five items more
	l = newLearner(t, c, toyData(), toyRatings)
	_, pinned := l.Pin(l.All)
	all := rowsOf(0, toyRatings)
	for _, err := range []error{pinned, l.Fit(all, 1), l.Replay(all, 1), l.Update(all, 1)} {
		filetest.WantError(t, err, "raise capacity")
	}
	if s := snapshot(t, l); len(s.Vocabulary) > 0 || s.Counts != (learn.Counts{}) {
		t.Errorf("a full vocabulary holds %q, and the learner counts %+v", s.Vocabulary, s.Counts)
	}
}

// A learner's options are checked; no seeds are seed 0.
func TestOptions(t *testing.T) {
	c := methods[0].config()
	m := filetest.Must(ncf.New(c))(t)
	_, err := learn.New(m.Network(), c.Config, learn.Options{Backend: learntest.Backend(t), MaxUpdated: -1})
	filetest.WantError(t, err, "most updated is -1 records; give at least 1")
	_, err = m.NewLearner(nil)
	filetest.WantError(t, err, "a learner needs a backend")
	l := filetest.Must(m.NewLearner(learntest.Backend(t)))(t)
	defer l.Close()
	zero := snapshot(t, newLearner(t, c, toyData(), 0, 0))
	if got := snapshot(t, learntest.Led{Learner: l}); !slices.EqualFunc(got.Parameters, zero.Parameters, slices.Equal[[]float32]) {
		t.Error("no seeds are not seed 0")
	}
}
