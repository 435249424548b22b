package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// A training both ways says times and whether the bits are equal; without a training it says why.
func TestDoctorBothWays(t *testing.T) {
	t.Setenv(files.PathVariable, filetest.Must(filepath.Abs("../../../data/uci"))(t))
	t.Setenv(programVariable, "1")
	if filetest.Long() { // it reads the table four times
		f := bothWays(backend.Go, "2", "1")
		if !f.Found || strings.Count(f.Detail, "ms a step") != 4 || !strings.HasSuffix(f.Detail, "; equal bits") {
			t.Errorf("on the processor: %+v", f)
		}
	}
	if f := bothWays("xla:abacus", "2", "1"); f.Found || !strings.Contains(f.Detail, "on: the training ends with exit status 1") {
		t.Errorf("on a backend that is none: %+v", f)
	}
}

// Where there is a plugin, doctor examines everything that a GPU needs, and says how to install missing parts.
func TestDoctorCUDA(t *testing.T) {
	folder := write(t, "plugin.so", nil)
	c := program(t, badData(t), "doctor", "--json")
	c.Env = append(c.Env, "GOPHE_CUDA_PLUGIN="+filepath.Join(folder, "plugin.so"), "CUDA_HOME="+folder)
	found := findings(t, c)
	if !backend.HasXLA {
		for _, name := range []string{"backend xla:cpu", "backend xla:cuda"} { // an installed plugin would change nothing
			if f := found[name]; f.Found || !strings.Contains(f.Detail, "a C compiler") || !strings.Contains(f.Remedy, "CGO_ENABLED=1") {
				t.Errorf("without cgo: %+v", f)
			}
		}
		return
	}
	for _, name := range []string{"plugin", "libraries", "toolkit", "driver", "device"} {
		if _, ok := found["cuda "+name]; !ok {
			t.Errorf("no finding on %s", name)
		}
	}
	if f := found["cuda plugin"]; f.Found || !strings.Contains(f.Detail, "plugin.so") { // an empty file is no library
		t.Errorf("an empty file is taken for a plugin: %+v", f)
	}
}
