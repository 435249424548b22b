package race

import (
	"gophe/experiments/learner"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

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
	as := result.Method{Name: m.Name, Frozen: m.Frozen}
	return as.Label()
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
