package bench

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"
)

//go:embed rivals/workload.py rivals/phe_jax.py rivals/phe_torch.py
var files embed.FS

// titles are the rivals' names in the table.
var titles = map[string]string{"jax": "JAX", "torch-eager": "PyTorch", "torch-graphs": "PyTorch, CUDA graphs"}

// Rivals runs programs in other frameworks by a Python that has these.
type Rivals struct {
	python   string
	folder   string            // of the scripts and the data
	versions map[string]string // of the installed frameworks
}

// listed prints the versions of the packages that the scripts import; "" for one that is not installed.
const listed = `import importlib.metadata as m, json
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return ""
print(json.dumps({name: version(name) for name in ("numpy", "jax", "torch")}))`

// FindRivals asks a Python for its frameworks, and writes the rivals' programs into a folder. missing says in one line what the Python
// lacks; it is empty if nothing is missing. No Python at all is as good as one without frameworks.
func FindRivals(ctx context.Context, python, folder string) (r Rivals, missing string, err error) {
	if python == "" {
		return r, "", nil
	}
	output, err := exec.CommandContext(ctx, python, "-c", listed).Output()
	if err != nil || json.Unmarshal(output, &r.versions) != nil {
		return r, "PyTorch and JAX are not measured: " + python + " is no Python that works here; --python names another", ctx.Err()
	}
	r.python, r.folder = python, folder
	var absent []string
	for _, name := range []string{"numpy", "jax", "torch"} {
		if r.versions[name] == "" {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		missing = "A rival is measured if its packages are installed: " + python + " has no " + strings.Join(absent, ", no ") + "; --python names another"
	}
	return r, missing, errors.Wrap(os.CopyFS(folder, files), "cannot write the rivals' programs; set TMPDIR to another folder")
}

// Of returns those of some programs that can run, with their versions.
func (r Rivals) Of(programs []string) (able []Key) {
	for _, program := range programs {
		framework, _, _ := strings.Cut(program, "-")
		if version := r.versions[framework]; version != "" && r.versions["numpy"] != "" {
			able = append(able, Key{Program: program, Version: version})
		}
	}
	return able
}

// Most processes of a rival whose median is taken, and the calls of the initial phase in each.
const rivalRuns, rivalCalls = 3, 3

// Data returns the folder for the exported data of a task.
func (r Rivals) Data(task string) string { return filepath.Join(r.folder, task) }

// Measure runs a rival on the exported data of a task, and fills in the figures of a line that are not left out. stepsACall is the number
// of steps of one of our calls, and chunkRows the number of rows in the chunks. The time of both figures together is limited, and they
// are left out if no process ends within it.
func (r Rivals) Measure(ctx context.Context, line Line, task string, stepsACall, chunkRows int, l Limits) (Line, error) {
	chunks := line.Chunks
	if line.Row.LeftOut != "" {
		chunks = 0
	}
	framework, mode, _ := strings.Cut(line.Program, "-")
	args := []string{"-B", filepath.Join(r.folder, "rivals", "phe_"+framework+".py"), "--data", r.Data(task), "--task", task,
		"--seeds", strconv.Itoa(line.Replicas), "--steps", strconv.Itoa(rivalCalls * stepsACall), "--chunks", strconv.Itoa(chunks), "--device", line.Backend}
	if mode != "" {
		args = append(args, "--mode", mode)
	}
	ctx, stop := context.WithTimeout(ctx, time.Duration(2*l.Seconds*float64(time.Second)))
	defer stop()
	var steps, rows, compiling, peak []float64
	for began := time.Now(); len(steps) < rivalRuns; {
		m, err := r.run(ctx, args)
		if ctx.Err() == context.DeadlineExceeded {
			break
		} else if err != nil {
			return line, err
		}
		steps, rows, compiling = append(steps, m.Seconds/float64(m.Steps)), append(rows, m.StreamSeconds/float64(chunkRows)), append(compiling, m.CompileSeconds)
		peak = append(peak, 1e6*m.PeakHostMB)
		if each := time.Since(began).Seconds() / float64(len(steps)); each*float64(len(steps)+1) > 2*l.Seconds {
			break
		}
	}
	if len(steps) == 0 {
		line.Step.LeftOut = fmt.Sprintf("left out: needs more than %.0f min", 2*l.Seconds/60)
		line.Row.LeftOut = line.Step.LeftOut
		return line, nil
	}
	line.CompileSeconds, line.PeakBytes, line.Step.Seconds = Median(compiling), slices.Max(peak), Median(steps)
	line.Step.Needs = rivalCalls * float64(stepsACall) * line.Step.Seconds
	if chunks > 0 {
		line.Row.Seconds = Median(rows)
		line.Row.Needs = line.Row.Seconds * float64(chunkRows)
	}
	return line, nil
}

// run runs a rival's program and returns the measurement that it prints.
func (r Rivals) run(ctx context.Context, args []string) (m Measurement, err error) {
	c := exec.CommandContext(ctx, r.python, args...)
	var told bytes.Buffer
	c.Stderr = &told
	output, err := c.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(told.String()), "\n")
		return m, errors.Wrap(err, lines[len(lines)-1])
	}
	return m, errors.Wrap(json.Unmarshal(output, &m), "reading a rival's measurement")
}

// Median returns the middle of some values, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
