package run

import (
	"math"
	"testing"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task/ownmethod"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/onepass"
)

// asked is a valid run that a refusal changes: its spec, the first method, and the options.
type asked struct {
	t *testing.T
	s *spec.Spec
	m *spec.Method
	o *Options
}

// own asks for methods of the caller's own in a spec of the program.
func (a *asked) own(name string, methods ...ownmethod.Method) {
	*a.s, a.o.Own = filetest.Must(spec.Load(name))(a.t), methods
}

// refusal is a change that nobody can run, with words of the error.
type refusal struct {
	name   string
	change func(*asked)
	want   []string
}

// What cannot run is refused before anything is computed, with the remedy, and nothing is written. A Go program can ask for numbers that
// no JSON can.
func TestRefused(t *testing.T) {
	for group, c := range map[string]struct {
		of      func(*testing.T) spec.Spec
		refused []refusal
	}{
		"table":   {tiny, badTables},
		"own":     {tiny, badOwn},
		"rule":    {tinyRule, badRules},
		"ratings": {tinyRatingPass, badRatings},
		"daily":   {func(t *testing.T) spec.Spec { return tinyRetail(t, protocol.Daily) }, badSales},
		"counts":  {func(*testing.T) spec.Spec { return tinyCounts() }, badCounts},
	} {
		filetest.Check(t, c.of(t).Validate())
		for _, r := range c.refused {
			t.Run(group+": "+r.name, func(t *testing.T) {
				s, out := c.of(t), t.TempDir()
				s.Model.Encoder.Hash = hash.CarterWegman // the authors' hash has a limit of its own
				o := options(t, out)
				r.change(&asked{t, &s, &s.Methods[0], &o})
				wantRunError(t, s, idle(t, o, r.name), r.want...)
				filetest.WantFiles(t, out)
			})
		}
	}
}

// tinyRule is tiny with one pass alone.
func tinyRule(t *testing.T) spec.Spec {
	s := tiny(t)
	s.Methods = []spec.Method{{Name: "M", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass}}
	return s
}

var nan, inf = math.NaN(), math.Inf(1)

// badTables have a place, data, sizes, numbers or columns that nobody can run.
var badTables = []refusal{
	{"folder under a file", func(a *asked) { a.o.Out = "main_test.go/out" }, []string{"main_test.go", "--out"}},
	{"a file for a folder", func(a *asked) { a.o.Out = "main_test.go" }, []string{"main_test.go", "--out"}},
	{"altered data", func(a *asked) { a.o.AllowAltered = false }, []string{"adult.csv", "remedy: accept altered"}},
	{"too little initial data", func(a *asked) { a.s.Protocol.InitialFraction = 1e-6 }, []string{"initial"}},
	{"some large tables", func(a *asked) { a.s.Methods[2].NumBuckets = 200_000_000 }, []string{"spec tiny", "parameters are limited to",
		"smaller"}},
	{"large batches", func(a *asked) { // 768 GB
		a.s.Model.BatchSize, a.s.Model.TrainSamples, a.s.Model.Encoder.EmbeddingDim = 50_000_000, 1, 20
	}, []string{"spec tiny", "it needs at least ", "smaller"}},
	{"deviation", func(a *asked) { a.s.Model.Encoder.InitialLogStdDev = nan }, []string{"initial_log_std_dev"}},
	{"no deviation", func(a *asked) { a.s.Model.Encoder.InitialLogStdDev = -inf }, []string{"initial_log_std_dev is -Inf"}},
	{"large deviation", func(a *asked) { a.s.Model.Encoder.InitialLogStdDev = 81 },
		[]string{"initial_log_std_dev is 81; it must lie in -80…80"}},
	{"means", func(a *asked) { a.s.Model.Encoder.InitialMeanStdDev = inf }, []string{"initial_mean_std_dev"}},
	{"KL weight", func(a *asked) { a.s.Model.KLWeight = inf }, []string{"kl_weight"}},
	{"no KL weight", func(a *asked) { a.s.Model.KLWeight = nan }, []string{"kl_weight is NaN"}},
	{"learning rate", func(a *asked) { a.s.Model.LearningRate = inf }, []string{"learning_rate"}},
	{"method's rate", func(a *asked) { a.s.Methods[0].UpdateLearningRate = inf }, []string{"update_learning_rate"}},
	{"method's no rate", func(a *asked) { a.s.Methods[0].UpdateLearningRate = nan }, []string{"update_learning_rate is NaN"}},
	{"floor", func(a *asked) { a.s.Model.LikelihoodFloor = nan }, []string{"likelihood_floor"}},
	{"fraction", func(a *asked) { a.s.Protocol.InitialFraction = nan }, []string{"initial_fraction"}},
	{"no incremental column", func(a *asked) { a.m.Without = []string{"education"} },
		[]string{"its updates move the incremental column only, and without takes this column away; give it scope"}},
	{"no such column", func(a *asked) { a.m.Without = []string{"schooling"} }, []string{`no column "schooling"; choose from workclass`}},
	{"validation", func(a *asked) { a.s.Protocol.Validation = 1 }, []string{"validation is 1", "between 0 and 1"}},
	{"a method's unknown setting", func(a *asked) { a.m.Model = own(`{"learning_rat": 1}`) }, []string{`"learning_rat"`}},
	{"a method's text", func(a *asked) { a.m.Model = own(`{"learning_rate": "x"}`) }, []string{"model of \"PHE\" cannot be read"}},
	{"a method's rows twice", func(a *asked) { a.m.Model = own(`{"encoder": {"rows": "vocabulary"}}`) },
		[]string{"a method says the first two itself"}},
	{"a method's setting", func(a *asked) { a.m.Model = own(`{"learning_rate": -1}`) }, []string{"learning_rate is -1"}},
	{"a method's list", func(a *asked) { a.m.Model = own(`[]`) }, []string{"cannot be read"}},
}

