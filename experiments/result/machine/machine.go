// Package machine describes the computer and the program versions of a run.
package machine

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gomlx/compute"

	"gophe/data/files"
	"gophe/phe/learn/backend"
)

// Device describes what computes. XLA does not name the GPU; the driver does.
func Device(b compute.Backend) string {
	description := strings.NewReplacer("/", "", " (_preloaded_)", "").Replace(b.Description()) // go-xla's marks of a name that is no path
	if strings.Contains(description, "cuda") {
		description = strings.Join(append([]string{description}, backend.GPUs()...), ", ")
	}
	return description
}

// Processor describes the processor and the system, without the machine's name.
func Processor() string {
	model := runtime.GOARCH
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if _, name, found := strings.Cut(lines.Text(), "model name"); found {
				model = strings.TrimLeft(name, "\t :")
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s", model, runtime.NumCPU(), runtime.GOOS)
}

// Commit is the version of the program: the commit of its checkout, marked where files differ from it; "unknown" outside one.
func Commit() string {
	stamp := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			stamp[s.Key] = s.Value
		}
	}
	if revision := stamp["vcs.revision"]; revision != "" {
		if stamp["vcs.modified"] == "true" {
			revision += "+changes"
		}
		return revision
	}
	output := func(command string, args ...string) (string, error) {
		out, err := exec.Command(command, args...).Output()
		return strings.TrimSpace(string(out)), err
	}
	if module, err := output("go", "list", "-m"); err != nil || module != files.Module {
		return "unknown" // the working directory is in another repository
	}
	revision, err := output("git", "rev-parse", "HEAD")
	if err != nil {
		return "unknown"
	}
	changes, err := output("git", "status", "--porcelain", "--untracked-files=no", "--", "*.go", "*.json", "go.*")
	if err != nil || changes != "" {
		revision += "+changes"
	}
	return revision
}

// Versions returns the versions of the modules that do the arithmetic.
func Versions() map[string]string {
	v := map[string]string{"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			switch m.Path {
			case "github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/go-xla", "gonum.org/v1/gonum":
				v[m.Path] = m.Version
			}
		}
	}
	return v
}
