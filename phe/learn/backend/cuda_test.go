package backend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

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

const plugin13, plugin12 = "jax_plugins/xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"

// The first place that has a plugin gives it: the variable, and then the cache; CUDA 13's comes before 12's.
func TestFindCUDA(t *testing.T) {
	for _, c := range []struct {
		name  string
		named bool
		cache []string
		want  string // in the cache; empty is the named one
	}{
		{"variable", true, []string{plugin13}, ""},
		{"cache", false, []string{plugin12}, plugin12},
		{"newer in cache", false, []string{plugin12, plugin13}, plugin13},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := filepath.Join(emptyCache(t), "xla-cuda")
			for _, plugin := range c.cache {
				put(t, cache, plugin)
			}
			want := filepath.Join(cache, c.want)
			if c.named {
				want = put(t, t.TempDir(), "any.so")
				t.Setenv(backend.PluginVariable, want)
			}
			filetest.Want(t, string(filetest.Must(backend.FindCUDA())(t)), want, "the plugin")
		})
	}
}

// Without a plugin the error names the places of the search and each way to get one.
func TestFindCUDAExplains(t *testing.T) {
	cache := emptyCache(t)
	_, err := backend.FindCUDA()
	filetest.WantError(t, err, filepath.Join(cache, "xla-cuda"), plugin13, plugin12, "make xla-cuda", backend.PluginVariable)
	absent := filepath.Join(cache, "absent.so")
	t.Setenv(backend.PluginVariable, absent)
	_, err = backend.FindCUDA()
	filetest.WantError(t, err, absent, backend.PluginVariable)
}

// NVIDIA's libraries are found beside the plugin first, and then in the cache. CUDA 12's wheels have a folder for each library.
func TestLibraries(t *testing.T) {
	cache, elsewhere := filepath.Join(emptyCache(t), "xla-cuda"), t.TempDir()
	cudart := put(t, cache, "nvidia", "cu13", "lib", "libcudart.so.13")
	cudnn := put(t, cache, "nvidia", "cudnn", "lib", "libcudnn.so.9")
	cublas := put(t, cache, "nvidia", "cublas", "lib", "libcublas.so.12")
	put(t, cache, "nvidia", "cu13", "lib", "libcublas.so.12") // another version's place
	own := put(t, elsewhere, "nvidia", "cudnn", "lib", "libcudnn.so.9")
	for plugin, want := range map[string]map[string]string{
		put(t, cache, plugin13):                {"libcudart.so.13": cudart, "libcudnn.so.9": cudnn, "libcublas.so.13": ""},
		put(t, elsewhere, plugin13):            {"libcudart.so.13": cudart, "libcudnn.so.9": own},
		put(t, t.TempDir(), "copied-alone.so"): {"libcudart.so.13": cudart, "libcudnn.so.9": cudnn},
		put(t, cache, plugin12):                {"libcublas.so.12": cublas, "libcudnn.so.9": cudnn},
	} {
		t.Setenv(backend.PluginVariable, plugin)
		files := backend.LibraryFiles(filetest.Must(backend.FindCUDA())(t))
		for name, file := range want {
			got := files[name]
			filetest.True(t, got == file || filepath.Clean(got) == file, "%s: %s is at %q, want %q", plugin, name, got, file)
		}
		_, is12 := files["libcublas.so.12"]
		filetest.Want(t, is12, strings.Contains(plugin, "xla_cuda12"), "%s has libraries of CUDA 12, %v", plugin, files)
	}
}

// The toolkit comes from a wheel, from the environment, or from the folder of nvcc.
func TestToolkit(t *testing.T) {
	libdevice := filepath.Join("nvvm", "libdevice", "libdevice.10.bc")
	for _, c := range []string{"wheel", "CUDA_HOME", "nvcc"} {
		t.Run(c, func(t *testing.T) {
			cache, want := filepath.Join(emptyCache(t), "xla-cuda"), t.TempDir()
			put(t, cache, plugin13)
			switch c {
			case "wheel":
				want = filepath.Join(cache, "nvidia", "cu13")
			case "CUDA_HOME":
				t.Setenv("CUDA_HOME", want)
			case "nvcc":
				put(t, want, "bin", "nvcc")
				filetest.Check(t, os.Chmod(filepath.Join(want, "bin", "nvcc"), 0o755))
				t.Setenv("PATH", filepath.Join(want, "bin"))
			}
			put(t, want, libdevice)
			filetest.Want(t, filepath.Clean(backend.Toolkit(filetest.Must(backend.FindCUDA())(t))), want, "the toolkit")
		})
	}
}

