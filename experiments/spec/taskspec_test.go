package spec

import (
	"slices"
	"strings"
	"testing"

	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/dkf"
	"gophe/phe/models/ncf"
	"gophe/phe/onepass"
)

// validRetail is a whole spec of a filter; tests change one place of it.
const validRetail = `{
  "name": "mine",
  "title": "a test",
  "dataset": "retail",
  "protocol": {
    "name": "daily",
    "initial_epochs": 2,
    "first_day": "2011-02-01",
    "windows": "overlapping"
  },
  "seeds": [0, 1],
  "model": {
    "encoder": {"num_buckets": 109}
  },
  "filter": {
    "prediction": "forecast",
    "likelihood": "pack-sizes",
    "hidden": 20
  },
  "methods": [
    {"name": "PHE", "rows": "hash", "estimate": "posterior", "update_epochs": 5},
    {"name": "EE", "rows": "vocabulary", "estimate": "point", "update_epochs": 5, "inputs": "relative"}
  ]
}
`

func TestParseRetailSpec(t *testing.T) {
	spec := filetest.Must(Parse("mine.json", []byte(validRetail)))(t)
	// What is left out is the authors' program's for sequences, not the classifiers' default.
	filetest.Want(t, spec.Model.LearningRate, 0.005, "learning rate")
	sizes := [3]int{spec.Model.TrainSamples, spec.Model.Encoder.NumWeights, spec.Filter.Latent}
	filetest.Want(t, sizes, [3]int{1, 109, 20}, "samples of training, weights, and latent dimensions")
	filetest.Want(t, spec.Filter.Prediction, dkf.Forecast, "prediction")
	filetest.Want(t, spec.Methods[1].Inputs, dkf.Relative, "inputs of the second method")
}

// Parts of validRetail.
const daily = "\"daily\",\n    \"initial_epochs\": 2,\n    \"first_day\": \"2011-02-01\",\n    \"windows\": \"overlapping\""
const filter = "  \"filter\": {\n    \"prediction\": \"forecast\",\n    \"likelihood\": \"pack-sizes\",\n    \"hidden\": 20\n  },\n"

// badFilters have an error of a filter, or of what belongs to one.
var badFilters = []brokenSpec{
	{"filter without retail", validRetail, `"retail"`, `"adult"`, "4:3", []string{`dataset is "adult"`,
		`a filter belongs to "retail"`, "both or neither"}},
	{"retail without filter", validRetail, filter, "", "4:3", []string{`dataset is "retail"`, "a filter belongs", "both or neither"}},
	{"retail by a table's protocol", validRetail, daily, `"online", "initial_epochs": 2, "initial_fraction": 0.3, "chunk_rows": 9`,
		"5:3",
		[]string{`protocol is named "online"`, `"daily" and "products"`, `"retail"`}},
	{"a table by Retail's protocol", valid,
		"\"online\",\n    \"initial_fraction\": 0.3,\n    \"initial_epochs\": 2,\n    \"chunk_rows\": 100",
		`"products", "initial_epochs": 1, "groups": 3, "windows": "separate"`, "5:3", []string{`protocol is named "products"`,
			"the others to tables"}},
	{"features", validRetail, `"seeds"`, `"features": ["Country"], "seeds"`, "11:3", []string{"features lists columns",
		"leave it out"}},
	{"likelihood of a classifier", valid, `"update_epochs": 15}`, `"update_epochs": 15, "likelihood": "poisson"}`, "34:83",
		[]string{"likelihood", "belong to a filter", `leave them out of "PHE"`}},
	{"transition of a classifier", valid, `"update_epochs": 15}`, `"update_epochs": 15, "transition": "with-gap"}`, "34:83",
		[]string{"transition", "belong to a filter", "leave them out"}},
	{"dropout of a classifier", valid, `"update_epochs": 15}`, `"update_epochs": 15, "item_dropout": 0}`, "34:83",
		[]string{"item_dropout", "belong to a filter", "leave them out"}},
	{"first day as a number", validRetail, `"2011-02-01"`, "62", "8:18", []string{"protocol.first_day", "number", "a string"}},
	{"a rival's name", validRetail, `"EE"`, `"Mean of nine"`, "22:6", []string{`"Mean of nine" is taken`, "choose another"}},
	{"arrival", validRetail, `"inputs": "relative"`, `"arrival": "reversed"`, "22:83", []string{`arrival belongs to protocol "order"`}},
	{"likelihood of a method", validRetail, `"inputs": "relative"`, `"likelihood": "normal"`, "22:83",
		[]string{`likelihood is "normal"`, `"poisson", "negative-binomial" or "pack-sizes"`}},
	{"inputs of a method", validRetail, `"relative"`, `"relatives"`, "22:83", []string{`inputs is "relatives"`, "choose"}},
	{"dropout of a method", validRetail, `"inputs": "relative"`, `"item_dropout": 1`, "22:83", []string{"item_dropout is 1",
		"below 1"}},
	{"scheme of a head", validRetail, `"encoder"`, `"scheme": "moments", "encoder"`, "13:5", []string{`scheme "moments"`,
		`use scheme "local"`}},
	{"likelihood of the filter", validRetail, `"pack-sizes"`, `"normal"`, "17:5", []string{`likelihood is "normal"`, "choose"}},
	{"prediction of the filter", validRetail, `"prediction": "forecast"`, `"prediction": "guess"`, "16:5",
		[]string{`prediction is "guess"`, "choose"}},
	{"no hidden units", validRetail, `"hidden": 20`, `"hidden": 0`, "18:5", []string{"hidden is 0", "at least 1"}},
	{"unknown field of the filter", validRetail, `"hidden"`, `"units"`, "18:5", []string{`unknown field "units"`}},
	{"unknown field behind a filter", validRetail, `"inputs"`, `"input"`, "22:83", []string{`unknown field "input"`}},
	{"a filter that is none", validRetail, filter, "  \"filter\": 5,\n", "15:13", []string{"filter is a JSON number", "an object"}},
}

