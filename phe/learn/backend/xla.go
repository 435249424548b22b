//go:build cgo && linux

package backend

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

const hasXLA = true

func openXLA(name string) (compute.Backend, error) {
	xla.EnableAutoInstall(false) // it would use the network
	if name == XLACUDA {
		c, err := findCUDA()
		if err != nil {
			return nil, err
		}
		return openCUDA(c)
	}
	plugin, err := Plugin(name)
	if err != nil {
		return nil, err
	}
	b, err := xla.New(plugin)
	return b, remedy.With("go backend", errors.Wrapf(err, "opening %s; install it anew with `make xla`", plugin))
}
