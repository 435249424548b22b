package backend

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pythonPatience is the longest that Python may take to name its folders.
var pythonPatience = 10 * time.Second

// packagesScript prints where Python looks for packages, one folder a line, without the folders of its own library.
const packagesScript = `import os, sys, sysconfig
own = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
own += [os.path.join(folder, "lib-dynload") for folder in own]
print("\n".join(folder for folder in sys.path if folder not in own))`

// pythonPackages returns the folders in which the python3 on the PATH looks for packages; none where there is no Python.
func pythonPackages() []string {
	ctx, cancel := context.WithTimeout(context.Background(), pythonPatience)
	defer cancel()
	c := exec.CommandContext(ctx, "python3", "-c", packagesScript)
	c.WaitDelay = time.Second // what Python itself has started may hold its output open
	output, err := c.Output()
	if err != nil {
		return nil
	}
	var folders []string
	for _, line := range strings.Split(string(output), "\n") {
		if filepath.IsAbs(line) && !strings.HasSuffix(line, ".zip") {
			folders = append(folders, filepath.Clean(line))
		}
	}
	return folders
}
