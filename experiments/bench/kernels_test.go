package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"gophe/data/files"
	"gophe/experiments/table"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// compiler is the variable that names a Python with the packages of .ci/gpu-hlo.txt. `make gpu-hlo` sets it.
const compiler = "GOPHE_HLO_PYTHON"

const kernelsFile = "testdata/h200-kernels.json"

// launch counts the parts of a program on a GPU.
type launch struct {
	Kernels           int `json:"kernels"`       // of a step; of the whole program, if it has no loop
	Scatters          int `json:"scatters"`      // they add up by atomic operations, in any order
	Sorts             int `json:"sorts"`         // each is several kernels
	CountedLoops      int `json:"counted_loops"` // the compiler knows the number of their steps
	HostLoops         int `json:"host_loops"`    // the host leads them, and waits for each step's condition where the number is not known
	BufferedHostLoops int `json:"buffered_host_loops"`
}

// Every program of the three models compiles for an H200, with as many parts as when kernelsFile was written, by the same
// version of the compiler. `make gpu-hlo` runs this, with -update it writes the file.
func TestKernels(t *testing.T) {
	python := os.Getenv(compiler)
	if python == "" {
		t.Skip("`make gpu-hlo` compiles for a GPU")
	}
	want, got := committedKernels(t), map[string]launch{}
	t.Setenv(files.PathVariable, filetest.Must(filepath.Abs("../../data/uci"))(t)) // the true tables
	for _, c := range []struct {
		task   string
		scheme phe.Scheme
	}{{"adult", phe.Moments}, {"adult", phe.Local}, {"adult", phe.Fresh}, {"dkf", phe.Local}, {"ncf", phe.Local}} {
		t.Run(c.task+" "+string(c.scheme), func(t *testing.T) {
			all := programs(t, Options{Task: c.task, Scheme: c.scheme, Seeds: 5, Steps: 2, Chunks: 1})
			for name, own := range launched(t, python, all) {
				key := c.task + ", " + string(c.scheme) + ": " + name
				if got[key] = own; own != want[key] && !*update {
					t.Errorf("%s launches %+v, and before %+v", key, own, want[key])
				}
			}
		})
	}
	if *update {
		filetest.Check(t, os.WriteFile(kernelsFile, append(filetest.Must(json.MarshalIndent(got, "", "\t"))(t), '\n'), 0o644))
	}
	t.Log("\n" + kernels(got))
}

func committedKernels(t *testing.T) (of map[string]launch) {
	t.Helper()
	filetest.Check(t, json.Unmarshal(filetest.Must(os.ReadFile(kernelsFile))(t), &of))
	return of
}

// kernels is a table of programs.
func kernels(of map[string]launch) string {
	rows := table.New(1, "program", "kernels a step", "scatters", "sorts", "loops of known length",
		"loops on the host, with command buffers")
	for _, name := range slices.Sorted(maps.Keys(of)) {
		l := of[name]
		rows.Add(name, l.Kernels, l.Scatters, l.Sorts, l.CountedLoops, fmt.Sprintf("%d, %d", l.HostLoops, l.BufferedHostLoops))
	}
	return rows.String()
}

// programs writes the StableHLO of a workload's programs to files, a name each. go-xla logs it.
func programs(t *testing.T, o Options) (paths []string) {
	t.Helper()
	var log bytes.Buffer
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	filetest.Check(t, flags.Parse([]string{"-v=2", "-logtostderr=false", "-stderrthreshold=FATAL"}))
	defer func() { filetest.Check(t, flags.Parse([]string{"-v=0", "-logtostderr=true"})) }()
	klog.SetOutput(&log)
	o.Backend, o.BackendName = filetest.Must(backend.Open(backend.XLACPU))(t), backend.XLACPU
	filetest.Must(filetest.Must(New(o))(t).Time(context.Background()))(t)
	klog.Flush()
	folder := t.TempDir()
	for _, m := range regexp.MustCompile(`(?s)\nmodule @(\w+?)_\d+ \{.*?\n\}\n`).FindAllStringSubmatch(log.String(), -1) {
		path := filepath.Join(folder, strings.ReplaceAll(m[1], "_", " "))
		if filetest.Check(t, os.WriteFile(path, []byte(m[0]), 0o644)); !slices.Contains(paths, path) { // it logs each twice
			paths = append(paths, path)
		}
	}
	if len(paths) != 4 {
		t.Fatalf("%d programs are logged: %q", len(paths), paths)
	}
	return paths
}

// launched compiles programs and counts their parts, by name.
func launched(t *testing.T, python string, paths []string) map[string]launch {
	t.Helper()
	c := exec.Command(python, append([]string{"../../.ci/gpu_hlo.py"}, paths...)...)
	var said bytes.Buffer
	c.Stderr = &said
	output, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	var all map[string]launch
	filetest.Check(t, json.Unmarshal(output, &all))
	return all
}