// Loops go into CUDA graphs under the pinned version only, for another may not know the flag and end the process. A user's flag wins, and
// the variable leaves them to the host.
func TestFlags(t *testing.T) {
	const loops = "--xla_gpu_enable_command_buffer=+WHILE,+CONDITIONAL"
	for _, c := range []struct{ wheel, variable, flags, want string }{
		{backend.Pinned, "", "", loops},
		{backend.Pinned, "", "--xla_other=1", "--xla_other=1 " + loops},
		{backend.Pinned, "off", "", ""},
		{backend.Pinned, "", "--xla_gpu_enable_command_buffer=", "--xla_gpu_enable_command_buffer="},
		{backend.Pinned + "1", "", "", ""},
		{"0.10.2", "", "", ""},
	} {
		cache := filepath.Join(emptyCache(t), "xla-cuda")
		put(t, cache, plugin12)
		put(t, cache, "jax_cuda12_pjrt-"+c.wheel+".dist-info", "METADATA")
		t.Setenv(backend.CommandBuffers, c.variable)
		t.Setenv("XLA_FLAGS", c.flags)
		backend.SetFlags(filetest.Must(backend.FindCUDA())(t))
		filetest.Want(t, backend.Flags(), c.want, "XLA_FLAGS without caches of %+v", c)
		kept := strings.TrimSpace(strings.TrimPrefix(os.Getenv("XLA_FLAGS"), c.want))
		folder := backend.Compiled(filetest.Must(backend.FindCUDA())(t)) // whatever the flags that gophe has set
		want := map[bool]string{true: "--xla_gpu_kernel_cache_file=" + folder + "/kernels " +
			"--xla_gpu_per_fusion_autotune_cache_dir=" + folder + "/choices"}
		filetest.Want(t, kept, want[c.wheel == backend.Pinned], "caches of %+v", c)
	}
	put(t, os.Getenv("GOPHE_CACHE"), "xla-cuda", "nvidia", "cuda_nvcc", "nvvm", "libdevice", "libdevice.10.bc")
	backend.SetFlags(filetest.Must(backend.FindCUDA())(t))
	flags := os.Getenv("XLA_FLAGS")
	filetest.True(t, strings.HasPrefix(flags, "--xla_gpu_cuda_data_dir=/"), "with a toolkit XLA_FLAGS is %q", flags)
	for _, pins := range []string{"xla-cuda.txt", "gpu-hlo.txt"} {
		content := filetest.Must(os.ReadFile(filepath.Join("..", "..", "..", ".ci", pins)))(t)
		filetest.WantWords(t, string(content), "jax-cuda12-pjrt=="+backend.Pinned+" ")
	}
}

// Compiled kernels are kept by the plugin's version, for one process at a time. A file that a kill has cut is removed, because XLA would
// compile nothing with it.
func TestCompiled(t *testing.T) {
	text := func(length byte, content string) string { return "\x0a" + string(rune(length)) + content }
	for content, whole := range map[string]bool{"": true, text(3, "abc") + text(2, "de") + "\x10\x80\x01": true,
		text(3, "abc") + text(2, "d"): false, text(3, "abc") + "\x0a": false, "\x10\x80": false, "\x00\x00\x00\x00": false} {
		filetest.Want(t, backend.Whole([]byte(content)), whole, "%q is whole", content)
		cache := emptyCache(t)
		put(t, cache, "xla-cuda", plugin12)
		put(t, cache, "xla-cuda", "jax_cuda12_pjrt-"+backend.Pinned+".dist-info", "METADATA")
		c := filetest.Must(backend.FindCUDA())(t)
		t.Setenv("XLA_FLAGS", "")
		folder := backend.Compiled(c)
		kernels := put(t, folder, "kernels")
		filetest.Check(t, os.WriteFile(kernels, []byte(content), 0o644))
		other := flock.New(filepath.Join(folder, "lock"))
		filetest.True(t, filetest.Must(other.TryLock())(t), "the folder is locked")
		backend.SetFlags(c)
		filetest.Want(t, os.Getenv("XLA_FLAGS"), backend.Flags(), "XLA_FLAGS while another process has the folder")
		filetest.Check(t, other.Unlock())
		backend.SetFlags(c)
		filetest.WantWords(t, os.Getenv("XLA_FLAGS"), "cache_file="+kernels)
		left, err := os.ReadFile(kernels)
		filetest.True(t, whole == (err == nil) && (!whole || string(left) == content), "%q became %q, %v", content, left, err)
		filetest.True(t, !filetest.Must(other.TryLock())(t), "another process gets the folder")
		t.Setenv("XLA_FLAGS", "--xla_other=1")
		filetest.True(t, backend.Compiled(c) != folder && filepath.Dir(folder) == filepath.Join(cache, "xla-compiled"), "the folder is %s",
			folder)
	}
}

// A plugin that is no library, or not one for GPUs, is an error that says where to look.
func TestOpenBrokenGPUPlugin(t *testing.T) {
	if !backend.HasXLA {
		t.Skip("this build opens no plugins")
	}
	plugin := put(t, filepath.Dir(emptyCache(t)), "broken.so")
	t.Setenv(backend.PluginVariable, plugin)
	_, err := backend.Open(backend.XLACUDA)
	filetest.WantError(t, err, plugin, "phe doctor", "file too short")
}

// The opened backend decides the platform, and no part of the path to its plugin.
func TestXLAWhateverThePath(t *testing.T) {
	plugin, err := backend.Plugin(backend.XLACPU)
	if err != nil {
		t.Skip(err)
	}
	for _, folder := range []string{"nvidia", "CUDA 12", "a,cuda", "plain"} {
		cache := filepath.Join(emptyCache(t), folder)
		filetest.Check(t, os.MkdirAll(cache, 0o755))
		filetest.Check(t, os.Symlink(filepath.Dir(plugin), filepath.Join(cache, "xla")))
		t.Setenv("GOPHE_CACHE", cache)
		b := filetest.Must(backend.Open(backend.XLACPU))(t)
		if on := b.(interface {
			IsCPU() bool
			IsCUDA() bool
		}); !on.IsCPU() || on.IsCUDA() {
			t.Errorf("in %s the plugin is no processor's: %s", folder, b.Description())
		}
		b.Finalize()
		t.Setenv(backend.PluginVariable, filepath.Join(cache, "xla", filepath.Base(plugin)))
		_, err := backend.Open(backend.XLACUDA)
		filetest.WantError(t, err, cache, "phe doctor", "preallocate") // an option that only a GPU's plugin knows
	}
}
