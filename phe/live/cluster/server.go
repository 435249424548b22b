// Package cluster runs a NATS server with JetStream inside this process, so that users install nothing. It looks through the server's
// folder first, since NATS does not name the damage in one.
package cluster

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// maxPayload is the size of the largest message, in bytes. NATS's own limit of 1 MiB is less than a long row.
const maxPayload = 8 << 20

// startTimeout bounds the start of a server. It reads its folder first, and a large folder takes time.
const startTimeout = time.Minute

// Server describes a NATS server that runs inside this process.
type Server struct {
	Folder  string // where the logs are stored
	Address string // the host and port for clients; port 0 takes a free port
	// Config names a file with NATS's own configuration: users, certificates, and the other servers of a cluster. Folder and Address
	// count in place of the file's. Empty means no file.
	Config  string
	Context context.Context // ends the waiting for a Config that is a pipe; may be nil

	// Sync says when messages go to the disk. "always" syncs before each answer, so a power failure loses nothing that was answered.
	// "later" leaves the time to NATS, which syncs every two minutes. A power failure then loses the end of the logs, and a crash of the
	// process alone loses nothing. "auto" or "" is always for a single server, and later for a server of a cluster, whose copies are on
	// other machines.
	Sync string

	Log func(string) // receives the server's warnings and errors; may be nil
}

// Start runs the server until stop is called. url is the address for clients. stop waits until the server's files are closed.
func (s Server) Start() (url string, stop func(), err error) {
	o, err := s.options()
	if err != nil {
		return "", nil, err
	}
	unlock, err := s.lock()
	if err != nil {
		return "", nil, err
	}
	var ns *server.Server
	if err = checkStore(s.Folder); err == nil {
		ns, err = server.NewServer(o)
	}
	if err != nil {
		_ = unlock() // it is free when this process ends
		return "", nil, errors.Wrapf(err, "starting NATS in %q", s.Folder)
	}
	ended := make(chan string, 1) // why the server cannot go on
	ns.SetLoggerV2(serverLog{s.Log, s.Folder, ended}, false, false, false)
	ns.Start()
	stop = func() {
		ns.Shutdown()
		ns.WaitForShutdown()
		_ = unlock() // it is free when this process ends
	}
	for began := time.Now(); !ns.ReadyForConnections(100 * time.Millisecond); {
		select {
		case why := <-ended:
			stop()
			return "", nil, errors.Errorf("the NATS server at %s: %s; stop the program that uses the address, or give another one",
				s.Address, why)
		default:
		}
		if time.Since(began) > startTimeout {
			stop()
			return "", nil, errors.Errorf("the NATS server is not ready after %v; is the address %q free?", startTimeout, s.Address)
		}
	}
	return ns.ClientURL(), stop, nil
}

// lock keeps other servers out of the folder. NATS itself does not.
func (s Server) lock() (unlock func() error, err error) {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, errors.Wrap(err, "making the folder for the logs")
	}
	unlock, err = disk.TakeLock(filepath.Join(s.Folder, "lock"))
	if err == nil && unlock == nil {
		return nil, errors.Errorf("another server uses the folder %s; stop it, or name another folder", s.Folder)
	}
	return unlock, errors.Wrapf(err, "locking the folder %s; make it writable, or name another one", s.Folder)
}

// options returns NATS's own options.
func (s Server) options() (o *server.Options, err error) {
	if s.Folder == "" {
		return nil, errors.New("the server needs a folder for its logs")
	}
	o = &server.Options{}
	if s.Config != "" {
		content, err := disk.ReadSettings(cmp.Or(s.Context, context.Background()), s.Config, disk.MaxSettings)
		if err == nil && disk.CheckPlain(s.Config) == nil { // it may name others in its folder
			o, err = server.ProcessConfigFile(s.Config)
		} else if err == nil {
			err = o.ProcessConfigString(string(content))
		}
		if err != nil {
			return nil, errors.Wrapf(err, "the configuration %s; docs.nats.io describes it", s.Config)
		}
	}
	o.StoreDir, o.JetStream, o.NoSigs = s.Folder, true, true
	o.MaxPayload, o.MaxPending = maxPayload, 4*maxPayload // a reader that has several large messages waiting is not a slow one yet
	switch s.Sync {
	case "auto", "":
		o.SyncAlways = o.SyncAlways || o.Cluster.Name == ""
	case "always":
		o.SyncAlways = true
	case "later":
	default:
		return nil, errors.Errorf("the server syncs %q; choose auto, always or later", s.Sync)
	}
	host, port, err := net.SplitHostPort(s.Address)
	number, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || wrong != nil {
		return nil, errors.Errorf("the address is %q; write it as HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:4222", s.Address)
	}
	if o.Host, o.Port = host, int(number); o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	return o, nil
}

// serverLog hands the server's warnings and errors to a function, and drops its other lines.
type serverLog struct {
	log    func(string) // may be nil
	folder string
	ended  chan<- string
}

func (l serverLog) say(what, format string, values []any) {
	line := fmt.Sprintf(format, values...)
	if strings.Contains(line, "no space left") || strings.Contains(line, "resource limits exceeded") {
		line += "; the disk of " + l.folder + " is full, or a limit is reached: make room or raise it, and start the server again"
	}
	if l.log != nil {
		l.log("NATS server " + what + ": " + line)
	}
}

func (serverLog) Noticef(string, ...any)                {}
func (serverLog) Debugf(string, ...any)                 {}
func (serverLog) Tracef(string, ...any)                 {}
func (l serverLog) Warnf(format string, values ...any)  { l.say("warns", format, values) }
func (l serverLog) Errorf(format string, values ...any) { l.say("error", format, values) }
func (l serverLog) Fatalf(format string, values ...any) {
	l.say("ends", format, values)
	select {
	case l.ended <- fmt.Sprintf(format, values...):
	default:
	}
}
