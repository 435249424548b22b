//go:build cgo && linux

package backend

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/pkg/errors"
)

const hasXLA = true

func openXLA(name, plugin string) (compute.Backend, error) {
	xla.EnableAutoInstall(false) // it would reach for the network
	b, err := xla.New(plugin)
	if err != nil && name == XLACUDA {
		return nil, errors.Wrapf(err, "opening %s; check with nvidia-smi that the driver sees a GPU", plugin)
	}
	return b, errors.Wrapf(err, "opening %s; install it anew with `make xla`, or use --backend go", plugin)
}
