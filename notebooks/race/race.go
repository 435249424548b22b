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
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/run"
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

// Begin is the initial phase: every method learns the stream's initial rows. tell hears the progress. Begin ends early if the context
// does.
func (r *Race) Begin(ctx context.Context, tell func(doing string)) error {
	for i, rival := range r.Rivals {
		if rival.IsRule || ctx.Err() != nil {
			return nil // rules come last
		}
		if err := rival.begin(ctx, r.Rivals[:i], tell); err != nil {
			return err
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

// Rival is a method in a race.
type Rival struct {
	Name     string
	Frozen   bool      // it stays as the initial phase left it
	IsRule   bool      // it needs no model
	Accuracy []float64 // of each step so far: the share of rows classified right, mean over seeds

	race   *Race
	method spec.Method
	known  []float64 // accuracy of a rule, which was counted at the beginning
	device run.Device
	config spec.Config
}

// Label returns the name, and says if the rival is frozen.
func (m *Rival) Label() string {
	as := result.Method{Name: m.Name, Frozen: m.Frozen}
	return as.Label()
}

// begin makes the rival's model and learns the initial rows. Methods that differ only in their updates share this phase.
func (m *Rival) begin(ctx context.Context, before []*Rival, tell func(doing string)) (err error) {
	r := m.race
	m.config = r.Spec.Config(m.method, r.task.About().NumItems)
	m.device, err = run.NewDevice(r.task, r.backend, m.config, r.Spec.Seeds, r.Plan.LargestStep(), true)
	if err != nil {
		return err
	}
	m.device = m.device.WithMethod(m.method)
	if like := slices.IndexFunc(before, func(other *Rival) bool { return other.config == m.config }); like >= 0 {
		state, err := before[like].device.Snapshot()
		if err != nil {
			return err
		}
		return m.device.Restore(state)
	}
	const most = 10 // calls of tell
	initial, all := m.device.All.Take(r.Plan.Initial), r.Spec.Protocol.InitialEpochs
	for part, parts := 0, min(most, all); part < parts && ctx.Err() == nil; part++ {
		from, to := all*part/parts, all*(part+1)/parts
		tell(fmt.Sprintf("Initial phase of %s: epoch %d of %d.", m.Label(), from, all))
		if err := m.device.Fit(initial, to-from); err != nil {
			return err
		}
	}
	return nil
}

// Predict predicts a step's rows and notes the share that is right.
func (m *Rival) Predict(step int) error {
	if m.IsRule {
		m.Accuracy = append(m.Accuracy, m.known[step])
		return nil
	}
	rows := m.race.Plan.Steps[step]
	scores, err := m.device.Score(rows, step)
	if err != nil {
		return err
	}
	mean := 0.0
	for _, s := range scores {
		mean += s.Metrics[measure.Accuracy] / float64(len(scores))
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
