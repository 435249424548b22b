package backend

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

// pluginVariable names an environment variable. It holds the path of a PJRT plugin, such as xla_cuda_plugin.so.
const pluginVariable = "GOPHE_CUDA_PLUGIN"

// CUDA describes the installation of XLA for NVIDIA GPUs on this machine.
type CUDA struct {
	Plugin string   // the plugin's file; empty if there is none
	Looked []string // places of the search, in order: folders of Python packages, or the file that pluginVariable names

	nvidia []string // folders of NVIDIA's wheels, in the order of the search for libraries
}

// wheelPlugins are the plugins of the wheels jax-cuda13-pjrt and jax-cuda12-pjrt in a folder of Python packages.
var wheelPlugins = []string{
	filepath.Join("jax_plugins", "xla_cuda13", "xla_cuda_plugin.so"),
	filepath.Join("jax_plugins", "xla_cuda12", "xla_cuda_plugin.so"),
}

// FindCUDA looks for a CUDA plugin in the variable GOPHE_CUDA_PLUGIN, in the cache folder, and in the packages of the python3 on
// the PATH. If it finds none, the error lists the places of the search.
func FindCUDA() (CUDA, error) {
	python := sync.OnceValue(pythonPackages) // slow, and often not needed
	cache, err := cacheFolder()
	if err != nil {
		return CUDA{}, err
	}
	cache = filepath.Join(cache, "xla-cuda")
	var c CUDA
	if named := os.Getenv(pluginVariable); named != "" {
		err = c.take(named)
	} else if c.lookIn(cache); c.Plugin == "" {
		c.lookIn(python()...)
	}
	if err != nil {
		return c, err
	}
	if c.Plugin == "" {
		return c, remedy.Errorf("go backend", "no plugin for backend %q: looked for %s in %s; install it with `make xla-cuda` or `pip install jax-cuda13-plugin[with-cuda]`, or name its file in %s",
			XLACUDA, strings.Join(wheelPlugins, " and "), strings.Join(c.Looked, ", "), pluginVariable)
	}
	c.nvidia = nvidiaFolders(filepath.Join(filepath.Dir(c.Plugin), "..", ".."), cache)
	if slices.ContainsFunc(c.libraries(), func(l library) bool { return c.find(l) == "" }) {
		c.nvidia = append(c.nvidia, nvidiaFolders(python()...)...)
	}
	return c, nil
}

// take takes the file that pluginVariable names.
func (c *CUDA) take(named string) error {
	file, err := filepath.Abs(named)
	if err == nil {
		c.Looked = []string{file}
		_, err = os.Stat(file)
	}
	if err != nil {
		return errors.Errorf("no plugin for backend %q at %s, which the variable %s names; correct the variable or unset it", XLACUDA, named, pluginVariable)
	}
	c.Plugin = file
	return nil
}

// lookIn looks for a plugin in folders of Python packages. It looks for CUDA 13's plugin in all folders first.
func (c *CUDA) lookIn(packages ...string) {
	c.Looked = append(c.Looked, packages...)
	for _, plugin := range wheelPlugins {
		for _, folder := range packages {
			file := filepath.Join(folder, plugin)
			if _, err := os.Stat(file); err == nil {
				c.Plugin = file
				return
			}
		}
	}
}

// nvidiaFolders returns the folders of NVIDIA's wheels in a folder of Python packages.
func nvidiaFolders(packages ...string) []string {
	var folders []string
	for _, folder := range packages {
		folder = filepath.Join(folder, "nvidia")
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			folders = append(folders, folder)
		}
	}
	return folders
}

// library is one of NVIDIA's that XLA loads when it opens a GPU.
type library struct {
	file   string // its SONAME
	wheel  string // the Python package that contains it
	folder string // the wheel's folder below nvidia/; wheels of CUDA 13 share one
}

// librariesOf lists the libraries that XLA loads, by CUDA's major version. A library comes before the libraries that need it.
var librariesOf = map[string][]library{
	"13": {
		{"libcudart.so.13", "nvidia-cuda-runtime", "cu13"},
		{"libnvrtc.so.13", "nvidia-cuda-nvrtc", "cu13"}, // cuDNN needs it and does not find it itself
		{"libnvJitLink.so.13", "nvidia-nvjitlink", "cu13"},
		{"libcublasLt.so.13", "nvidia-cublas", "cu13"},
		{"libcublas.so.13", "nvidia-cublas", "cu13"},
		{"libnccl.so.2", "nvidia-nccl-cu13", "nccl"},
		{"libcupti.so.13", "nvidia-cuda-cupti", "cu13"},
		{"libcusparse.so.12", "nvidia-cusparse", "cu13"},
		{"libcusolver.so.12", "nvidia-cusolver", "cu13"},
		{"libcufft.so.12", "nvidia-cufft", "cu13"},
		{"libcudnn.so.9", "nvidia-cudnn-cu13", "cudnn"},
	},
	"12": {
		{"libcudart.so.12", "nvidia-cuda-runtime-cu12", "cuda_runtime"},
		{"libnvrtc.so.12", "nvidia-cuda-nvrtc-cu12", "cuda_nvrtc"},
		{"libnvJitLink.so.12", "nvidia-nvjitlink-cu12", "nvjitlink"},
		{"libcublasLt.so.12", "nvidia-cublas-cu12", "cublas"},
		{"libcublas.so.12", "nvidia-cublas-cu12", "cublas"},
		{"libnccl.so.2", "nvidia-nccl-cu12", "nccl"},
		{"libcupti.so.12", "nvidia-cuda-cupti-cu12", "cuda_cupti"},
		{"libcusparse.so.12", "nvidia-cusparse-cu12", "cusparse"},
		{"libcusolver.so.11", "nvidia-cusolver-cu12", "cusolver"},
		{"libcufft.so.11", "nvidia-cufft-cu12", "cufft"},
		{"libcudnn.so.9", "nvidia-cudnn-cu12", "cudnn"},
	},
}

// libraries returns the libraries that the plugin loads. The folder of the plugin's wheel gives CUDA's version; a plugin elsewhere
// counts as CUDA 13.
func (c CUDA) libraries() []library {
	if filepath.Base(filepath.Dir(c.Plugin)) == "xla_cuda12" {
		return librariesOf["12"]
	}
	return librariesOf["13"]
}

// find returns a library's file in NVIDIA's wheels; empty if none has it.
func (c CUDA) find(l library) string {
	for _, folder := range c.nvidia {
		file := filepath.Join(folder, l.folder, "lib", l.file)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// Toolkit returns the folder of CUDA's tools, in which XLA looks for libdevice: a wheel's folder, or an installed CUDA's. It is
// empty if there is none.
func (c CUDA) Toolkit() string {
	var folders []string
	for _, nvidia := range c.nvidia {
		folders = append(folders, filepath.Join(nvidia, "cu13"), filepath.Join(nvidia, "cuda_nvcc"))
	}
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if folder := os.Getenv(variable); folder != "" {
			folders = append(folders, folder)
		}
	}
	if nvcc, err := exec.LookPath("nvcc"); err == nil {
		if file, err := filepath.EvalSymlinks(nvcc); err == nil {
			folders = append(folders, filepath.Dir(filepath.Dir(file)))
		}
	}
	for _, folder := range append(folders, "/usr/local/cuda", "/opt/cuda") {
		if _, err := os.Stat(filepath.Join(folder, "nvvm", "libdevice", "libdevice.10.bc")); err == nil {
			return folder
		}
	}
	return ""
}
