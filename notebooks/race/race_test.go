package race_test

import (
	"context"
	"math"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/notebooks/race"
	"gophe/phe/backend"
	"gophe/phe/filetest"
)

// begin returns a race of an experiment's first methods with one seed, after its initial phase.
func begin(t *testing.T, name string, methods, epochs int) *race.Race {
	t.Helper()
	s := filetest.Must(spec.Load(name))(t)
	s.Seeds, s.Methods, s.Protocol.InitialEpochs = s.Seeds[:1], s.Methods[:methods], epochs
	b := filetest.Must(backend.Open(backend.Go))(t)
	r := filetest.Must(race.New(s, b))(t)
	filetest.Check(t, r.Begin(t.Context(), func(string) {}))
	return r
}

// lead leads all rivals along the stream.
func lead(t *testing.T, r *race.Race, ctx context.Context, each func()) {
	t.Helper()
	for step := range r.Steps(ctx) {
		for _, m := range r.Rivals {
			filetest.Check(t, m.Predict(step))
			filetest.Check(t, m.Learn(step))
		}
		each()
	}
}

// The methods score the same, step by step, as in the study's run of the experiment. The study led one after the other, on XLA.
func TestRaceFollowsTheStudy(t *testing.T) {
	const name = "mushroom-by-group"
	r := begin(t, name, 2, 100)
	lead(t, r, t.Context(), func() {})
	f := filetest.Must(result.OpenFolder("../../experiments/out").Load(name))(t)
	if r.Done() != len(r.Plan.Steps) || len(r.Rivals) != 5 {
		t.Fatalf("%d steps of %d rivals", r.Done(), len(r.Rivals))
	}
	for _, m := range r.Rivals {
		worst := 0.0
		for step, want := range f.Method(m.Name, m.Frozen).Run(0).Accuracy {
			worst = max(worst, math.Abs(m.Accuracy[step]-want))
		}
		t.Logf("%s: %.4f, at most %.3f from the study in a step", m.Label(), r.Mean(m, 0, r.Done()), worst)
		if worst > 0.051 { // one of 20 rows
			t.Errorf("%s is %.3f from the study in one step", m.Label(), worst)
		}
	}
}

// A race that is stopped half-way keeps its scores.
func TestRaceStops(t *testing.T) {
	r := begin(t, "mushroom-by-group", 1, 1)
	ctx, stop := context.WithCancel(t.Context())
	steps := 0
	lead(t, r, ctx, func() {
		if steps++; steps == 40 {
			stop()
		}
	})
	if r.Done() != 40 {
		t.Errorf("%d steps are done, want 40", r.Done())
	}
	for _, m := range r.Rivals {
		if len(m.Accuracy) != 40 {
			t.Errorf("%s has %d scores, want 40", m.Label(), len(m.Accuracy))
		}
	}
}

// Experiments that are no stream of a table are refused. Methods that need more than a race has are left out.
func TestRaceRefuses(t *testing.T) {
	for name, rivals := range map[string]int{"mushroom-group": 0, "two-items": 0, "retail-online": 0, "mushroom-by-group": 6 + 3, "mushroom-by-group-one-pass": 1 + 3} {
		s := filetest.Must(spec.Load(name))(t)
		r, err := race.New(s, nil)
		if err != nil && rivals > 0 || err == nil && len(r.Rivals) != rivals {
			t.Errorf("%s: %v", name, err)
		}
	}
}
