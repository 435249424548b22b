//go:build cgo && linux

package backend

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
*/
import "C"

import (
	"os"
	"strings"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

// openCUDA opens the first GPU. Three options differ from go-xla's defaults. TF32 is off, so numbers have the precision of float32
// on a processor. Memory is allocated on demand. A folder called cpu does not turn the GPU into a processor.
func openCUDA(c cuda) (compute.Backend, error) {
	if strings.Contains(string(c), ",") || !pjrt.IsCUDAName(string(c)) {
		return nil, errors.Errorf("the path of plugin %s must have cuda or nvidia in it and no comma, as go-xla reads it; make a link such as /tmp/xla_cuda_plugin.so to the file, and name the link in %s",
			c, pluginVariable)
	}
	c.load()
	c.showToolkit()
	b, err := xla.New(string(c) + ",tf32=false,preallocate=false,shared_buffers=false")
	return b, remedy.With("no GPU", errors.Wrapf(err, "opening %s; `phe doctor` says what is missing", c))
}

// load loads NVIDIA's libraries, as JAX does. Later look-ups of the same name find these copies, even if the plugin's own search
// path does not lead to them. load returns the libraries that it cannot load, each with the command that installs it.
func (c cuda) load() (missing []string) {
	for _, l := range c.libraries() {
		if !dlopen(c.find(l)) && !dlopen(l.file) {
			missing = append(missing, l.file+" (pip install "+l.wheel+")")
		}
	}
	return missing
}

// dlopen loads a library for the rest of the process.
func dlopen(file string) bool {
	if file == "" {
		return false
	}
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	return C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL) != nil
}

// showToolkit points XLA to CUDA's tools, unless XLA_FLAGS names them. A path with a space would end the flag early, and XLA ends
// the process at an unknown flag.
func (c cuda) showToolkit() {
	os.Setenv("GOPJRT_CUDA_CHECKS", "0") // go-xla would warn about libraries that it does not find itself
	flags, toolkit := os.Getenv("XLA_FLAGS"), c.toolkit()
	if toolkit == "" || strings.ContainsAny(toolkit, " \t\n") || strings.Contains(flags, "xla_gpu_cuda_data_dir") {
		return
	}
	os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" --xla_gpu_cuda_data_dir="+toolkit))
}

// pjrt returns the version of the plugin's interface.
func (c cuda) pjrt() (major, minor int, err error) {
	p, err := pjrt.GetPlugin(string(c))
	if err != nil {
		return 0, 0, errors.Wrapf(err, "loading %s; install it anew", c)
	}
	major, minor = p.Version()
	return major, minor, nil
}
