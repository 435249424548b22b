package streams

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/pkg/errors"
)

// cost holds the time and the memory of a process.
type cost struct{ cpu, wall, peak float64 } // seconds, seconds, bytes

// measure runs a command to its end and returns its cost. When the context ends, the process is interrupted, and killed if it
// has not ended then.
func measure(ctx context.Context, command []string) (cost, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "PYTHONHASHSEED=0")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	c.Stderr = &said
	start := time.Now()
	if err := c.Start(); err != nil {
		return cost{}, errors.Wrapf(err, "starting %s", command[0])
	}
	peak := watch(c.Process.Pid)
	err := c.Wait()
	used := cost{(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), time.Since(start).Seconds(), peak()}
	if ctx.Err() != nil {
		return cost{}, ctx.Err()
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return cost{}, errors.Wrapf(err, "%s: %s", strings.Join(command, " "), lines[len(lines)-1])
	}
	return used, nil
}
