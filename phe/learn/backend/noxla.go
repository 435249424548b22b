//go:build !cgo || !linux

package backend

import (
	"github.com/gomlx/compute"
)

// HasXLA tells whether XLA is part of the build. It needs cgo, and so a C compiler.
const HasXLA = false

func openXLA(name string) (compute.Backend, error) {
	_, err := Plugin(name) // explains the reason
	return nil, err
}

// Load loads nothing in a build without XLA.
func (c CUDA) Load() (missing []string) { return nil }

// PJRT returns an error in a build without XLA.
func (c CUDA) PJRT() (major, minor int, err error) {
	_, err = Plugin(XLACUDA)
	return 0, 0, err
}