// The identity of a filter's method changes with all that its numbers depend on. It does not tell whether the method or the model says so.
func TestFilterHash(t *testing.T) {
	seen := apart(t, validRetail, ofFirst, [][2]string{
		{`"forecast"`, `"forecast", "objective": "elbo"`}, {`"pack-sizes"`, `"poisson"`}, {`"hidden": 20`, `"hidden": 21`},
		{`"hidden": 20`, `"latent": 21`},
		{`"hidden": 20`, `"inputs": "logarithms"`}, {`"hidden": 20`, `"transition": "with-gap"`}, {`"hidden": 20`,
			`"transition_hidden": 3`},
		{`"hidden": 20`, `"emission_hidden": 3`}, {`"hidden": 20`, `"history_samples": 1`}, {`"hidden": 20`, `"item_dropout": 0.1`},
		{"2011-02-01", "2011-03-01"}, {"overlapping", "separate"},
		{`"update_epochs": 5}`, `"update_epochs": 5, "initial_log_std_dev": -2}`},
	})
	for method, model := range map[string]string{
		`"likelihood": "poisson"`: `"poisson"`, `"objective": "elbo"`: `"forecast", "objective": "elbo"`,
		`"inputs": "raw"`: "the spec itself", `"transition": "with-gap"`: `"transition": "with-gap"`,
		`"item_dropout": 0.1`: `"item_dropout": 0.1`,
	} {
		own := ofFirst(parsed(t, validRetail, `"update_epochs": 5}`, `"update_epochs": 5, `+method+"}"))
		filetest.Want(t, seen[own], model, "the change of the model that hashes as the method's own %s", method)
	}
}

// validRatings is a whole spec of a recommender; tests change one place of it.
const validRatings = `{
  "name": "mine",
  "title": "a test",
  "dataset": "generated-320k",
  "protocol": {
    "name": "recommend",
    "initial_epochs": 2,
    "from_day": "1996-01-01",
    "first_day": "2000-01-01"
  },
  "seeds": [0, 1],
  "model": {
    "encoder": {"num_buckets": 109}
  },
  "recommender": {
    "hidden": 20,
    "std_dev": 0.3
  },
  "methods": [
    {"name": "PHE", "rows": "hash", "estimate": "posterior", "update_epochs": 5},
    {"name": "EE", "rows": "vocabulary", "estimate": "point", "update_epochs": 5, "genres": "embedded"}
  ]
}
`

