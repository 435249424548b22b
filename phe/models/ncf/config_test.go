package ncf_test

import (
	"math"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/ncf"
)

// A damaged configuration is refused by what would be right, and so is data that does not fit, on the host: an accelerator would clamp its
// indices in silence.
func TestRefuses(t *testing.T) {
	filetest.Check(t, ncf.Paper().Validate())
	// The paper's Table 4 counts 460,414 parameters: of both tables, and means alone.
	filetest.Want(t, ncf.Paper().Encoder.NumParameters(), 460414, "parameters of the default's embedding module, by Table 4")
	for _, c := range []struct {
		right  string
		damage func(*ncf.Config, *ncf.Data)
	}{
		{"hidden is 0; it must be at least 1 (the authors take 50)", func(c *ncf.Config, _ *ncf.Data) { c.Hidden = 0 }},
		{"std_dev is 0; it must be above 0, in units of ratings scaled to [0, 1]", func(c *ncf.Config, _ *ncf.Data) { c.StdDev = 0 }},
		{"std_dev is -0.3; it must be above 0", func(c *ncf.Config, _ *ncf.Data) { c.StdDev = -0.3 }},
		{"std_dev is NaN; it must be above 0", func(c *ncf.Config, _ *ncf.Data) { c.StdDev = math.NaN() }},
		{`label_input is ""; choose "multi-hot" (the paper), "embedded" or "none"`, func(c *ncf.Config, _ *ncf.Data) { c.LabelInput = "" }},
		{`label_input is "some"; choose`, func(c *ncf.Config, _ *ncf.Data) { c.LabelInput = "some" }},
		{`scheme "moments" works on one logit of a linear head; a recommender needs embeddings: use scheme "local"`, func(c *ncf.Config,
			_ *ncf.Data) {
			c.Scheme = phe.Moments
		}},
		{`use scheme "local"`, func(c *ncf.Config, _ *ncf.Data) { c.Scheme = phe.Quadrature }},
		{`scheme "table" draws whole tables, and a recommender's steps take only the rows they touch; use scheme "local"`,
			func(c *ncf.Config, _ *ncf.Data) { c.Scheme = phe.Table }},
		{`scope is "incremental-column"; users and items both keep appearing: use "all-columns" or "all-parameters"`, func(c *ncf.Config,
			_ *ncf.Data) {
			c.Scope = phe.IncrementalColumn
		}},
		{"likelihood_floor is 1e-08; it belongs to classifiers, so leave it out", func(c *ncf.Config, _ *ncf.Data) {
			c.Loss, c.LikelihoodFloor = phe.LogAverage, 1e-8
		}},

		{"data does not fit: 97 ratings have 96 users and 97 items, and 19 items have 19 sets of labels",
			func(c *ncf.Config, d *ncf.Data) { d.User = d.User[1:] }},
		{"97 ratings have 97 users and 96 items", func(c *ncf.Config, d *ncf.Data) { d.Item = d.Item[1:] }},
		{"96 ratings have 97 users", func(c *ncf.Config, d *ncf.Data) { d.Ratings = d.Ratings[1:] }},
		{"19 items have 18 sets of labels", func(c *ncf.Config, d *ncf.Data) { d.ItemLabels = d.ItemLabels[1:] }},
		{"18 items have 19 sets of labels", func(c *ncf.Config, d *ncf.Data) { d.Items = d.Items[1:] }},
		{`0 labels with label_input "multi-hot"; give 1 to 32, or none with "none"`, func(c *ncf.Config, d *ncf.Data) { c.Labels = nil }},
		{`5 labels with label_input "none"; give 1 to 32, or none with "none"`,
			func(c *ncf.Config, d *ncf.Data) { c.LabelInput = ncf.NoLabels }},
		{"33 labels", func(c *ncf.Config, d *ncf.Data) { c.Labels = labelNames(33) }},
		{`item "-3" has label number 5; there are 5, counted from 0`, func(c *ncf.Config, d *ncf.Data) { d.ItemLabels[2] = 1 << 5 }},
		{`item "-2" has label number 4; there are 4, counted from 0`, func(c *ncf.Config, d *ncf.Data) { c.Labels = c.Labels[1:] }},
		{`item "-1" has label number 31; there are 31`,
			func(c *ncf.Config, d *ncf.Data) { c.Labels, d.ItemLabels[0] = labelNames(31), 1<<31 }},
		{"rating 3 is 1.5; scale ratings to lie between 0 and 1", func(c *ncf.Config, d *ncf.Data) { d.Ratings[3] = 1.5 }},
		{"rating 0 is -0.5", func(c *ncf.Config, d *ncf.Data) { d.Ratings[0] = -0.5 }},
		{"rating 96 is NaN", func(c *ncf.Config, d *ncf.Data) { d.Ratings[96] = float32(math.NaN()) }},
		{"rating 1 is +Inf", func(c *ncf.Config, d *ncf.Data) { d.Ratings[1] = float32(math.Inf(1)) }},
		{"rating 7 is of user 11 and item 7; there are 11 users and 19 items, counted from 0",
			func(c *ncf.Config, d *ncf.Data) { d.User[7] = 11 }},
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
}
