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
		if got := backend.Resolve(name); got != backend.Go {
			t.Errorf("Resolve(%q) is %q, want %q", name, got, backend.Go)
		}
		b := filetest.Must(backend.Open(name))(t)
		if b.Name() != "Go Backend" {
			t.Errorf("Open(%q) opened %q", name, b.Name())
		}
		b.Finalize()
	}
}

func TestResolve(t *testing.T) {
	emptyCache(t)
	for _, name := range []string{backend.Go, backend.XLACPU, backend.XLACUDA, "nonsense"} {
		if got := backend.Resolve(name); got != name {
			t.Errorf("Resolve(%q) is %q; only auto stands for another", name, got)
		}
		t.Setenv("GOPHE_BACKEND", name)
		for _, auto := range []string{backend.Auto, ""} {
			if got := backend.Resolve(auto); got != name {
				t.Errorf("with GOPHE_BACKEND=%s auto is %q", name, got)
			}
		}
		if got := backend.Resolve(backend.Go); got != backend.Go {
			t.Errorf("GOPHE_BACKEND=%s makes %q of go", name, got)
		}
	}
	_, err := backend.Open(backend.Auto) // of the last one, nonsense
	filetest.WantError(t, err, `"nonsense"`, "GOPHE_BACKEND")
	t.Setenv("GOPHE_BACKEND", backend.Auto)
	if got := backend.Resolve(backend.Auto); got != backend.Go {
		t.Errorf("with GOPHE_BACKEND=auto auto is %q", got)
	}
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
	if got, err := backend.CacheFolder(); err != nil || !filepath.IsAbs(got) || filepath.Base(got) != "somewhere" {
		t.Errorf("%q, %v; want the absolute path of GOPHE_CACHE", got, err)
	}
	t.Setenv("GOPHE_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "/cache") // where Linux looks first
	t.Setenv("HOME", "/home/someone")
	if got, err := backend.CacheFolder(); err != nil || filepath.Base(got) != "gophe" {
		t.Errorf("%q, %v; want gophe in the user's cache folder", got, err)
	}
}
