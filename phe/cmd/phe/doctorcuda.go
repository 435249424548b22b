package main

import (
	"fmt"
	"strings"

	"gophe/phe/learn/backend"
)

// cuda returns a finding for each part that XLA needs for an NVIDIA GPU. A machine with neither plugin nor driver has none, and
// neither has a build without XLA: the finding about the backend is enough there.
func cuda() []finding {
	if !backend.HasXLA {
		return nil
	}
	c, err := backend.FindCUDA()
	driver := backend.Driver()
	if c.Plugin == "" && driver == "" {
		return nil
	}
	if err != nil {
		looked := "looked in " + strings.Join(c.Looked, ", ")
		return []finding{{What: "cuda", Name: "plugin", Detail: looked, Remedy: "make xla-cuda"}, driverFinding(driver), gpus()}
	}
	return []finding{pluginFinding(c), libraries(c), toolkit(c), driverFinding(driver), gpus()}
}

func pluginFinding(c backend.CUDA) finding {
	f := finding{What: "cuda", Name: "plugin", Found: true}
	major, minor, err := c.PJRT()
	if err != nil {
		f.Found, f.Detail, f.Remedy = false, err.Error(), "make xla-cuda"
		return f
	}
	f.Detail = fmt.Sprintf("%s, PJRT %d.%d; looked in %s", c.Plugin, major, minor, strings.Join(c.Looked, ", "))
	return f
}

// libraries returns the finding about NVIDIA's libraries. Only some models need some of them, so a missing library need not stop a run.
func libraries(c backend.CUDA) finding {
	f := finding{What: "cuda", Name: "libraries", Found: true, Detail: "XLA can load all of them"}
	if missing := c.Load(); len(missing) > 0 {
		f.Found, f.Detail = false, fmt.Sprintf("%d cannot be loaded", len(missing))
		f.Remedy = strings.Join(missing, ", ")
	}
	return f
}

func toolkit(c backend.CUDA) finding {
	f := finding{What: "cuda", Name: "toolkit", Found: true, Detail: c.Toolkit()}
	if f.Detail == "" {
		f.Found, f.Detail = false, "no folder has nvvm/libdevice, which XLA needs for functions such as log"
		f.Remedy = "pip install nvidia-nvvm, or set CUDA_HOME to an installed CUDA"
	}
	return f
}

func driverFinding(version string) finding {
	f := finding{What: "cuda", Name: "driver", Found: version != "", Detail: version}
	if !f.Found {
		f.Detail, f.Remedy = "neither /proc/driver/nvidia/version nor nvidia-smi reports a driver", "install NVIDIA's driver"
	}
	return f
}

func gpus() finding {
	devices := backend.GPUs()
	f := finding{What: "cuda", Name: "device", Found: len(devices) > 0, Detail: strings.Join(devices, "; ")}
	if !f.Found {
		f.Detail, f.Remedy = "nvidia-smi sees no GPU", "run this on a machine with an NVIDIA GPU, or use --backend xla:cpu"
	}
	return f
}
