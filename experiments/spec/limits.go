package spec

import (
	"cmp"
	"math"
	"reflect"
	"strings"

	"gophe/phe/remedy/fieldpath"
)

// limits bounds the whole numbers of a spec by their names. All others are at most [maxNumber].
var limits = map[string]int{
	"update_epochs": maxEpochs, "initial_epochs": maxEpochs,
	"train_samples": maxSamples, "test_samples": maxSamples, "history_samples": maxSamples,
	"hidden": maxUnits, "latent": maxUnits, "transition_hidden": maxUnits, "emission_hidden": maxUnits,
	"embedding_dim": maxUnits, "groups": maxUnits,
	"num_buckets": maxRows, "num_weights": maxRows, "batch_size": maxRows, "memory": 1 << 36,
}

// Bounds of a spec.
const (
	maxNumber     = 1 << 31
	maxParameters = 1 << 30 // of all seeds together
	maxStep       = 1 << 30 // numbers of a step: batch_size × train_samples × embedding_dim
	MaxRuns       = 1000    // seeds or methods

	maxEpochs  = 1_000_000
	maxSamples = 10_000
	maxUnits   = 1 << 16
	maxRows    = 1 << 28
)

// bounded returns an error about the first number of a struct that is not finite, or is a whole one beyond its limit.
func bounded(of any) error {
	for f, value := range reflect.ValueOf(of).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case value.Kind() == reflect.Struct && f.IsExported():
			err := bounded(value.Interface())
			if !f.Anonymous {
				err = fieldpath.In(name, err)
			}
			if err != nil {
				return err
			}
		case value.Kind() == reflect.Int:
			most := cmp.Or(limits[name], maxNumber)
			if n := value.Int(); n > int64(most) {
				return fieldpath.Errorf(name, "%s is %d, and %[1]s is limited to %[3]d; give a smaller one", name, n, most)
			}
		case value.Kind() == reflect.Float64 && (math.IsNaN(value.Float()) || math.IsInf(value.Float(), 0)):
			return fieldpath.Errorf(name, "%s is %g; give a finite number", name, value.Float())
		}
	}
	return nil
}

// validateSizes returns an error if the spec asks for more than its limits.
func (s Spec) validateSizes() error {
	for _, list := range []struct {
		name string
		n    int
	}{{"seeds", len(s.Seeds)}, {"methods", len(s.Methods)}} {
		if list.n > MaxRuns {
			return fieldpath.Errorf(list.name, "%s lists %d, and %[1]s is limited to %[3]d; split the spec", list.name, list.n, MaxRuns)
		}
	}
	return fieldpath.In("protocol", bounded(s.Protocol))
}

// validateSizes returns an error if the models of all seeds together are beyond the limits of a spec.
func (c Config) validateSizes(seeds int) error {
	err := cmp.Or(fieldpath.In("model", bounded(c.Config)), fieldpath.In("filter", bounded(c.Filter)),
		fieldpath.In("recommender", bounded(c.Recommender)))
	if err != nil {
		return err
	}
	e := c.Encoder
	tables := float64(e.TableRows())*float64(e.EmbeddingDim) + float64(e.NumWeights)*float64(e.NumHashes)
	if n := float64(seeds) * tables; n > maxParameters {
		return fieldpath.Errorf("model.encoder.num_buckets",
			"the tables of %d seeds have %.3g parameters, and parameters are limited to %d; "+
				"take smaller tables or fewer seeds", seeds, n, maxParameters)
	}
	if n := float64(c.BatchSize) * float64(c.TrainSamples) * float64(e.EmbeddingDim); n > maxStep {
		return fieldpath.Errorf("model.batch_size",
			"batch_size × train_samples × embedding_dim is %.3g, and a step is limited to %d; take smaller batches", n, maxStep)
	}
	return nil
}