// badOwn are methods of the caller's own that cannot join.
var badOwn = []refusal{
	{"sales", func(a *asked) { a.own("retail-forecast", ownMethod(0.5)) },
		[]string{`dataset "retail" with protocol "daily"; choose a spec of a table`}},
	{"ratings", func(a *asked) { a.own("movielens-small", ownMethod(0.5)) }, []string{`protocol "recommend"; choose a spec of a table`}},
	{"counters", func(a *asked) { a.own("retail-counts", ownMethod(0.5)) }, []string{"choose a spec of a table"}},
	{"two items", func(a *asked) { a.own("two-items", ownMethod(0.5)) }, []string{"choose a spec of a table"}},
	{"no name", func(a *asked) { a.own("adult-online", ownmethod.Method{}) }, []string{"has no name"}},
	{"name of a method", func(a *asked) { a.own("adult-online", ownmethod.Method{Name: "P-EE"}) },
		[]string{"P-EE of your own has the name of another method"}},
	{"name of a frozen model", func(a *asked) { a.own("adult-online", ownmethod.Method{Name: "Ada"}) },
		[]string{"Ada of your own has the name of another method"}},
	{"name of a rule", func(a *asked) { a.own("adult-online", ownmethod.Method{Name: "Majority"}) }, []string{"choose another name"}},
	{"twice", func(a *asked) { a.own("adult-online", ownMethod(0.5), ownMethod(0.5)) }, []string{"choose another name"}},
}

// badRules have a setting that one pass, or another rule, cannot follow.
var badRules = []refusal{
	{"memory", func(a *asked) { a.m.Memory = 4096 }, []string{"memory", `belongs to rule "stream"`, "leave it out"}},
	{"little memory", func(a *asked) { a.m.Rule, a.m.Memory = spec.Stream, 100 }, []string{"memory", "at least 1024"}},
	{"no rate", func(a *asked) { a.m.Rule, a.m.Rows, a.m.Estimate = spec.FTRL, phe.Vocabulary, phe.Point },
		[]string{"update_learning_rate", "above 0"}},
	{"hashed without size", func(a *asked) { a.m.Rule = spec.AdPredictor }, []string{"num_buckets", "at least 2"}},
	{"unknown rule", func(a *asked) { a.m.Rule = "two-pass" }, []string{`"two-pass"`, "choose one of", "one-pass"}},
	{"unknown start", func(a *asked) { a.m.Start = "end" }, []string{`start of "M" is "end"`, `choose "initial" or "posterior"`}},
	{"start without rule", func(a *asked) { a.m.Rule, a.m.Start = "", spec.FromInitial }, []string{"rule is missing", "leave out start"}},
	{"epochs", func(a *asked) { a.m.UpdateEpochs = 15 }, []string{"update_epochs", "once", "leave it out"}},
	{"replay", func(a *asked) { a.m.Replay = true }, []string{"replay", "once", "leave replay out"}},
	{"scope", func(a *asked) { a.m.Scope = phe.AllColumns }, []string{"scope", "every belief", "leave scope"}},
	{"learning rate", func(a *asked) { a.m.UpdateLearningRate = 1 }, []string{"no learning rate", "update_learning_rate out"}},
	{"scheme from nothing", func(a *asked) { a.m.Scheme = phe.Moments }, []string{"scheme", "initial phase", "leave them out"}},
	{"point estimate", func(a *asked) { a.m.Estimate = phe.Point }, []string{"estimate", "every number is a belief", `"posterior"`}},
	{"maximum", func(a *asked) { a.m.Assembly, a.s.Model.Scheme = phe.Maximum, phe.Items }, []string{"assembly", `"max"`,
		`"weighted-sum" or "mean"`}},
	{"start of a regression", func(a *asked) { a.m.Rule, a.m.Start = spec.AdPredictor, spec.FromInitial }, []string{"start",
		"no initial phase", "leave it out"}},
	{"hashed regression", func(a *asked) { a.m.Rule = spec.BayesianLogistic }, []string{"rows", "an input for each item",
		`"vocabulary" and "posterior"`}},
	{"beliefs of a fit", func(a *asked) { a.m.Rule, a.m.Rows = spec.RefittedLogistic, phe.Vocabulary }, []string{"estimate",
		`"vocabulary" and "point"`}},
	{"buckets of items", func(a *asked) { a.m.Rule, a.m.Rows, a.m.NumBuckets = spec.AdPredictor, phe.Vocabulary, 5 },
		[]string{"num_buckets", "leave it out"}},
	{"dimension of its row", func(a *asked) { a.m.Rows, a.m.EmbeddingDim = phe.Vocabulary, 5 }, []string{"embedding_dim", "each logit",
		"leave it out"}},
	{"interactions", func(a *asked) { a.m.Interactions = onepass.FM }, []string{"interactions", "ratings", "leave it out"}},
	{"a draw of no shuffle", func(a *asked) {
		a.s.Protocol, a.m.Arrival, a.m.Draw = protocoltest.Full[protocol.Order], protocol.Reversed, 1
	}, []string{"draw", `arrival "shuffled"`, "leave it out"}},
}

