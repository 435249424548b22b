//go:build !cgo || !linux

package backend

import (
	"github.com/gomlx/compute"
)

const hasXLA = false

func openXLA(name string) (compute.Backend, error) {
	_, err := Plugin(name) // explains the reason
	return nil, err
}

// A build without XLA examines no plugin.
func (c cuda) load() (missing []string) { return nil }

func (c cuda) pjrt() (major, minor int, err error) { return 0, 0, nil }
