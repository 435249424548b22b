package streams

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// watchEvery is the time between two looks at a process. Its peak may be missed if it comes in the last moment.
const watchEvery = 10 * time.Millisecond

// watch follows the peak memory of a process, as Linux tells it, and returns a function that ends the watch and returns the peak in
// bytes. It returns 0 where the system does not tell. The figure of getrusage would not do: a child begins with its parent's.
func watch(pid int) (peak func() float64) {
	end, result := make(chan struct{}), make(chan float64)
	go func() {
		most := 0.0
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			most = max(most, highWater(pid))
			select {
			case <-tick.C:
			case <-end:
				result <- most
				return
			}
		}
	}()
	return func() float64 { close(end); return <-result }
}

// highWater returns the most memory that a process has held, in bytes; 0 if it is not known.
func highWater(pid int) float64 {
	account, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(account, []byte("VmHWM:"))
	fields := bytes.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kB, _ := strconv.ParseFloat(string(fields[0]), 64)
	return 1024 * kB
}
