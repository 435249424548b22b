package sweep

import (
	"context"
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// Points side by side score as each alone does, whether or not the sweep is stopped on the way, and points of one shape compile once.
// A GPU's name, on a backend that fuses nothing, makes them share programs.
func TestPointsSideBySide(t *testing.T) {
	s := shop(t, 160, 160)
	s.Methods = s.Methods[:2]
	g := mustGrid(t, s, axes(t, "learning_rate=0.01,0.1", "initial_log_std_dev=-10,-2"))
	alone := filetest.Must(run.Execute(context.Background(), g.Spec, options(t, t.TempDir())))(t)
	o := options(t, t.TempDir())
	o.BackendName, o.Stacked = backend.XLACUDA, true
	stopAt(t, 0.3, g, o)
	stopped := filetest.Must(result.Read(run.StoppedPath(o.Out, g.Spec.Name)))(t)
	o.Existing = run.Resume
	together := filetest.Must(run.Execute(context.Background(), g.Spec, o))(t)
	compiled := map[float64]bool{}
	for i, m := range alone.Methods {
		for k, want := range m.Runs {
			got := together.Methods[i].Runs[k]
			same := slices.Equal(got.LogLikelihood, want.LogLikelihood) && slices.Equal(got.Accuracy, want.Accuracy)
			filetest.True(t, same && got.UpdateSteps == want.UpdateSteps,
				"%s, seed %d: other scores beside others", m.Name, want.Seed)
			if m.Hash != "" && !m.Frozen {
				compiled[got.Seconds.Compile] = true
			}
		}
	}
	filetest.True(t, stopped.Status == result.Partial && len(compiled) <= 4,
		"status %s, times of compilation %v", stopped.Status, compiled)
}

// All points of a shape share a worker's programs, also where each trains alone.
func TestOneCompilation(t *testing.T) {
	s := shop(t, 120, 120)
	s.Methods, s.Seeds = s.Methods[:1], s.Seeds[:1]
	g := mustGrid(t, s, axes(t, "learning_rate=0.01,0.03,0.1", "update_epochs=1,2"))
	o := options(t, t.TempDir())
	o.BackendName = backend.XLACUDA // one worker
	f := filetest.Must(run.Execute(context.Background(), g.Spec, o))(t)
	var compiling []string
	for _, m := range f.Methods {
		if len(m.Runs) > 0 && m.Runs[0].Seconds.Compile > 0 && !m.Frozen {
			compiling = append(compiling, m.Name)
		}
	}
	filetest.True(t, len(compiling) == 2, // the methods of the first model, whose learner compiles
		"%d points compile: %q", len(compiling), compiling)
}