func TestParseRatingSpec(t *testing.T) {
	spec := filetest.Must(Parse("mine.json", []byte(validRatings)))(t)
	// What is left out is the authors' program's for ratings, not the classifiers' default.
	m := spec.Model
	m.Encoder = phe.Config{NumBuckets: m.Encoder.NumBuckets, NumWeights: m.Encoder.NumWeights}
	filetest.Want(t, m.LearningRate, 0.005, "learning rate")
	filetest.Want(t, [3]int{m.TrainSamples, m.TestSamples, m.BatchSize}, [3]int{10, 10, 1024},
		"samples of training and of tests, and rows of a batch")
	filetest.Want(t, m.Encoder, phe.Config{NumBuckets: 109, NumWeights: 10009}, "encoder")
	filetest.True(t, m.Scope == phe.AllColumns && m.Loss == phe.Expected, "scope %s, loss %s", m.Scope, m.Loss)
	filetest.Want(t, *spec.Recommender, Recommender{Hidden: 20, StdDev: 0.3, Genres: ncf.MultiHot}, "recommender")
	filetest.True(t, spec.Filter == nil && spec.Methods[1].Genres == ncf.Embedded, "filter %v, methods %+v", spec.Filter, spec.Methods)
}

// Parts of validRatings.
const days = "\"recommend\",\n    \"initial_epochs\": 2,\n    \"from_day\": \"1996-01-01\",\n    \"first_day\": \"2000-01-01\""
const ours = `"recommend", "initial_epochs": 2, "from_day": "1996-01-01", "first_day": "2000-01-01"`
const recommender = "  \"recommender\": {\n    \"hidden\": 20,\n    \"std_dev\": 0.3\n  },\n"

