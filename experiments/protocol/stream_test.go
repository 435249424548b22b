package protocol_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/pkg/errors"

	"gophe/experiments/measure"
	"gophe/experiments/protocol"
)

// judge scores log probabilities of two classes.
func judge(labels ...int32) protocol.Judge {
	return func(p []float32) protocol.Score {
		return protocol.Score{
			Metrics: map[string]float64{"accuracy": measure.ClassAccuracy(p, labels, 2), "log-likelihood": measure.ClassLogLikelihood(p, labels, 2)},
			Finite:  measure.AllFinite(p),
		}
	}
}

// fake is a learner of two seeds that writes down its calls. Before its first update it predicts class 0, and
// class 1 ever after.
type fake struct {
	judge      protocol.Judge
	calls      []string
	updated    int
	answer     []float32 // in place of the odds, if set
	predictErr error
	updateErr  error
}

func (f *fake) Predict(rows []int32, step int) ([]float32, error) {
	f.calls = append(f.calls, fmt.Sprintf("predict %v at %d after %d updates", rows, step, f.updated))
	if f.answer != nil || f.predictErr != nil {
		return f.answer, f.predictErr
	}
	odds := []float32{-1, -1} // a tie is class 0
	if f.updated > 0 {
		odds = []float32{-2, -1}
	}
	var p []float32
	for range 2 * len(rows) {
		p = append(p, odds...)
	}
	return p, nil
}

func (f *fake) Score(rows []int32, step int) ([]protocol.Score, error) {
	p, err := f.Predict(rows, step)
	if err != nil {
		return nil, err
	}
	return f.judge.Each(p, 2), nil
}

func (f *fake) Update(rows []int32, epochs, step int) error {
	f.calls = append(f.calls, fmt.Sprintf("update %v by %d epochs at %d", rows, epochs, step))
	f.updated++
	return f.updateErr
}

// Sec. 4.1: predict, evaluate, update. A step scores the model before it sees the step's labels.
func TestStepOrder(t *testing.T) {
	f := &fake{}
	chunks := [][]int32{{3, 1}, {4}, {5, 9}}
	var accuracies []float64
	for step, rows := range chunks {
		labels := []int32{1, 1}[:len(rows)]
		f.judge = judge(labels...)
		scores, _, err := protocol.Step(f, rows, step, func() error { return f.Update(rows, 15, step) })
		if err != nil {
			t.Fatal(err)
		}
		if len(scores) != 2 {
			t.Fatalf("%d scores, want one for each of 2 seeds", len(scores))
		}
		accuracies = append(accuracies, scores[0].Metrics["accuracy"])
	}
	want := []string{
		"predict [3 1] at 0 after 0 updates", "update [3 1] by 15 epochs at 0",
		"predict [4] at 1 after 1 updates", "update [4] by 15 epochs at 1",
		"predict [5 9] at 2 after 2 updates", "update [5 9] by 15 epochs at 2",
	}
	if !slices.Equal(f.calls, want) {
		t.Errorf("calls\n%q, want\n%q", f.calls, want)
	}
	if !slices.Equal(accuracies, []float64{0, 1, 1}) {
		t.Errorf("accuracies %v: want 0 at step 0, which is scored before anything was learned", accuracies)
	}
}

func TestStepFrozen(t *testing.T) {
	f := &fake{judge: judge(0)}
	for step := range 3 {
		if _, timing, err := protocol.Step(f, []int32{0}, step, nil); err != nil || timing.Update != 0 {
			t.Fatalf("error %v, update time %v; want neither", err, timing.Update)
		}
	}
	if f.updated != 0 {
		t.Errorf("a frozen model was updated: %q", f.calls)
	}
}

func TestStepScoresEachSeed(t *testing.T) {
	nan := float32(math.NaN())
	f := &fake{judge: judge(0, 0), answer: []float32{-1, -2, -2, -1, nan, nan, nan, nan}}
	scores, _, err := protocol.Step(f, []int32{7, 8}, 0, func() error { return f.Update([]int32{0}, 1, 0) })
	if err != nil {
		t.Fatal(err)
	}
	if want := (protocol.Score{Metrics: map[string]float64{"accuracy": 0.5, "log-likelihood": -1.5}, Finite: true}); !reflect.DeepEqual(scores[0], want) {
		t.Errorf("seed 0: %+v, want %+v", scores[0], want)
	}
	if scores[1].Finite {
		t.Error("seed 1 predicts NaN and counts as finite")
	}
}

func TestStepErrors(t *testing.T) {
	broken := errors.New("broken")
	f := &fake{judge: judge(0), predictErr: broken}
	if _, _, err := protocol.Step(f, []int32{0}, 0, func() error { return f.Update([]int32{0}, 1, 0) }); !errors.Is(err, broken) {
		t.Errorf("error %v, want the prediction's", err)
	}
	if f.updated != 0 {
		t.Error("updated after a failed prediction")
	}
	f = &fake{judge: judge(0), updateErr: broken}
	if _, _, err := protocol.Step(f, []int32{0}, 0, func() error { return f.Update([]int32{0}, 1, 0) }); !errors.Is(err, broken) {
		t.Errorf("error %v, want the update's", err)
	}
}
