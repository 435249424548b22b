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
		// By its defaults the backend runs operations beside each other, and two large ones can wait for each other's workers for ever.
		b, err := gobackend.New("ops_sequential")
		return b, errors.Wrap(err, "opening GoMLX's pure-Go backend")
	case XLACPU, XLACUDA:
		return openXLA(name)
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

// Plugin finds the PJRT plugin of an XLA backend: the processor's in the cache folder, and a GPU's where FindCUDA looks.
func Plugin(name string) (path string, err error) {
	if !hasXLA {
		return "", errors.Errorf("backend %q is not in this build, which was made without cgo; build with CGO_ENABLED=1 and a C compiler, or use --backend go", name)
	}
	switch name {
	case XLACUDA:
		c, err := FindCUDA()
		return c.Plugin, err
	case XLACPU:
		folder, err := CacheFolder()
		if err != nil {
			return "", err
		}
		path = filepath.Join(folder, "xla", "pjrt_c_api_cpu_plugin.so")
		if _, err := os.Stat(path); err != nil {
			return "", errors.Errorf("no plugin for backend %q at %s; install it with `make xla`, or use --backend go", name, path)
		}
		return path, nil
	}
	return "", errors.Errorf("backend %q has no plugin", name)
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
