package main

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/pkg/errors"
)

// process is a child that starts again whenever it ends, until the run is over.
type process struct {
	args   []string
	stderr io.Writer
	done   chan struct{}

	mu     sync.Mutex
	cmd    *exec.Cmd
	over   bool
	killed bool // the child was killed, and the next one has not started
	kills  int
	ends   int // of the child, for whatever reason
	err    error
}

// spawn starts this program with arguments.
func spawn(stderr io.Writer, args ...string) *process {
	p := &process{args: args, stderr: stderr, done: make(chan struct{})}
	go p.keepAlive()
	return p
}

func (p *process) keepAlive() {
	defer close(p.done)
	for p.start() {
		_ = p.cmd.Wait() // it was killed, mostly
		p.mu.Lock()
		if !p.over {
			p.ends++
		}
		p.mu.Unlock()
		time.Sleep(20 * time.Millisecond) // a supervisor needs some time too
	}
}

// start starts the child, unless the run is over.
func (p *process) start() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	program, err := os.Executable()
	if err == nil {
		p.cmd = exec.Command(program, p.args...)
		p.cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		p.cmd.Stderr = p.stderr
		p.killed = false
		err = p.cmd.Start()
	}
	p.err = errors.Wrap(err, "starting a process")
	return err == nil
}

// signal sends a signal to the child. It returns false if the child has ended, or was killed and is about to end.
func (p *process) signal(s syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil || p.cmd.Process == nil || p.killed || p.cmd.Process.Signal(s) != nil {
		return false
	}
	if s == syscall.SIGKILL && !p.over {
		p.killed = true
		p.kills++
	}
	return true
}

// end kills the child for good.
func (p *process) end() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.signal(syscall.SIGKILL)
	<-p.done
}