// badRatings have a setting that one pass over ratings cannot follow, or days without ratings.
var badRatings = []refusal{
	{"start", func(a *asked) { a.m.Start = spec.FromInitial }, []string{"start", "from nothing", "leave it out"}},
	{"exact rows", func(a *asked) { a.m.Rows = phe.Vocabulary }, []string{"rows", "hashes items", `"hash" and "posterior"`}},
	{"point", func(a *asked) { a.m.Estimate = phe.Point }, []string{`estimate "point"`, `"hash" and "posterior"`}},
	{"assembly", func(a *asked) { a.m.Assembly = phe.Average }, []string{"assembly", "leave it out"}},
	{"multi-hot", func(a *asked) { a.m.Genres = "" }, []string{`genres of "One pass" is "multi-hot"`, `choose "embedded" or "none"`}},
	{"interactions", func(a *asked) { a.m.Interactions = "triples" }, []string{`"triples"`, "choose one of", `"fm"`}},
	{"too small", func(a *asked) { a.s.Model.Encoder.NumBuckets, a.s.Model.Encoder.NumWeights = 3, 3 }, []string{"num_buckets", "too few",
		"larger"}},
	{"of Adam", func(a *asked) { a.m.Rule, a.m.UpdateEpochs, a.m.Interactions = "", 1, onepass.FM }, []string{"interactions",
		`rule "one-pass"`, "leave it out"}},
	{"a rule of tables", func(a *asked) { a.m.Rule, a.m.Rows, a.m.Genres = spec.AdPredictor, phe.Vocabulary, "" },
		[]string{"rule", "tables", "leave it out", `"one-pass"`}},
	{"late days", func(a *asked) { a.s.Protocol.FromDay, a.s.Protocol.FirstDay = "2000-01-01", "2030-01-01" },
		[]string{"spec tiny, protocol", "2000-01-01", "2030-01-01", "choose other days"}},
	{"days after all", func(a *asked) { a.s.Protocol.FromDay, a.s.Protocol.FirstDay = "2024-01-01", "2024-02-01" },
		[]string{"spec tiny, protocol", "2024-01-01", "2024-02-01", "choose other days"}},
	{"days before all", func(a *asked) { a.s.Protocol.FromDay, a.s.Protocol.FirstDay = "1990-01-01", "1990-01-02" },
		[]string{"spec tiny, protocol", "1990-01-01", "1990-01-02", "choose other days"}},
}

// badSales are cut where there are no sales.
var badSales = []refusal{
	{"a day after the file", func(a *asked) { a.s.Protocol.FirstDay = "2011-02-19" }, []string{"spec tiny, protocol",
		"choose another first day"}},
	{"small groups", func(a *asked) { *a.s = tinyRetail(a.t, protocol.Products); a.s.Protocol.Groups = 40 },
		[]string{"spec tiny, protocol", "group"}},
	{"more groups than products", func(a *asked) { *a.s = tinyRetail(a.t, protocol.Products); a.s.Protocol.Groups = 1000 },
		[]string{"spec tiny, protocol", "group"}},
}

// badCounts are no counts of sales.
var badCounts = []refusal{
	{"another method", func(a *asked) { a.s.Methods[1] = spec.Method{Name: "PHE"} }, []string{"to all methods or to none"}},
	{"another dataset", func(a *asked) { a.s.Dataset = "adult" }, []string{"forecasts dataset"}},
	{"another protocol", func(a *asked) { a.s.Protocol.Name = protocol.Products }, []string{"forecasts dataset"}},
	{"features", func(a *asked) { a.s.Features = []string{"Country"} }, []string{"leave it out"}},
	{"a rival's name", func(a *asked) { a.m.Name = "Counting rule" }, []string{"trivial rival"}},
	{"little memory", func(a *asked) { a.m.Memory = 100 }, []string{"memory of \"Small\" is 100 bytes"}},
	{"sizes", func(a *asked) { a.m.NumBuckets = 7 }, []string{"gives the sizes"}},
	{"columns", func(a *asked) { a.m.Without = []string{"Country"} }, []string{"without takes columns of a table away"}},
}
