// Package race leads the methods of an experiment along its stream side by side, so that a notebook can draw their scores while
// they learn. Package run leads one method after another, and keeps results on disk.
//
// A race takes tables and the paper's methods: PHE, P-EE, EE and the Adas. It leaves out methods with a rule of their own, with an
// order of their own, with replay, or with growing tables. It adds the frozen model of its first method, and the rules that need no model.
package race

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/experiments/task"
)

// Race is an experiment whose methods learn side by side.
type Race struct {
	Spec   spec.Spec
	Plan   *protocol.Plan
	Rivals []*Rival
	Pace   time.Duration // least time of a step, so that a reader can follow; 0 for none

	task    task.Task
	backend compute.Backend
}

// New loads an experiment's data and lists its rivals, which have learned nothing yet. The second is the frozen model of the first.
func New(s spec.Spec, b compute.Backend) (*Race, error) {
	t, plan, err := task.Load(s, files.Options{})
	if err != nil {
		return nil, err
	}
	if _, ok := t.(*task.Classification); !ok || !plan.Scored {
		return nil, errors.Errorf("experiment %s is no stream of a table; a race needs one that is predicted step by step", s.Name)
	}
	r := &Race{Spec: s, Plan: plan, task: t, backend: b}
	for _, m := range s.Methods {
		if m.Rule != "" || m.Replay || m.GrowBeyond > 0 || m.Arrival != "" {
			continue
		}
		r.Rivals = append(r.Rivals, &Rival{Name: m.Name, race: r, method: m})
		if len(r.Rivals) == 1 {
			r.Rivals = append(r.Rivals, &Rival{Name: m.Name, Frozen: true, race: r, method: m})
		}
	}
	if len(r.Rivals) == 0 {
		return nil, errors.Errorf("experiment %s has no method that can race; name one of PHE, P-EE, EE and the Adas", s.Name)
	}
	rules, err := t.Baselines(s, plan)
	for _, rule := range rules {
		r.Rivals = append(r.Rivals, &Rival{Name: rule.Name, IsRule: true, race: r, known: rule.Runs[0].Accuracy})
	}
	return r, err
}

// Begin is the initial phase: every method learns the stream's initial rows. Methods that differ only in their updates share it. tell
// hears the progress. Begin ends early if the context does.
func (r *Race) Begin(ctx context.Context, tell func(doing string)) error {
	const most = 10 // calls of tell for a method
	for i, rival := range r.Rivals {
		if rival.IsRule {
			continue
		}
		if err := rival.open(); err != nil {
			return err
		}
		if like := r.like(r.Rivals[:i], rival); like != nil {
			if err := rival.copy(like); err != nil {
				return err
			}
			continue
		}
		initial, all := rival.device.All.Take(r.Plan.Initial), r.Spec.Protocol.InitialEpochs
		parts := min(most, all)
		for part := range parts {
			from, to := all*part/parts, all*(part+1)/parts
			tell(fmt.Sprintf("Initial phase of %s: epoch %d of %d.", rival.Label(), from, all))
			if err := rival.device.Fit(initial, to-from); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return nil
			}
		}
	}
	return nil
}

// like returns a rival among others that has the same model as one before the first update.
func (r *Race) like(others []*Rival, one *Rival) *Rival {
	for _, other := range others {
		if other.device.Learner != nil && other.config == one.config {
			return other
		}
	}
	return nil
}

// Steps yields the numbers of the stream's steps until the context ends. Every rival must Predict a step, and then Learn it.
func (r *Race) Steps(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		for step := range r.Plan.Steps {
			next := time.After(r.Pace)
			if ctx.Err() != nil || !yield(step) {
				return
			}
			if r.Pace > 0 {
				<-next
			}
		}
	}
}

// Done returns the number of steps that all rivals have predicted.
func (r *Race) Done() int {
	done := len(r.Plan.Steps)
	for _, m := range r.Rivals {
		done = min(done, len(m.Accuracy))
	}
	return done
}

// Mean returns the share of a rival's rows that it classified right in steps from up to to, without to.
func (r *Race) Mean(m *Rival, from, to int) float64 {
	right, rows := 0.0, 0.0
	for step := from; step < to; step++ {
		n := float64(len(r.Plan.Steps[step]))
		right, rows = right+n*m.Accuracy[step], rows+n
	}
	return right / rows
}
