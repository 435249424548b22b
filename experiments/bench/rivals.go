package bench

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/learn/backend"
)

//go:embed rivals/workload.py rivals/phe_jax.py rivals/phe_torch.py
var scripts embed.FS

// titles are the rivals' names in the table.
var titles = map[string]string{"jax": "JAX", "torch-eager": "PyTorch", "torch-graphs": "PyTorch, CUDA graphs"}

// rivals runs programs in other frameworks by a Python that has these.
type rivals struct {
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

// findRivals asks a Python for its frameworks, and writes the rivals' programs into a folder. missing says in one line what the Python
// lacks; it is empty if nothing is missing. No Python at all is as good as one without frameworks.
func findRivals(ctx context.Context, python, folder string) (r rivals, missing string, err error) {
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
		missing = "A rival is measured if its packages are installed: " + python + " has no " + strings.Join(absent, ", no ") +
			"; --python names another"
	}
	return r, missing, errors.Wrap(os.CopyFS(folder, scripts), "cannot write the rivals' programs; set TMPDIR to another folder")
}

// version returns the version of a rival's framework; "" if the rival cannot run.
func (r rivals) version(program string) string {
	framework, _, _ := strings.Cut(program, "-")
	if r.versions["numpy"] == "" {
		return ""
	}
	return r.versions[framework]
}

// measure runs a rival on the data of a workload, which it exports once. The rival is left out if it takes longer than the limit.
func (r rivals) measure(ctx context.Context, line Line, w *Workload, l limits) (Line, error) {
	data := filepath.Join(r.folder, w.Task)
	if _, err := os.Stat(data); err != nil {
		if err := w.Export(data); err != nil {
			return line, err
		}
	}
	framework, mode, _ := strings.Cut(line.Program, "-")
	args := []string{"-B", filepath.Join(r.folder, "rivals", "phe_"+framework+".py"), "--data", data, "--task", w.Task,
		"--seeds", strconv.Itoa(line.Replicas), "--steps", strconv.Itoa(line.Steps), "--repeat", strconv.Itoa(calls),
		"--chunks", strconv.Itoa(line.Chunks), "--device", line.Backend}
	if mode != "" {
		args = append(args, "--mode", mode)
	}
	limited, stop := context.WithTimeout(ctx, time.Duration(l.seconds*float64(time.Second)))
	defer stop()
	c := exec.CommandContext(limited, r.python, args...)
	c.Env = append(os.Environ(), "XLA_FLAGS="+backend.Flags()) // it shall compile its own
	var told bytes.Buffer
	c.Stderr = &told
	output, err := c.Output()
	if limited.Err() != nil {
		line.Seconds, line.LeftOut = l.seconds, fmt.Sprintf("left out: needs more than %.0f min", l.seconds/60)
		return line, ctx.Err()
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(told.String()), "\n")
		return line, errors.Wrap(err, lines[len(lines)-1])
	}
	var m Measurement
	if err := cmp.Or(json.Unmarshal(output, &m), json.Unmarshal(output, &m.Medians)); err != nil {
		return line, errors.Wrap(err, "reading the measurement that it printed")
	}
	line.take(m)
	line.PeakBytes = 1e6 * m.PeakHostMB
	return line, nil
}