// badRecommenders have an error of a recommender, or of what belongs to one.
var badRecommenders = []brokenSpec{
	{"recommender without ratings", validRatings, `"generated-320k"`, `"adult"`, "4:3", []string{`dataset is "adult"`,
		"a recommender belongs to ratings (ml-32m, ml-latest-small, ", "both or neither"}},
	{"ratings without recommender", validRatings, recommender, "", "4:3", []string{`dataset is "generated-320k"`,
		"a recommender belongs to ratings", "both or neither"}},
	{"recommender of sales", validRetail, `"filter"`, `"recommender": {}, "filter"`, "4:3", []string{`dataset is "retail"`,
		"a recommender belongs to ratings", "both or neither"}},
	{"filter of ratings", validRatings, `"recommender"`, `"filter": {}, "recommender"`, "4:3",
		[]string{`dataset is "generated-320k"`, `a filter belongs to "retail"`, "both or neither"}},
	{"no such ratings", validRatings, `"generated-320k"`, `"ml-1m"`, "4:3", []string{`dataset is "ml-1m"`, "choose one of adult, ",
		"ml-latest-small", "generated-32m, generated-3m, generated-320k"}},
	{"ratings by a table's protocol", validRatings, days, `"online", "initial_epochs": 2, "initial_fraction": 0.3, "chunk_rows": 9`,
		"5:3",
		[]string{`protocol is named "online"`, `"recommend" to ratings`}},
	{"ratings by Retail's protocol", validRatings, days,
		`"daily", "initial_epochs": 2, "first_day": "2011-02-01", "windows": "overlapping"`, "5:3",
		[]string{`protocol is named "daily"`, `belong to dataset "retail"`}},
	{"a table by the ratings' protocol", valid,
		"\"online\",\n    \"initial_fraction\": 0.3,\n    \"initial_epochs\": 2,\n    \"chunk_rows\": 100", ours, "5:3",
		[]string{`protocol is named "recommend"`, "the others to tables"}},
	{"Retail by the ratings' protocol", validRetail,
		"\"daily\",\n    \"initial_epochs\": 2,\n    \"first_day\": \"2011-02-01\",\n    \"windows\": \"overlapping\"", ours, "5:3",
		[]string{`protocol is named "recommend"`, `"recommend" to ratings`}},
	{"features", validRatings, `"seeds"`, `"features": ["genres"], "seeds"`, "11:3", []string{"features lists columns",
		"leave it out"}},

	{"a day as a number", validRatings, `"1996-01-01"`, "1996", "8:17", []string{"protocol.from_day", "number", "a string"}},

	{"genres of a classifier", valid, `"update_epochs": 15}`, `"update_epochs": 15, "genres": "none"}`, "34:83",
		[]string{"genres belongs to a recommender", `leave it out of "PHE"`}},
	{"genres of a filter", validRetail, `"inputs": "relative"`, `"genres": "none"`, "22:83",
		[]string{"genres belongs to a recommender", `leave it out of "EE"`}},
	{"likelihood of a recommender", validRatings, `"genres": "embedded"`, `"likelihood": "poisson"`, "21:83", []string{"likelihood",
		"belong to a filter", `leave them out of "EE"`}},
	{"replay", validRatings, `"genres": "embedded"`, `"replay": true`, "21:83", []string{"replay takes all data",
		"ratings stay on the host", `leave it out of "EE"`}},
	{"arrival", validRatings, `"genres": "embedded"`, `"arrival": "reversed"`, "21:83",
		[]string{`arrival belongs to protocol "order"`, "leave it out"}},
	{"a rival's name", validRatings, `"EE"`, `"Film mean"`, "21:6", []string{`"Film mean" is taken`, "choose another"}},
	{"genres of a method", validRatings, `"embedded"`, `"all"`, "21:83", []string{`genres is "all"`,
		`choose "multi-hot" (the paper), "embedded" or "none"`}},
	{"scope of a method", validRatings, `"genres": "embedded"`, `"scope": "incremental-column"`, "21:83",
		[]string{`scope is "incremental-column"`, `use "all-columns" or "all-parameters"`}},
	{"scope of the model", validRatings, `"encoder"`, `"scope": "incremental-column", "encoder"`, "13:5",
		[]string{`scope is "incremental-column"`, `use "all-columns" or "all-parameters"`}},
	{"scheme of tables", validRatings, `"encoder"`, `"scheme": "table", "encoder"`, "13:5",
		[]string{`scheme "table" draws whole tables`, `use scheme "local"`}},
	{"scheme of a head", validRatings, `"encoder"`, `"scheme": "moments", "encoder"`, "13:5", []string{`scheme "moments"`,
		"a recommender needs embeddings", `use scheme "local"`}},
	{"scheme of a method", validRatings, `"genres": "embedded"`, `"scheme": "moments"`, "21:83", []string{`scheme "moments"`,
		`use scheme "local"`}},
	{"likelihood floor", validRatings, `"encoder"`, `"likelihood_floor": 1e-8, "encoder"`, "13:5",
		[]string{"likelihood_floor is 1e-08", "belongs to classifiers", "leave it out"}},

	{"no hidden units", validRatings, `"hidden": 20`, `"hidden": 0`, "16:5", []string{"hidden is 0", "at least 1"}},
	{"no deviation", validRatings, `0.3`, `0`, "17:5", []string{"std_dev is 0", "above 0", "the authors take 0.3"}},
	{"deviation below 0", validRatings, `0.3`, `-1`, "17:5", []string{"std_dev is -1", "above 0"}},
	{"genres of the recommender", validRatings, `"std_dev": 0.3`, `"genres": "all"`, "17:5", []string{`genres is "all"`, "choose"}},
	{"nothing of the recommender", validRatings, "\"hidden\": 20,\n    \"std_dev\": 0.3", `"genres": "", "std_dev": 0, "hidden": 0`,
		"16:33", []string{"hidden is 0", "at least 1"}},
	{"nothing of the filter", validRetail, "\"prediction\": \"forecast\",\n    \"likelihood\": \"pack-sizes\",\n    \"hidden\": 20",
		`"prediction": "", "likelihood": "", "objective": "", "inputs": "", "transition": "", "hidden": 0, "latent": 0`, "16:23",
		[]string{`likelihood is ""`, "choose"}},
	{"unknown field of the recommender", validRatings, `"hidden"`, `"units"`, "16:5", []string{`unknown field "units"`,
		"specs/movielens-small.json"}},
	{"a recommender that is none", validRatings, recommender, "  \"recommender\": 5,\n", "15:18",
		[]string{"recommender is a JSON number", "an object"}},
}

