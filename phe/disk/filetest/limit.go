//go:build linux || darwin

package filetest

import "syscall"

// Limit limits the size of files that this process writes; math.MaxInt64 is no limit. Writing beyond it fails, as on a full disk. Go's
// runtime ignores the signal SIGXFSZ that comes with it.
func Limit(size uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	l.Cur = min(size, l.Max)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
}
