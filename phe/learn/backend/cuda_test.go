package backend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// put writes an empty file and the folders above it.
func put(t *testing.T, parts ...string) string {
	t.Helper()
	file := filepath.Join(parts...)
	filetest.Check(t, os.MkdirAll(filepath.Dir(file), 0o755))
	filetest.Check(t, os.WriteFile(file, nil, 0o644))
	return file
}

// fakePython puts a python3 on the PATH that runs a shell script, and nothing else.
func fakePython(t *testing.T, script string) {
	t.Helper()
	bin := t.TempDir()
	filetest.Check(t, os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	t.Setenv("PATH", bin)
}

const plugin13, plugin12 = "jax_plugins/xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"

// The first place that has a plugin gives it: the variable, the cache, Python's packages; CUDA 13's comes before 12's.
func TestFindCUDA(t *testing.T) {
	const cache, first, second = "cache", "first", "second"
	named := filepath.Join(t.TempDir(), "any.so")
	for _, c := range []struct {
		name string
		have [][2]string // folder and plugin
		want [2]string
	}{
		{"variable", [][2]string{{"variable", ""}, {cache, plugin13}, {first, plugin13}}, [2]string{"variable", ""}},
		{"cache", [][2]string{{cache, plugin12}, {first, plugin13}}, [2]string{cache, plugin12}},
		{"newer in cache", [][2]string{{cache, plugin12}, {cache, plugin13}}, [2]string{cache, plugin13}},
		{"Python", [][2]string{{second, plugin12}}, [2]string{second, plugin12}},
		{"newer in Python", [][2]string{{first, plugin12}, {second, plugin13}}, [2]string{second, plugin13}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := emptyCache(t)
			folders := map[string]string{cache: filepath.Join(root, "xla-cuda"), first: t.TempDir(), second: t.TempDir()}
			fakePython(t, "echo; echo "+folders[first]+"; echo "+folders[second])
			path := func(at [2]string) string {
				if at[0] == "variable" {
					return named
				}
				return filepath.Join(folders[at[0]], at[1])
			}
			for _, at := range c.have {
				put(t, path(at))
				if at[0] == "variable" {
					t.Setenv(backend.PluginVariable, named)
				}
			}
			found, err := backend.FindCUDA()
			if err != nil || found.Plugin != path(c.want) {
				t.Errorf("found %q, %v; want %q", found.Plugin, err, path(c.want))
			}
		})
	}
}

// Without a plugin the error names every folder and each way to get one.
func TestFindCUDAExplains(t *testing.T) {
	cache, packages := emptyCache(t), t.TempDir()
	fakePython(t, "echo "+packages)
	_, err := backend.FindCUDA()
	filetest.WantError(t, err, filepath.Join(cache, "xla-cuda"), packages, plugin13, plugin12, "make xla-cuda", backend.PluginVariable)
	absent := filepath.Join(packages, "absent.so")
	t.Setenv(backend.PluginVariable, absent)
	_, err = backend.FindCUDA()
	filetest.WantError(t, err, absent, backend.PluginVariable)
}

// A Python that hangs, fails or talks nonsense costs a moment and nothing else.
func TestFindCUDAPatience(t *testing.T) {
	backend.SetPythonPatience(t, 50*time.Millisecond)
	for name, script := range map[string]string{"hangs": "exec /bin/sleep 30", "holds its output": "/bin/sleep 30 & wait", "fails": "exit 3", "nonsense": "echo not a path"} {
		t.Run(name, func(t *testing.T) {
			cache := emptyCache(t)
			fakePython(t, script)
			start := time.Now()
			_, err := backend.FindCUDA()
			filetest.WantError(t, err, cache)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// NVIDIA's libraries are found beside the plugin first, and then in Python's packages.
func TestLibraries(t *testing.T) {
	emptyCache(t)
	packages, elsewhere := t.TempDir(), t.TempDir()
	fakePython(t, "echo "+packages)
	put(t, packages, plugin13)
	put(t, elsewhere, plugin13)
	cudart := put(t, packages, "nvidia", "cu13", "lib", "libcudart.so.13")
	cudnn := put(t, packages, "nvidia", "cudnn", "lib", "libcudnn.so.9")
	own := put(t, elsewhere, "nvidia", "cudnn", "lib", "libcudnn.so.9")
	for plugin, want := range map[string][2]string{
		filepath.Join(packages, plugin13):      {cudart, cudnn},
		filepath.Join(elsewhere, plugin13):     {cudart, own},
		put(t, t.TempDir(), "copied-alone.so"): {cudart, cudnn},
	} {
		t.Setenv(backend.PluginVariable, plugin)
		c := filetest.Must(backend.FindCUDA())(t)
		files := c.LibraryFiles()
		if filepath.Clean(files["libcudart.so.13"]) != want[0] || filepath.Clean(files["libcudnn.so.9"]) != want[1] || files["libcublas.so.13"] != "" {
			t.Errorf("%s: found %v", plugin, files)
		}
	}
}

// CUDA 12's wheels have a folder for each library.
func TestLibraries12(t *testing.T) {
	emptyCache(t)
	packages := t.TempDir()
	fakePython(t, "echo "+packages)
	put(t, packages, plugin12)
	cublas := put(t, packages, "nvidia", "cublas", "lib", "libcublas.so.12")
	put(t, packages, "nvidia", "cu13", "lib", "libcublas.so.13") // another package's
	c := filetest.Must(backend.FindCUDA())(t)
	files := c.LibraryFiles()
	_, filesOf13 := files["libcublas.so.13"]
	if filepath.Clean(files["libcublas.so.12"]) != cublas || filesOf13 {
		t.Errorf("found %v", files)
	}
}

// The toolkit comes from a wheel, from the environment, or from the folder of nvcc.
func TestToolkit(t *testing.T) {
	libdevice := filepath.Join("nvvm", "libdevice", "libdevice.10.bc")
	for _, c := range []string{"wheel", "CUDA_HOME", "nvcc"} {
		t.Run(c, func(t *testing.T) {
			emptyCache(t)
			packages, want := t.TempDir(), t.TempDir()
			fakePython(t, "echo "+packages)
			put(t, packages, plugin13)
			switch c {
			case "wheel":
				want = filepath.Join(packages, "nvidia", "cu13")
			case "CUDA_HOME":
				t.Setenv("CUDA_HOME", want)
			case "nvcc":
				put(t, want, "bin", "nvcc")
				filetest.Check(t, os.Chmod(filepath.Join(want, "bin", "nvcc"), 0o755))
				t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+filepath.Join(want, "bin"))
			}
			put(t, want, libdevice)
			found, err := backend.FindCUDA()
			if err != nil || filepath.Clean(found.Toolkit()) != want {
				t.Errorf("toolkit %q, %v; want %q", found.Toolkit(), err, want)
			}
		})
	}
}

// A plugin that is no library, or whose path go-xla would misread, is an error that says what to do.
func TestOpenBrokenGPUPlugin(t *testing.T) {
	emptyCache(t)
	fakePython(t, "exit 0")
	for name, want := range map[string]string{"cuda-broken.so": "phe doctor", "cuda,comma.so": "comma", "plain.so": "cuda or nvidia"} {
		plugin := put(t, t.TempDir(), name)
		t.Setenv(backend.PluginVariable, plugin)
		_, err := backend.Open(backend.XLACUDA)
		if err != nil && strings.Contains(err.Error(), "without cgo") {
			t.Skip(err)
		}
		filetest.WantError(t, err, plugin, want)
	}
}
