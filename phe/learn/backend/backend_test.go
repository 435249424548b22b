package backend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

func Example() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Finalize()
	fmt.Println(b.Name())
	// Output: Go Backend
}

// emptyCache makes sure that no plugin is found.
func emptyCache(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("GOPHE_CACHE", folder)
	t.Setenv(backend.PluginVariable, "")
	t.Setenv("GOPHE_BACKEND", "")
	t.Setenv("PATH", t.TempDir()) // no nvcc
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH"} {
		t.Setenv(variable, "")
	}
	return folder
}

func TestUnknownName(t *testing.T) {
	for _, name := range []string{"cpu", "GO", "xla", "xla:tpu", "go "} {
		_, err := backend.Open(name)
		filetest.WantError(t, err, fmt.Sprintf("%q", name), "auto, go, xla:cpu, xla:cuda")
	}
}

func TestMissingPlugin(t *testing.T) {
	if !backend.HasXLA {
		t.Skip("this build has no plugins")
	}
	folder := emptyCache(t)
	for _, c := range []struct{ name, command string }{{backend.XLACPU, "`make xla`"}, {backend.XLACUDA, "`make xla-cuda`"}} {
		_, err := backend.Open(c.name)
		filetest.WantError(t, err, c.name, folder, c.command, "remedy: go backend")
	}
}

func TestAutoFallsBackToGo(t *testing.T) {
	emptyCache(t)
	for _, name := range []string{backend.Auto, ""} {
		filetest.Want(t, backend.Resolve(name), backend.Go, "the backend of %q", name)
		b := filetest.Must(backend.Open(name))(t)
		filetest.Want(t, b.Name(), "Go Backend", "what Open(%q) opened", name)
		b.Finalize()
	}
}

func TestResolve(t *testing.T) {
	emptyCache(t)
	for _, name := range []string{backend.Go, backend.XLACPU, backend.XLACUDA, "nonsense"} {
		filetest.Want(t, backend.Resolve(name), name, "the backend of a name; only auto stands for another")
		t.Setenv("GOPHE_BACKEND", name)
		for _, auto := range []string{backend.Auto, ""} {
			filetest.Want(t, backend.Resolve(auto), name, "auto by the environment")
		}
		filetest.Want(t, backend.Resolve(backend.Go), backend.Go, "go, where the environment says %s", name)
	}
	_, err := backend.Open(backend.Auto) // of the last one, nonsense
	filetest.WantError(t, err, `"nonsense"`, "GOPHE_BACKEND")
	t.Setenv("GOPHE_BACKEND", backend.Auto)
	filetest.Want(t, backend.Resolve(backend.Auto), backend.Go, "auto, where the environment says auto")
}

// A broken plugin is an error with a remedy, not a crash, and auto does not hide it.
func TestBrokenPlugin(t *testing.T) {
	folder := emptyCache(t)
	path := filepath.Join(folder, "xla", "pjrt_c_api_cpu_plugin.so")
	filetest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	filetest.Check(t, os.WriteFile(path, []byte("not a library"), 0o755))
	if !backend.HasXLA {
		t.Skip("this build opens no plugins")
	}
	_, err := backend.Open(backend.XLACPU)
	filetest.WantError(t, err, path, "make xla")
}

func TestCacheFolder(t *testing.T) {
	t.Setenv("GOPHE_CACHE", "somewhere")
	got := filetest.Must(backend.CacheFolder())(t)
	filetest.Want(t, got, filetest.Must(filepath.Abs("somewhere"))(t), "the absolute path of GOPHE_CACHE")
	t.Setenv("GOPHE_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "/cache") // where Linux looks first
	t.Setenv("HOME", "/home/someone")
	filetest.Want(t, filepath.Base(filetest.Must(backend.CacheFolder())(t)), "gophe", "the folder in the user's cache folder")
}
