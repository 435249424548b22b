//go:build cgo && linux

package backend

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/pkg/errors"
)

const hasXLA = true

func openXLA(name, plugin string) (compute.Backend, error) {
	xla.EnableAutoInstall(false) // it would reach for the network
	if name == XLACUDA {
		showToolkit(plugin)
	}
	b, err := xla.New(plugin)
	if err != nil && name == XLACUDA {
		return nil, errors.Wrapf(err, "opening %s; check with nvidia-smi that the driver sees a GPU", plugin)
	}
	return b, errors.Wrapf(err, "opening %s; install it anew with `make xla`, or use --backend go", plugin)
}

// showToolkit points XLA to the CUDA tools (ptxas, libdevice) of the wheel beside the plugin, unless XLA_FLAGS says
// where they are. go-xla would warn that NVIDIA's libraries are not where it looks; the plugin's RPATH finds them.
func showToolkit(plugin string) {
	os.Setenv("GOPJRT_CUDA_CHECKS", "0")
	flags := os.Getenv("XLA_FLAGS")
	if strings.Contains(flags, "xla_gpu_cuda_data_dir") {
		return
	}
	toolkit := filepath.Join(filepath.Dir(plugin), "..", "..", "nvidia", "cuda_nvcc")
	os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" --xla_gpu_cuda_data_dir="+toolkit))
}
