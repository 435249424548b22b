package backend

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
)

// XLA keeps compiled kernels in a file, and its choices among kernels in a folder, where these flags say so.
const (
	kernelFlag, choiceFlag = "--xla_gpu_kernel_cache_file", "--xla_gpu_per_fusion_autotune_cache_dir"
	kernels, choices       = "kernels", "choices"
)

// compiled returns the folder of what XLA has compiled, by the plugin's version: the pinned one. It is empty for another.
func (c cuda) compiled() string {
	wheel := filepath.Join(filepath.Dir(string(c)), "..", "..", "jax_cuda1[23]_pjrt-"+pinned+".dist-info")
	cache, err := cacheFolder()
	if found, _ := filepath.Glob(wheel); found == nil || err != nil {
		return ""
	}
	return filepath.Join(cache, "xla-compiled", pinned)
}

// locked is what this process has: XLA writes the file of kernels in place, and a process that reads half of it fails.
var locked = map[string]*flock.Flock{}

// prepared tells whether this process may use the folder: it takes the lock until its end, and removes kernels that a kill has cut. XLA
// compiles nothing where such a file is.
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

// whole tells whether the entries of a file of kernels are whole. It is a protocol buffer.
func whole(content []byte) bool {
	for len(content) > 0 {
		tag, n := binary.Uvarint(content)
		value, m := binary.Uvarint(content[max(n, 0):])
		if n <= 0 || m <= 0 || tag < 8 {
			return false
		}
		switch content = content[n+m:]; tag & 7 {
		case 0: // a number
		case 2: // a text of so many bytes
			if value > uint64(len(content)) {
				return false
			}
			content = content[value:]
		default:
			return false
		}
	}
	return true
}

// Flags returns XLA_FLAGS for other programs, and for lines that say how something was measured: without the places of what is compiled.
func Flags() string {
	return strings.Join(slices.DeleteFunc(strings.Fields(os.Getenv("XLA_FLAGS")), func(flag string) bool {
		return strings.HasPrefix(flag, kernelFlag) || strings.HasPrefix(flag, choiceFlag)
	}), " ")
}
