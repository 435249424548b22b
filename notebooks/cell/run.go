package cell

import (
	"context"
	"fmt"
	"html"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/gomlx/compute"
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/pkg/errors"

	"gophe/experiments/bench"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/task/ownmethod"
	"gophe/phe/learn/backend"
	"gophe/phe/terminal"
)

// sizeVariable is the environment variable that says in which size notebooks run: quick, the default, in under two minutes
// each on two cores; or full, as in the paper.
const sizeVariable = "GOPHE_NOTEBOOKS"

// Full reports whether notebooks run in the paper's size.
func Full() bool { return Must(isFull(os.Getenv(sizeVariable))) }

// isFull reads the variable's value.
func isFull(value string) (bool, error) {
	switch value {
	case "", "quick":
		return false, nil
	case "full":
		return true, nil
	}
	return false, errors.Errorf("%s is %q; set it to quick or full", sizeVariable, value)
}

// Spec loads an experiment that comes with the program: as it is in full, and as quick changes it under the name NAME-quick.
func Spec(name string, quick func(*spec.Spec)) spec.Spec {
	spec := Must(spec.Load(name))
	if Full() {
		return spec
	}
	quick(&spec)
	spec.Name += "-quick"
	Check(spec.Validate())
	return spec
}

// Root is the repository's folder: the one above the notebook's.
func Root() string { return filepath.Dir(os.Getenv("GONB_DIR")) }

// Committed is where the results are that REPRODUCTION.md shows: experiments/out.
func Committed() *result.Folder {
	return result.OpenFolder(filepath.Join(Root(), "experiments", "out"))
}

// Read loads the committed result of an experiment, all seeds of it.
func Read(name string) *result.File { return Must(Committed().Load(name)) }

// Study returns the result of an experiment as the paper has it, all seeds: the committed one, or in full size one that runs now.
func Study(name string) *result.File {
	if !Full() {
		return Read(name)
	}
	return Run(Must(spec.Load(name)))
}

// Results is where Run leaves results: out/notebooks.
func Results() string { return filepath.Join(Root(), "out", "notebooks") }

// ReadRun loads what Run left.
func ReadRun(spec spec.Spec) *result.File {
	return Must(result.Read(filepath.Join(Results(), spec.Name+".json")))
}

// Device says on which backend Run computes, and how to choose another.
func Device() {
	fmt.Printf("Runs train on %s. %s chooses the backend: %s.\n",
		backend.Resolve(backend.Auto), backend.Variable, strings.Join(backend.Names(), ", "))
}

// Run runs an experiment on the backend that Device names, and shows how far it is. It keeps an earlier result of
// the same spec and the same data. The kernel's interrupt stops it at the next step, and the next Run continues from there. Methods of
// the notebook's own join the spec's, and run again each time.
func Run(spec spec.Spec, own ...ownmethod.Method) *result.File {
	return runOn(backend.Resolve(backend.Auto), spec, own)
}

// RunInGo is Run in pure Go, which starts at once where XLA compiles for seconds. It suits small tables with few steps. In full size
// it is Run, and where the reader has chosen a backend.
func RunInGo(spec spec.Spec) *result.File {
	if chosen := os.Getenv(backend.Variable); Full() || chosen != "" && chosen != backend.Auto {
		return Run(spec)
	}
	return runOn(backend.Go, spec, nil)
}

// OnEachBackend runs an experiment on each backend of this machine. A row has the seconds of the whole run, and the first method's score.
func OnEachBackend(s spec.Spec) dataframe.DataFrame {
	table, none := NewRows("backend", "seconds", "of these compiling", "score"), math.NaN()
	for _, name := range backend.Names()[1:] {
		if _, err := backend.Open(name); err != nil {
			table.Add(name, none, none, "not on this machine")
			continue
		}
		own, compiling := s, 0.0
		own.Name += "-" + strings.ReplaceAll(name, ":", "-")
		f := runOn(name, own, nil)
		row := measure.Rows(f)[0]
		for _, r := range row.Method.Runs {
			compiling += r.Seconds.Compile
		}
		table.Add(name, f.Manifest.Seconds, compiling, row.Cell(row.Leading()))
	}
	return table.Frame()
}

// SideBySide measures models of Adult that train side by side in one program, on the backend that Device names. A row has as many as one
// of the numbers says.
func SideBySide(models ...int) dataframe.DataFrame {
	name := backend.Resolve(backend.Auto)
	opened, table := Must(backend.Open(name)), NewRows("models", "a step of all, ms", "a model's share, ms", "stream, rows a second",
		"compiling, s")
	for _, n := range models {
		w := Must(bench.New(bench.Options{Task: "adult", Backend: opened, BackendName: name, Seeds: n, Steps: 20, Repeat: 3, Chunks: 3}))
		m := Must(w.Time(context.Background()))
		step := 1000 * m.Medians.Step
		table.Add(n, step, step/float64(n), 1/m.Medians.Row, m.CompileSeconds)
	}
	return table.Frame()
}

// runOn runs an experiment on a backend, and shows how far it is.
func runOn(name string, spec spec.Spec, own []ownmethod.Method) *result.File {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	opened := Must(backend.Open(name))
	page, began := page("progress_"+gonbui.UniqueId()), time.Now()
	f, err := run.Execute(ctx, spec, run.Options{
		Backend: opened, Another: func() (compute.Backend, error) { return backend.Open(name) }, BackendName: name, Out: Results(),
		Existing: run.Refresh, Progress: terminal.NewLine(page, spec.Name).Update, Own: own, Say: func(note string) { fmt.Println(note) },
	})
	ended := "done on " + name
	switch {
	case errors.Is(err, context.Canceled):
		ended = "stopped; run the cell again to go on"
	case err != nil:
		ended = "failed"
	}
	fmt.Fprintf(page, "%s: %s after %s", spec.Name, ended, time.Since(began).Round(100*time.Millisecond))
	Sync()
	Check(err)
	return f
}

// page is a place of the notebook's page that shows the last text written to it.
type page string

// Write implements io.Writer.
func (id page) Write(text []byte) (int, error) {
	gonbui.UpdateHTML(string(id), html.EscapeString(string(text)))
	return len(text), nil
}
