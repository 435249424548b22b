// Package race leads the methods of an experiment along its stream side by side, so that a notebook can draw their scores while
// they learn. Package run leads one method after another, and keeps results on disk.
//
// A race takes tables and the paper's methods: PHE, P-EE, EE and the Adas. It adds the frozen model of the first method and the
// rules that need no model.
package race

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/experiments/learner"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/experiments/task"
)

// Race is an experiment whose methods learn side by side.
type Race struct {
	Spec   spec.Spec
	Plan   *protocol.Plan
	Rivals []*Rival
	Done   int           // steps learned by all
	Pace   time.Duration // least time of a step, so that a reader can follow; 0 for none

	task    task.Task
	backend compute.Backend
}

// New loads an experiment's data. Its methods have seen no data yet.
func New(s spec.Spec, b compute.Backend) (*Race, error) {
	t, plan, err := task.Load(s, files.Options{})
	if err != nil {
		return nil, err
	}
	if _, ok := t.(*task.Classification); !ok || !plan.Scored {
		return nil, errors.Errorf("experiment %s is no stream of a table; a race needs one that is predicted step by step", s.Name)
	}
	r := &Race{Spec: s, Plan: plan, task: t, backend: b}
	for i, m := range s.Methods {
		if m.Rule != "" || m.Replay || m.GrowBeyond > 0 {
			return nil, errors.Errorf("method %s of %s cannot race; leave it out of the spec's methods", m.Name, s.Name)
		}
		r.Rivals = append(r.Rivals, &Rival{Name: m.Name, race: r, method: m})
		if i == 0 {
			r.Rivals = append(r.Rivals, &Rival{Name: m.Name, Frozen: true, race: r, method: m})
		}
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
			tell(fmt.Sprintf("initial phase of %s, epoch %d of %d", rival.Label(), from, all))
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
			r.Done = step + 1
			if r.Pace > 0 {
				<-next
			}
		}
	}
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

// Close frees the models.
func (r *Race) Close() {
	for _, rival := range r.Rivals {
		if rival.device.Learner != nil {
			rival.device.Close()
		}
	}
}

// Rival is a method in a race.
type Rival struct {
	Name     string
	Frozen   bool      // it stays as the initial phase left it
	IsRule   bool      // it needs no model
	Accuracy []float64 // of each step so far: the share of rows classified right, mean over seeds

	race   *Race
	method spec.Method
	known  []float64 // accuracy of a rule, which was counted at the beginning
	device learner.Device
	config spec.Config
}

// Label returns the name, and says if the rival is frozen.
func (m *Rival) Label() string {
	if m.Frozen {
		return m.Name + " (frozen)"
	}
	return m.Name
}

// open makes the rival's model.
func (m *Rival) open() (err error) {
	r := m.race
	m.config = r.Spec.Config(m.method, r.task.NumItems())
	m.device, err = learner.NewDevice(r.task, r.backend, m.config, r.Spec.Seeds, r.Plan.LargestStep(), true)
	m.device = m.device.WithMethod(m.method)
	return err
}

// copy takes over another rival's model.
func (m *Rival) copy(other *Rival) error {
	state, err := other.device.State()
	if err != nil {
		return err
	}
	return m.device.SetState(state)
}

// Predict predicts a step's rows and notes the share that is right.
func (m *Rival) Predict(step int) error {
	if m.IsRule {
		m.Accuracy = append(m.Accuracy, m.known[step])
		return nil
	}
	rows, seeds := m.race.Plan.Steps[step], len(m.race.Spec.Seeds)
	scores, err := protocol.Test(m.device, rows, seeds, step, m.race.task.Judge(m.config, rows))
	if err != nil {
		return err
	}
	mean := 0.0
	for _, s := range scores {
		mean += s.Metrics[measure.Accuracy] / float64(seeds)
	}
	m.Accuracy = append(m.Accuracy, mean)
	return nil
}

// Learn updates the model with a step's rows. A frozen model and a rule learn nothing here.
func (m *Rival) Learn(step int) error {
	if m.Frozen || m.IsRule {
		return nil
	}
	return m.device.Learn(m.race.Plan, step)
}
