package spec

import (
	"gophe/phe/disk/filetest"
	"gophe/phe/models/dkf"
	"testing"
)

// validRetail is a whole spec of a filter; tests change one place of it.
const validRetail = `{
  "name": "mine",
  "title": "a test",
  "dataset": "retail",
  "convention": "paper",
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
	if m := spec.Model; m.LearningRate != 0.005 || m.TrainSamples != 1 || m.Encoder.NumWeights != 109 || spec.Filter.Latent != 20 || spec.Filter.Prediction != dkf.Forecast || spec.Methods[1].Inputs != dkf.Relative {
		t.Errorf("read %+v, filter %+v", spec, spec.Filter)
	}
}

// As in TestParseSpecErrors, each row changes one place, and lines and columns are counted by hand.
func TestParseRetailSpecErrors(t *testing.T) {
	const daily = "\"daily\",\n    \"initial_epochs\": 2,\n    \"first_day\": \"2011-02-01\",\n    \"windows\": \"overlapping\""
	const filter = "  \"filter\": {\n    \"prediction\": \"forecast\",\n    \"likelihood\": \"pack-sizes\",\n    \"hidden\": 20\n  },\n"
	for _, c := range []brokenSpec{
		{"filter without retail", validRetail, `"retail"`, `"adult"`, "4:3", []string{`dataset is "adult"`, `a filter belongs to "retail"`, "both or neither"}},
		{"retail without filter", validRetail, filter, "", "4:3", []string{`dataset is "retail"`, "a filter belongs", "both or neither"}},
		{"retail by a table's protocol", validRetail, daily, `"online", "initial_epochs": 2, "initial_fraction": 0.3, "chunk_rows": 9`, "6:3",
			[]string{`protocol is named "online"`, `"daily" and "products"`, `"retail"`}},
		{"a table by Retail's protocol", valid, "\"online\",\n    \"initial_fraction\": 0.3,\n    \"initial_epochs\": 2,\n    \"chunk_rows\": 100",
			`"products", "initial_epochs": 1, "groups": 3, "windows": "separate"`, "6:3", []string{`protocol is named "products"`, "the others to tables"}},
		{"the paper does not reconstruct", validRetail, `"prediction": "forecast"`, `"prediction": "reconstruction"`, "5:3", []string{`convention is "paper"`, `the spec is "authors"`, "leave convention out"}},
		{"another convention", validRetail, `"convention": "paper"`, `"convention": "mine"`, "5:3", []string{`convention is "mine"`}},
		{"features", validRetail, `"seeds"`, `"features": ["Country"], "seeds"`, "12:3", []string{"features lists columns", "leave it out"}},
		{"likelihood of a classifier", valid, `"update_epochs": 15}`, `"update_epochs": 15, "likelihood": "poisson"}`, "35:83", []string{"likelihood", "belong to a filter", `leave them out of "PHE"`}},
		{"transition of a classifier", valid, `"update_epochs": 15}`, `"update_epochs": 15, "transition": "with-gap"}`, "35:83", []string{"transition", "belong to a filter", "leave them out"}},
		{"dropout of a classifier", valid, `"update_epochs": 15}`, `"update_epochs": 15, "item_dropout": 0}`, "35:83", []string{"item_dropout", "belong to a filter", "leave them out"}},
		{"first day as a number", validRetail, `"2011-02-01"`, "62", "9:18", []string{"protocol.first_day", "number", "a string"}},
		{"a rival's name", validRetail, `"EE"`, `"Mean of nine"`, "23:6", []string{`"Mean of nine" is taken`, "choose another"}},
		{"arrival", validRetail, `"inputs": "relative"`, `"arrival": "reversed"`, "23:83", []string{`arrival belongs to protocol "order"`}},
		{"likelihood of a method", validRetail, `"inputs": "relative"`, `"likelihood": "normal"`, "23:83", []string{`likelihood is "normal"`, `"poisson", "negative-binomial" or "pack-sizes"`}},
		{"inputs of a method", validRetail, `"relative"`, `"relatives"`, "23:83", []string{`inputs is "relatives"`, "choose"}},
		{"dropout of a method", validRetail, `"inputs": "relative"`, `"item_dropout": 1`, "23:83", []string{"item_dropout is 1", "below 1"}},
		{"scheme of a head", validRetail, `"encoder"`, `"scheme": "moments", "encoder"`, "14:5", []string{`scheme "moments"`, `use scheme "local"`}},
		{"likelihood of the filter", validRetail, `"pack-sizes"`, `"normal"`, "18:5", []string{`likelihood is "normal"`, "choose"}},
		{"prediction of the filter", validRetail, `"prediction": "forecast"`, `"prediction": "guess"`, "17:5", []string{`prediction is "guess"`, "choose"}},
		{"no hidden units", validRetail, `"hidden": 20`, `"hidden": 0`, "19:5", []string{"hidden is 0", "at least 1"}},
		{"unknown field of the filter", validRetail, `"hidden"`, `"units"`, "19:5", []string{`unknown field "units"`}},
		{"unknown field behind a filter", validRetail, `"inputs"`, `"input"`, "23:83", []string{`unknown field "input"`}},
		{"a filter that is none", validRetail, filter, "  \"filter\": 5,\n", "16:13", []string{"filter is a JSON number", "an object"}},
	} {
		c.isRefused(t)
	}
}

// The identity of a filter's method changes with all that its numbers depend on. It does not tell whether the method or the
// model says so.
func TestFilterHash(t *testing.T) {
	seen := apart(t, validRetail, ofFirst, [][2]string{
		{`"forecast"`, `"forecast", "objective": "elbo"`}, {`"pack-sizes"`, `"poisson"`}, {`"hidden": 20`, `"hidden": 21`}, {`"hidden": 20`, `"latent": 21`},
		{`"hidden": 20`, `"inputs": "logarithms"`}, {`"hidden": 20`, `"transition": "with-gap"`}, {`"hidden": 20`, `"transition_hidden": 3`},
		{`"hidden": 20`, `"emission_hidden": 3`}, {`"hidden": 20`, `"history_samples": 1`}, {`"hidden": 20`, `"item_dropout": 0.1`}, {"2011-02-01", "2011-03-01"}, {"overlapping", "separate"},
		{`"update_epochs": 5}`, `"update_epochs": 5, "initial_log_std_dev": -2}`},
	})
	for method, model := range map[string]string{
		`"likelihood": "poisson"`: `"poisson"`, `"objective": "elbo"`: `"forecast", "objective": "elbo"`, `"inputs": "raw"`: "the spec itself", `"transition": "with-gap"`: `"transition": "with-gap"`,
		`"item_dropout": 0.1`: `"item_dropout": 0.1`,
	} {
		if got := seen[ofFirst(parsed(t, validRetail, `"update_epochs": 5}`, `"update_epochs": 5, `+method+"}"))]; got != model {
			t.Errorf("method's own %s hashes as %q, want the model's %q", method, got, model)
		}
	}
}
