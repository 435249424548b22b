package backend

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pythonPatience is the longest time that Python may take to list its folders.
var pythonPatience = 10 * time.Second

// packagesScript prints the folders in which Python looks for packages, one on each line, without its own library.
const packagesScript = `import os, sys, sysconfig
own = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
own += [os.path.join(folder, "lib-dynload") for folder in own]
print("\n".join(folder for folder in sys.path if folder not in own))`

// pythonPackages returns the folders in which the python3 on the PATH looks for packages; nil if there is no Python.
func pythonPackages() []string {
	ctx, cancel := context.WithTimeout(context.Background(), pythonPatience)
	defer cancel()
	c := exec.CommandContext(ctx, "python3", "-c", packagesScript)
	c.WaitDelay = time.Second // a child of Python may hold its output open
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
