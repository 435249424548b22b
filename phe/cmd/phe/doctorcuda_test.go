package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
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
			filetest.Want(t, found[name].Found, false, "%s is found", name)
			filetest.WantWords(t, found[name].Detail, "a C compiler")
			filetest.WantWords(t, found[name].Remedy, "CGO_ENABLED=1")
		}
		return
	}
	for _, name := range []string{"plugin", "libraries", "toolkit", "driver", "device"} {
		filetest.Want(t, found["cuda "+name].What, "cuda", "finding on %s", name)
	}
	f := found["cuda plugin"] // an empty file is no library
	filetest.True(t, !f.Found && strings.Contains(f.Detail, "plugin.so"), "an empty file is taken for a plugin: %+v", f)
}
