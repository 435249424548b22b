//go:build !cgo || !linux

package backend

import (
	"github.com/gomlx/compute"
	"github.com/pkg/errors"
)

const hasXLA = false

func openXLA(name, _ string) (compute.Backend, error) {
	return nil, errors.Errorf("backend %q is not in this build", name) // Plugin has refused before
}
