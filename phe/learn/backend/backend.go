// Package backend opens the GoMLX backend that a program computes on: XLA on CPU or CUDA if a PJRT plugin is installed, and otherwise
// GoMLX's pure-Go backend. The package downloads nothing: `make xla` and `make xla-cuda` install plugins into the project's cache folder,
// where it finds them.
package backend

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

// Names of backends, as --backend takes them.
const (
	Auto    = "auto"     // as GOPHE_BACKEND says; if that is unset, XLACPU if its plugin is found, and else Go
	Go      = "go"       // GoMLX's pure-Go backend, which needs only Go
	XLACPU  = "xla:cpu"  // XLA on the processor
	XLACUDA = "xla:cuda" // XLA on an NVIDIA GPU; Auto takes it where the variable GOPHE_BACKEND names it
)

// Variable is the environment variable that holds the backend that Auto stands for.
const Variable = "GOPHE_BACKEND"

// HasXLA tells whether XLA is part of the build. It needs cgo, and so a C compiler.
const HasXLA = hasXLA

// Names lists the names that Open takes.
func Names() []string { return []string{Auto, Go, XLACPU, XLACUDA} }

// Open opens the backend of a name from Names. If a plugin is missing, the error names the command that installs it.
//
// Leave the backend to the end of the process. Its Finalize races with tensors that the garbage collector frees at that time, and on a
// GPU XLA then ends the process.
func Open(name string) (compute.Backend, error) {
	switch name = Resolve(name); name {
	case Go:
		// The backend's default runs operations in parallel, and two large ones can wait for each other's workers for ever.
		b, err := gobackend.New("ops_sequential")
		return b, errors.Wrap(err, "opening GoMLX's pure-Go backend")
	case XLACPU, XLACUDA:
		return openXLA(name)
	}
	return nil, errors.Errorf("unknown backend %q; choose one of %s, here or in the variable %s",
		name, strings.Join(Names(), ", "), Variable)
}

// Resolve returns the name of the backend that Open opens. For Auto it is the name of the chosen backend.
func Resolve(name string) string {
	if name != Auto && name != "" {
		return name
	}
	if named := os.Getenv(Variable); named != Auto && named != "" {
		return named
	}
	if _, err := Plugin(XLACPU); err == nil {
		return XLACPU
	}
	return Go
}

// Plugin finds the PJRT plugin of an XLA backend: for the processor in the cache folder, and for a GPU there or by GOPHE_CUDA_PLUGIN.
func Plugin(name string) (path string, err error) {
	if !HasXLA {
		return "", remedy.Errorf("go backend", "backend %q is not in this build; build on Linux, with CGO_ENABLED=1 and a C compiler", name)
	}
	switch name {
	case XLACUDA:
		c, err := findCUDA()
		return string(c), err
	case XLACPU:
		folder, err := cacheFolder()
		if err != nil {
			return "", err
		}
		path = filepath.Join(folder, "xla", "pjrt_c_api_cpu_plugin.so")
		if _, err := os.Stat(path); err != nil {
			return "", remedy.Errorf("go backend", "no plugin for backend %q at %s; install it with `make xla`", name, path)
		}
		return path, nil
	}
	return "", errors.Errorf("backend %q has no plugin", name)
}

// cacheFolder returns the folder of the project's installed files: $GOPHE_CACHE, or gophe in the user's cache folder.
func cacheFolder() (string, error) {
	if folder := os.Getenv("GOPHE_CACHE"); folder != "" {
		return filepath.Abs(folder)
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", errors.Wrap(err, "no cache folder; set GOPHE_CACHE to a folder of yours")
	}
	return filepath.Join(folder, "gophe"), nil
}
