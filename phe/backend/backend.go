// Package backend opens the GoMLX backend that a program computes on: XLA on CPU or CUDA where a PJRT plugin is
// installed, GoMLX's pure-Go backend everywhere else. Nothing is ever downloaded: `make xla` and `make xla-cuda` install
// plugins into the project's cache folder, where this package finds them.
package backend

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/pkg/errors"
)

// Names of backends, as --backend takes them.
const (
	Auto    = "auto"     // XLACPU where its plugin is found, else Go
	Go      = "go"       // GoMLX's pure-Go backend: needs nothing but Go
	XLACPU  = "xla:cpu"  // XLA on the processor
	XLACUDA = "xla:cuda" // XLA on an NVIDIA GPU; only when asked for
)

// Names lists what Open takes.
func Names() []string { return []string{Auto, Go, XLACPU, XLACUDA} }

// Open opens the backend of one of Names. A plugin that is missing is an error that names the command which brings it.
func Open(name string) (compute.Backend, error) {
	switch name {
	case Auto, "":
		if _, err := Plugin(XLACPU); err != nil {
			return Open(Go)
		}
		return Open(XLACPU)
	case Go:
		b, err := gobackend.New("")
		return b, errors.Wrap(err, "opening GoMLX's pure-Go backend")
	case XLACPU, XLACUDA:
		path, err := Plugin(name)
		if err != nil {
			return nil, err
		}
		return openXLA(name, path)
	}
	return nil, errors.Errorf("unknown backend %q; choose one of %s", name, strings.Join(Names(), ", "))
}

// Resolve is the name of the backend that Open opens: Auto becomes the one it stands for.
func Resolve(name string) string {
	if name != Auto && name != "" {
		return name
	}
	if _, err := Plugin(XLACPU); err == nil {
		return XLACPU
	}
	return Go
}

// plugins says where in the cache folder a backend's plugin lies, and which command puts it there.
var plugins = map[string]struct{ file, command string }{
	XLACPU: {filepath.Join("xla", "pjrt_c_api_cpu_plugin.so"), "make xla"},
	// The CUDA plugin finds NVIDIA's libraries relative to itself, so it stays where its wheel unpacked it.
	XLACUDA: {filepath.Join("xla-cuda", "jax_plugins", "xla_cuda12", "xla_cuda_plugin.so"), "make xla-cuda"},
}

// Plugin finds the PJRT plugin of an XLA backend in the cache folder.
func Plugin(name string) (path string, err error) {
	if !hasXLA {
		return "", errors.Errorf("backend %q is not in this build, which was made without cgo; build with CGO_ENABLED=1 and a C compiler, or use --backend go", name)
	}
	plugin, ok := plugins[name]
	if !ok {
		return "", errors.Errorf("backend %q has no plugin", name)
	}
	folder, err := CacheFolder()
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, plugin.file)
	if _, err := os.Stat(path); err != nil {
		return "", errors.Errorf("no plugin for backend %q at %s; install it with `%s`, or use --backend go", name, path, plugin.command)
	}
	return path, nil
}

// CacheFolder is where the project keeps what it installs: $GOPHE_CACHE, or gophe in the user's cache folder.
func CacheFolder() (string, error) {
	if folder := os.Getenv("GOPHE_CACHE"); folder != "" {
		return filepath.Abs(folder)
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", errors.Wrap(err, "no cache folder; set GOPHE_CACHE to a folder of yours")
	}
	return filepath.Join(folder, "gophe"), nil
}