// The hash of a recommender's method changes with all that its numbers depend on.
func TestRecommenderHash(t *testing.T) {
	apart(t, validRatings, ofFirst, [][2]string{
		{"generated-320k", "generated-3m"}, {`"hidden": 20`, `"hidden": 21`}, {`0.3`, `0.4`}, {`"hidden": 20`, `"genres": "none"`},
		{"1996-01-01", "1997-01-01"}, {"2000-01-01", "2001-01-01"},
		{`"update_epochs": 5}`, `"update_epochs": 5, "genres": "embedded"}`}, {`"update_epochs": 5}`,
			`"update_epochs": 5, "initial_log_std_dev": -2}`},
		{`"num_buckets": 109`, `"num_buckets": 109, "initial_mean_std_dev": 0.1`},
	})
}

// A spec of one pass is of the very stream and initial model of the spec that it stands beside, so that the results can be laid
// beside each other seed by seed. Orders are a stream of their own: its steps are larger, since one pass does not see them.
func TestOnePassSpecs(t *testing.T) {
	listed := slices.Concat(StudyMembers()["one-pass"], StudyMembers()["one-pass-ratings"])
	for _, name := range filetest.Some(t, Names(), "specs") {
		spec := filetest.Must(Load(name))(t)
		base := spec.StreamOf
		if (base != "") != strings.HasSuffix(name, "-one-pass") || base != "" && base+"-one-pass" != name {
			t.Errorf("%s stands beside %q", name, base)
		}
		if base == "" {
			continue
		}
		filetest.True(t, slices.Contains(listed, name), "study one-pass lacks %s", name)
		if spec.Protocol.Name == protocol.Order {
			base = strings.Replace(base, "order", "online", 1)
			spec.Protocol.Name, spec.Protocol.ChunkRows = protocol.Online, 100
		}
		want := filetest.Must(Load(base))(t)
		filetest.True(t, spec.Title != want.Title, "%s has the title of %s", name, base)
		spec.Name, spec.Title, spec.StreamOf, spec.Methods, spec.Numerics = want.Name, want.Title, "", want.Methods, want.Numerics
		filetest.Want(t, string(encode(spec)), string(encode(want)), "%s, with the methods of %s", name, base)
	}
}

// A method of one pass says the size of a belief. It is part of what is computed, it is counted, and rows of their own have no such size.
func TestBeliefBits(t *testing.T) {
	s := filetest.Must(Load("movielens-late"))(t)
	seen := map[string]string{}
	for _, m := range s.Methods {
		if m.Rule != OnePass && m.Rule != Stream || m.Without != nil {
			continue
		}
		for _, m.BeliefBits = range []int{0, 16, 32} {
			s.Methods = []Method{m}
			filetest.Check(t, s.Validate())
			id := s.Resolve(m).Fingerprint()
			filetest.Want(t, seen[id], "", "%q with %d bits is computed as another", m.Name, m.BeliefBits)
			seen[id] = m.Name
			c, shape := s.Config(m, 1), Shape{Columns: 4, Outputs: 1}
			one, want := OnePassConfig(c, m.Start, shape), map[int]int{0: 800, 16: 200, 32: 400}[m.BeliefBits]
			filetest.Want(t, one.BeliefBits, m.BeliefBits, "%q: bits", m.Name)
			filetest.Want(t, BeliefNumbers(one, 400), want, "%q: numbers of 400 beliefs", m.Name)
			if m.Rule == Stream {
				tables, total := StreamNumbers(onepass.Stream(StreamShape(c.Stream, shape)))
				fits := 4*total <= m.Memory && 4*total >= m.Memory-64
				filetest.True(t, fits && tables < total,
					"%q with %d bits has %d numbers, and %d in tables", m.Name, m.BeliefBits, total, tables)
			}
		}
		bad := []Method{m, m, m}
		bad[0].BeliefBits, bad[1].Rule, bad[2].Rule, bad[2].Memory, bad[2].Start = 8, PheStream, OnePass, 0, FromPosterior
		bad[1].Memory, bad[1].NumBuckets, bad[1].NumWeights, bad[1].EmbeddingDim = 1<<12, 0, 0, 0
		for _, s.Methods = range [][]Method{bad[:1], bad[1:2], bad[2:]} {
			filetest.WantError(t, s.Validate(), "belief_bits")
		}
	}
}
