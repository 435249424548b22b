//go:build cgo && linux

package backend

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
static void *functions(void *plugin) { void *(*get)(void) = dlsym(plugin, "GetPjrtApi"); return get ? get() : NULL; }
*/
import "C"

import (
	"cmp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

const hasXLA = true

// openXLA opens a processor or the first GPU. On a GPU two options differ from go-xla's defaults: TF32 is off, so numbers have the
// precision of float32 on a processor, and memory is allocated on demand.
func openXLA(name string) (b compute.Backend, err error) {
	opening.Lock()
	defer opening.Unlock()
	xla.EnableAutoInstall(false) // it would use the network
	file, err := Plugin(name)
	if err != nil {
		return nil, err
	}
	options, hint, onGPU := "", "install it anew with `make xla`", name == XLACUDA
	if onGPU {
		cuda(file).load()
		cuda(file).setFlags()
		options, hint = ",tf32=false,preallocate=false", "`phe doctor` says what is missing"
	}
	if name, err = loadPlugin(name, file); err == nil {
		b, err = xla.New(name + options)
	}
	if err = errors.Wrapf(err, "opening %s; %s", file, hint); onGPU {
		return b, remedy.With("no GPU", err)
	}
	return b, remedy.With("go backend", err)
}

var (
	opening sync.Mutex            // go-xla has none for new names
	names   = map[string]string{} // of loaded plugins
)

// loadPlugin returns go-xla's name of a plugin. By names go-xla guesses platforms, and options begin at a comma: with a path for a name,
// a folder called cuda, nvidia or cpu would decide.
func loadPlugin(backend, file string) (name string, err error) {
	if name, found := names[backend+file]; found {
		return name, nil
	}
	library, err := dlopen(file, C.RTLD_LAZY)
	if err != nil {
		return "", err
	}
	functions := C.functions(library)
	if functions == nil {
		return "", errors.New("this library is no PJRT plugin")
	}
	name = "/" + strings.TrimPrefix(backend, "xla:")
	if len(names) > 0 {
		name += strconv.Itoa(len(names) + 1)
	}
	if err = pjrt.RegisterPreloadedPlugin(name, uintptr(functions)); err == nil {
		names[backend+file] = name
	}
	return name, err
}

// load loads NVIDIA's libraries, as JAX does. Later look-ups of the same name find these copies, even if the plugin's own search
// path does not lead to them. load returns the libraries that it cannot load, each with the command that installs it.
func (c cuda) load() (missing []string) {
	for _, l := range c.libraries() {
		_, err := dlopen(cmp.Or(c.find(l), l.file), C.RTLD_NOW)
		if err != nil {
			_, err = dlopen(l.file, C.RTLD_NOW)
		}
		if err != nil {
			missing = append(missing, l.file+" (pip install "+l.wheel+")")
		}
	}
	return missing
}

// dlopen loads a library for the rest of the process.
func dlopen(file string, flags C.int) (library unsafe.Pointer, err error) {
	runtime.LockOSThread() // the reason of a failure is the thread's
	defer runtime.UnlockOSThread()
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	if library = C.dlopen(name, flags); library == nil {
		err = errors.New(C.GoString(C.dlerror()))
	}
	return library, err
}

// pjrt returns the version of the plugin's interface.
func (c cuda) pjrt() (major, minor int, err error) {
	opening.Lock()
	defer opening.Unlock()
	name, err := loadPlugin(XLACUDA, string(c))
	if err != nil {
		return 0, 0, errors.Wrapf(err, "loading %s; install it anew", c)
	}
	p, err := pjrt.GetPlugin(name)
	if err == nil {
		major, minor = p.Version()
	}
	return major, minor, err
}
