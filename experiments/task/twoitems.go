package task

import (
	"cmp"
	"fmt"

	"gophe/data/labelled"
	"gophe/experiments/result"
	"gophe/experiments/rivals/linear"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
)

// The stream of Supp. F (Fig. 5): item 0 has target 1 and item 1 has target −1, and they take turns. Both are sums of
// two of the three rows of E, and share the middle one; without collisions each has a row of its own.
var (
	twoItemsHashed   = [2][]float64{{1, 1, 0}, {0, 1, 1}}
	twoItemsExpanded = [2][]float64{{1, 0}, {0, 1}}
	twoItemsTargets  = [2]float64{1, -1}
)

// twoItemsNoise is the variance of the assumed noise. Fig. 5 states neither the noise nor the prior, which is the paper's N(0, 1).
const twoItemsNoise = 1.0

// twoItems is the two-item stream. Its methods are closed forms, and need no model: they count as baselines.
type twoItems struct {
	Task // nil: no other method is called
}

// newTwoItems returns a stream of chunk_rows data of one item, then as many of the other, and so on, max_chunks times.
func newTwoItems(p protocol.Spec) (Task, *protocol.Plan, error) {
	s := &labelled.Stream{Steps: make([][]int32, p.ChunkRows*p.MaxChunks)}
	for block := range p.MaxChunks {
		s.Changes = append(s.Changes, labelled.Change{Step: block * p.ChunkRows, What: fmt.Sprint("item ", block%2)})
	}
	return twoItems{}, &protocol.Plan{Stream: s}, nil
}

// About returns no checksum: the stream is in this file.
func (twoItems) About() About { return About{Verified: true} }

// Baselines returns the methods of the spec, after the observations. Nothing in them is random: seeds are alike.
func (twoItems) Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error) {
	itemOf := func(step int) int { return step / s.Protocol.ChunkRows % 2 }
	row := func(name string, numbers int, predictions []float64) result.Method {
		return entry(s, name, numbers, result.Run{Status: result.Complete, Prediction: predictions, Rows: []int{},
			Accuracy: []float64{}, LogLikelihood: []float64{}})
	}
	var targets []float64
	for step := range p.Steps {
		targets = append(targets, twoItemsTargets[itemOf(step)])
	}
	rows := []result.Method{row("Observation", 0, targets)}
	for _, m := range s.Methods {
		items := twoItemsHashed
		if m.Rows == phe.Vocabulary {
			items = twoItemsExpanded
		}
		config := s.Config(m, 2)
		descent := linear.NewDescent(len(items[0]), cmp.Or(config.UpdateLearningRate, config.LearningRate))
		exact, err := linear.NewGaussian(len(items[0]), 1, twoItemsNoise)
		if err != nil {
			return nil, err
		}
		var predictions []float64
		for step, y := range targets {
			x := items[itemOf(step)]
			prediction := descent.Predict(x)
			if m.Estimate != phe.Point {
				if prediction, err = exact.Predict(x); err != nil {
					return nil, err
				}
			}
			predictions = append(predictions, prediction)
			descent.Update(x, y)
			exact.Update(x, y)
		}
		rows = append(rows, row(m.Name, len(items[0]), predictions))
	}
	return rows, nil
}
