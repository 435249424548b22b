package backend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

// CommandBuffers is the environment variable whose value off leaves the loops of programs for a GPU to the host.
const CommandBuffers = "GOPHE_COMMAND_BUFFERS"

const (
	pluginVariable = "GOPHE_CUDA_PLUGIN" // an environment variable: the path of a PJRT plugin, such as xla_cuda_plugin.so
	pinned         = "0.11.2"            // the plugin's version in .ci/xla-cuda.txt and .ci/gpu-hlo.txt
)

// cuda is the file of the PJRT plugin of an installation of XLA for NVIDIA GPUs.
type cuda string

// wheelPlugins are the plugins of the wheels jax-cuda13-pjrt and jax-cuda12-pjrt in a folder of Python packages.
var wheelPlugins = []string{
	filepath.Join("jax_plugins", "xla_cuda13", "xla_cuda_plugin.so"),
	filepath.Join("jax_plugins", "xla_cuda12", "xla_cuda_plugin.so"),
}

// findCUDA looks for a CUDA plugin in the variable GOPHE_CUDA_PLUGIN, and without it in the cache folder.
func findCUDA() (cuda, error) {
	if named := os.Getenv(pluginVariable); named != "" {
		file, err := filepath.Abs(named)
		if err == nil {
			_, err = os.Stat(file)
		}
		if err != nil {
			return "", errors.Errorf("no plugin for backend %q at %s, which the variable %s names; correct the variable or unset it",
				XLACUDA, named, pluginVariable)
		}
		return cuda(file), nil
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "xla-cuda")
	for _, plugin := range wheelPlugins {
		file := filepath.Join(cache, plugin)
		if _, err := os.Stat(file); err == nil {
			return cuda(file), nil
		}
	}
	return "", remedy.Errorf("go backend",
		"no plugin for backend %q: looked for %s in %s; install it with `make xla-cuda`, or name its file in %s",
		XLACUDA, strings.Join(wheelPlugins, " and "), cache, pluginVariable)
}

// nvidia returns the folders of NVIDIA's wheels, in the order of the search: beside the plugin's own wheel, and in the cache folder.
func (c cuda) nvidia() []string {
	folders := []string{filepath.Join(filepath.Dir(string(c)), "..", "..", "nvidia")}
	if cache, err := cacheFolder(); err == nil {
		folders = append(folders, filepath.Join(cache, "xla-cuda", "nvidia"))
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
func (c cuda) libraries() []library {
	if filepath.Base(filepath.Dir(string(c))) == "xla_cuda12" {
		return librariesOf["12"]
	}
	return librariesOf["13"]
}

// find returns a library's file in NVIDIA's wheels; empty if none has it.
func (c cuda) find(l library) string {
	for _, folder := range c.nvidia() {
		file := filepath.Join(folder, l.folder, "lib", l.file)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// toolkit returns the folder of CUDA's tools, in which XLA looks for libdevice: a wheel's folder, or an installed CUDA's. It is
// empty if there is none.
func (c cuda) toolkit() string {
	var folders []string
	for _, nvidia := range c.nvidia() {
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

// setFlags adds flags to XLA_FLAGS that the user has not set: the folder of CUDA's tools, loops as nodes of CUDA graphs, which the host
// need not lead, and the places of compiled kernels. XLA reads the flags once a process. A path with a space would end its flag early. At
// an unknown flag XLA ends the process, so only the pinned version gets the flags after the first.
func (c cuda) setFlags() {
	flags := [][2]string{{toolkitFlag, c.toolkit()}}
	if folder := c.compiled(); folder != "" {
		if os.Getenv(CommandBuffers) != "off" {
			flags = append(flags, [2]string{bufferFlag, "+WHILE,+CONDITIONAL"})
		}
		if prepared(folder) {
			flags = append(flags, [2]string{kernelFlag, filepath.Join(folder, kernels)},
				[2]string{choiceFlag, filepath.Join(folder, choices)})
		}
	}
	for _, flag := range flags {
		if all := os.Getenv("XLA_FLAGS"); flag[1] != "" && !strings.ContainsAny(flag[1], " \t\n") && !strings.Contains(all, flag[0]) {
			os.Setenv("XLA_FLAGS", strings.TrimSpace(all+" "+flag[0]+"="+flag[1]))
		}
	}
}

// Part is a part that XLA needs for an NVIDIA GPU.
type Part struct {
	Name   string
	Found  bool
	Detail string // the place, or the reason why it is missing
	Remedy string // of a missing part
}

// CUDAParts examines the parts that XLA needs for an NVIDIA GPU. A machine with neither plugin nor driver has none, and neither has a
// build without XLA: opening the backend says enough there.
func CUDAParts() []Part {
	if !HasXLA {
		return nil
	}
	c, err := findCUDA()
	version := driver()
	if err != nil && version == "" {
		return nil
	}
	parts := []Part{{Name: "plugin", Remedy: "make xla-cuda"}}
	if err != nil {
		parts[0].Detail = err.Error()
	} else if major, minor, err := c.pjrt(); err != nil {
		parts[0].Detail = err.Error()
	} else {
		parts[0] = Part{"plugin", true, fmt.Sprintf("%s, PJRT %d.%d", c, major, minor), ""}
	}
	if err == nil {
		libraries := Part{"libraries", true, "XLA can load all of them", ""} // only some models need some of them
		if missing := c.load(); len(missing) > 0 {
			libraries = Part{"libraries", false, fmt.Sprintf("%d cannot be loaded", len(missing)), strings.Join(missing, ", ")}
		}
		toolkit := part("toolkit", c.toolkit(), "no folder has nvvm/libdevice, which XLA needs for functions such as log",
			"pip install nvidia-nvvm, or set CUDA_HOME to an installed CUDA")
		parts = append(parts, libraries, toolkit,
			part("compiled", c.compiled(), "each process compiles anew, because the plugin is not version "+pinned, "make xla-cuda"))
	}
	return append(parts,
		part("driver", version, "neither /proc/driver/nvidia/version nor nvidia-smi reports a driver", "install NVIDIA's driver"),
		part("device", strings.Join(GPUs(), "; "), "nvidia-smi sees no GPU",
			"run this on a machine with an NVIDIA GPU, or use the backend xla:cpu"))
}

// part returns a part of an installation. Without a detail it is missing.
func part(name, detail, missing, remedy string) Part {
	if detail == "" {
		return Part{name, false, missing, remedy}
	}
	return Part{name, true, detail, ""}
}
