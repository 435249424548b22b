package run

import (
	"cmp"
	"fmt"
	"time"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe"
	"gophe/phe/belief"
)

// The stream of Supp. F (Fig. 5): item 0 has target 1 and item 1 has target −1, and they take turns. Both are sums of
// two of the three rows of E, and share the middle one; without collisions each has a row of its own.
var (
	twoItemsHashed   = [2][]float64{{1, 1, 0}, {0, 1, 1}}
	twoItemsExpanded = [2][]float64{{1, 0}, {0, 1}}
	twoItemsTargets  = [2]float64{1, -1}
)

// What Fig. 5 does not say: the prior is the paper's N(0, 1), and the noise that the model assumes has its variance.
const twoItemsNoiseVariance = 1.0

// scalarPredictor learns a number for each item.
type scalarPredictor interface {
	predict(x []float64) (float64, error)
	learn(x []float64, y float64)
}

// exactBayes is Bayesian online learning in closed form.
type exactBayes struct{ *belief.LinearGaussian }

func (b exactBayes) predict(x []float64) (float64, error) { return b.Predict(x) }
func (b exactBayes) learn(x []float64, y float64)         { b.Update(x, y) }

// descent is online gradient descent.
type descent struct{ *belief.LinearDescent }

func (d descent) predict(x []float64) (float64, error) { return d.Predict(x), nil }
func (d descent) learn(x []float64, y float64)         { d.Update(x, y) }

func newScalarPredictor(m spec.Method, rows int, rate float64) (scalarPredictor, error) {
	if m.Estimate == phe.Point {
		return descent{belief.NewLinearDescent(rows, rate)}, nil
	}
	exact, err := belief.NewLinearGaussian(rows, 1, twoItemsNoiseVariance)
	return exactBayes{exact}, err
}

// runTwoItems runs the methods on the two-item stream: chunk_rows data of one item, then as many of the other, and so on,
// max_chunks times. It takes no time, and nothing in it is random: one seed tells all.
func runTwoItems(spec spec.Spec, o Options) (*result.File, error) {
	started := time.Now()
	manifest, err := newManifest(spec, started)
	if err != nil {
		return nil, err
	}
	if o.Existing == Resume || o.Existing == Refresh { // a finished result stays as it is
		if old, err := (shelf{o.Out, spec.Name}).read(); err != nil || old != nil && old.Manifest.SpecHash == manifest.SpecHash {
			return old, err
		}
	}
	p := spec.Protocol
	manifest.Backend, manifest.DataVerified = "none: closed forms in float64", true
	f := &result.File{Name: spec.Name, Status: result.Complete, Manifest: manifest, Stream: result.Stream{Steps: p.ChunkRows * p.MaxChunks}}
	for block := range p.MaxChunks {
		f.Stream.Changes = append(f.Stream.Changes, result.Change{Step: block * p.ChunkRows, What: fmt.Sprint("item ", block%2)})
	}
	entry := func(name string, parameters int, predictions []float64) {
		f.Methods = append(f.Methods, result.Method{Name: name, Dataset: spec.Dataset, Protocol: p.Name, Convention: spec.Convention,
			Parameters: parameters, Runs: []result.Run{{Seed: spec.Seeds[0], Status: result.Complete, Prediction: predictions,
				Rows: []int{}, Accuracy: []float64{}, LogLikelihood: []float64{}}}})
	}
	var targets []float64
	for t := range f.Stream.Steps {
		targets = append(targets, twoItemsTargets[t/p.ChunkRows%2])
	}
	entry("Observation", 0, targets)
	for _, m := range spec.Methods {
		items := twoItemsHashed
		if m.Rows == phe.Vocabulary {
			items = twoItemsExpanded
		}
		config := spec.Config(m, 2)
		learner, err := newScalarPredictor(m, len(items[0]), cmp.Or(config.UpdateLearningRate, config.LearningRate))
		if err != nil {
			return nil, err
		}
		var predictions []float64
		for t, y := range targets {
			x := items[t/p.ChunkRows%2]
			prediction, err := learner.predict(x)
			if err != nil {
				return nil, err
			}
			predictions = append(predictions, prediction)
			learner.learn(x, y)
		}
		entry(m.Name, len(items[0]), predictions)
	}
	f.Manifest.Seconds = time.Since(started).Seconds()
	measure.Summarise(f)
	return f, f.Write(shelf{o.Out, spec.Name}.path())
}
