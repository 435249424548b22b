package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/learn/backend"
)

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
