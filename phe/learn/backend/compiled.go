package backend

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"google.golang.org/protobuf/encoding/protowire"
)

// The first two flags name the file in which XLA keeps compiled kernels, and the folder of its choices among kernels.
const (
	kernelFlag, choiceFlag  = "--xla_gpu_kernel_cache_file", "--xla_gpu_per_fusion_autotune_cache_dir"
	toolkitFlag, bufferFlag = "--xla_gpu_cuda_data_dir", "--xla_gpu_enable_command_buffer"
	kernels, choices        = "kernels", "choices"
)

// compiled returns the folder of XLA's compiled kernels; empty if the plugin has another version than the pinned one. XLA finds a kernel by
// its graph alone, so each plugin, kind of GPU and list of the user's flags has a folder of its own.
func (c cuda) compiled() string {
	wheel := filepath.Join(filepath.Dir(string(c)), "..", "..", "jax_cuda1[23]_pjrt-"+pinned+".dist-info")
	cache, err := cacheFolder()
	if found, _ := filepath.Glob(wheel); found == nil || err != nil {
		return ""
	}
	of := fmt.Sprint(filepath.Base(filepath.Dir(string(c))), GPUs(), flagsBut(kernelFlag, choiceFlag, toolkitFlag, bufferFlag))
	return filepath.Join(cache, "xla-compiled", fmt.Sprintf("%s-%.4x", pinned, sha256.Sum256([]byte(of))))
}

// locked has the locks of this process by folder. XLA writes the file of kernels in place, and a process that reads half of it fails.
var locked = map[string]*flock.Flock{}

// prepared tells whether this process may use the folder. It takes the folder's lock until the process ends, and removes a file of kernels
// that a kill has cut, because XLA could not compile with it.
func prepared(folder string) bool {
	if locked[folder] != nil {
		return true
	}
	if os.MkdirAll(filepath.Join(folder, choices), 0o755) != nil {
		return false
	}
	lock := flock.New(filepath.Join(folder, "lock"))
	if taken, err := lock.TryLock(); !taken || err != nil {
		return false
	}
	locked[folder] = lock
	file := filepath.Join(folder, kernels)
	content, err := os.ReadFile(file)
	return os.IsNotExist(err) || err == nil && (whole(content) || os.Remove(file) == nil)
}

// whole tells whether the entries of a file of kernels, a protocol buffer, are whole.
func whole(content []byte) bool {
	for len(content) > 0 {
		_, _, n := protowire.ConsumeField(content)
		if n < 0 {
			return false
		}
		content = content[n:]
	}
	return true
}

// Flags returns XLA_FLAGS without the places of compiled kernels, for other programs and for lines of measurements.
func Flags() string { return flagsBut(kernelFlag, choiceFlag) }

func flagsBut(names ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(os.Getenv("XLA_FLAGS")), func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		return slices.Contains(names, name)
	}), " ")
}
