package cluster

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/pkg/errors"

	"gophe/phe/disk"
)

// maxPayload is the size of the largest message, in bytes. A delta of 460,414 numbers has 3.7 MB, and NATS's own limit is 1 MiB.
const maxPayload = 8 << 20

// startTimeout bounds the start of a server. It reads its folder first, and a large folder takes time.
const startTimeout = time.Minute

// Server describes a NATS server that runs inside this process.
type Server struct {
	Name   string // name in the cluster; each server needs its own
	Folder string // where the logs are stored
	// Address is the host and port for clients. Port 0 takes a free port. An empty address opens no port, and only this process can
	// connect.
	Address string

	ClusterAddress string   // host and port for the other servers; empty means that there are no others
	Routes         []string // host and port of the other servers' ClusterAddress

	// Sync says when messages go to the disk. "always" syncs before each answer, so a power failure loses nothing that was answered.
	// "later" leaves the time to NATS, which syncs every two minutes. A power failure then loses the end of the logs, and a crash of the
	// process alone loses nothing. "auto" or "" is always for a single server, and later for a server of a cluster, whose copies are on
	// other machines.
	Sync string

	// TLS holds the server's certificate, for clients and for the other servers. With ClientCAs both must show a certificate too, and
	// RootCAs verifies the other servers.
	TLS *tls.Config
	// Clients and the other servers must know Username and Password. Empty lets everybody in.
	Username, Password string

	Log func(string) // receives the server's warnings and errors; may be nil
}

// running is a server that was started.
type running struct {
	ns     *server.Server
	config Server
	lock   *flock.Flock // of the folder
}

// Start runs the server until stop is called. url is the address for clients, and empty if the server has no port. stop waits until the
// server's files are closed.
func (s Server) Start() (url string, stop func(), err error) {
	r, err := s.start()
	if err != nil {
		return "", nil, err
	}
	if s.Address != "" {
		url = r.ns.ClientURL()
	}
	return url, r.close, nil
}

func (s Server) start() (*running, error) {
	o, err := s.options()
	if err != nil {
		return nil, err
	}
	lock, err := s.lock()
	if err != nil {
		return nil, err
	}
	var ns *server.Server
	if err = checkStore(s.Folder); err == nil {
		ns, err = server.NewServer(o)
	}
	if err != nil {
		_ = lock.Unlock() // it is free when this process ends
		return nil, errors.Wrapf(err, "starting NATS in %q", s.Folder)
	}
	if s.Log != nil {
		ns.SetLoggerV2(serverLog{s.Log}, false, false, false)
	}
	ns.Start()
	if !ns.ReadyForConnections(startTimeout) {
		ns.Shutdown()
		_ = lock.Unlock() // it is free when this process ends
		return nil, errors.Errorf("the NATS server is not ready after %v; is the address %q free?", startTimeout, s.Address)
	}
	return &running{ns, s, lock}, nil
}

// lock keeps other servers out of the folder. NATS itself does not.
func (s Server) lock() (*flock.Flock, error) {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, errors.Wrap(err, "making the folder for the logs")
	}
	l, err := disk.TakeLock(filepath.Join(s.Folder, "lock"))
	if err == nil && l == nil {
		return nil, errors.Errorf("another server uses the folder %s; stop it, or name another folder", s.Folder)
	}
	return l, errors.Wrapf(err, "locking the folder %s; make it writable, or name another one", s.Folder)
}

// close stops the server and waits until its files are closed.
func (r *running) close() {
	r.ns.Shutdown()
	r.ns.WaitForShutdown()
	_ = r.lock.Unlock() // it is free when this process ends
}

// options returns NATS's own options.
func (s Server) options() (*server.Options, error) {
	if s.Folder == "" {
		return nil, errors.New("the server needs a folder for its logs")
	}
	if (s.Username == "") != (s.Password == "") {
		return nil, errors.New("the server has a username or a password alone; give both or neither")
	}
	o := &server.Options{ServerName: s.Name, StoreDir: s.Folder, JetStream: true, NoSigs: true,
		NoLog: s.Log == nil, DontListen: s.Address == "", MaxPayload: maxPayload, Username: s.Username, Password: s.Password}
	o.MaxPending = 4 * maxPayload // a reader that has several large messages waiting is not a slow one yet
	switch s.Sync {
	case "auto", "":
		o.SyncAlways = s.ClusterAddress == ""
	case "always":
		o.SyncAlways = true
	case "later":
	default:
		return nil, errors.Errorf("the server syncs %q; choose auto, always or later", s.Sync)
	}
	if s.TLS != nil {
		o.TLSConfig, o.TLS, o.TLSTimeout = s.TLS, true, 5
		o.TLSVerify = s.TLS.ClientCAs != nil
	}
	var err error
	if s.Address != "" {
		if o.Host, o.Port, err = hostPort(s.Address); err != nil {
			return nil, err
		}
	}
	return o, s.cluster(o)
}

// cluster adds the options for the other servers.
func (s Server) cluster(o *server.Options) (err error) {
	if s.ClusterAddress == "" {
		if len(s.Routes) > 0 {
			return errors.New("the server has routes to other servers and no cluster address; the others must reach it too")
		}
		return nil
	}
	if s.Name == "" {
		return errors.New("a server of a cluster needs a name that no other server has")
	}
	c := &o.Cluster
	c.Name = "phe"
	if c.Host, c.Port, err = hostPort(s.ClusterAddress); err != nil {
		return err
	}
	c.Username, c.Password = s.Username, s.Password
	if s.TLS != nil {
		c.TLSConfig, c.TLSTimeout = s.TLS.Clone(), 5
		if s.TLS.ClientCAs != nil {
			c.TLSConfig.ClientAuth = tls.RequireAndVerifyClientCert
		}
	}
	for _, route := range s.Routes {
		if _, _, err := hostPort(route); err != nil {
			return err
		}
		u := &url.URL{Scheme: "nats-route", Host: route}
		if s.Username != "" {
			u.User = url.UserPassword(s.Username, s.Password)
		}
		o.Routes = append(o.Routes, u)
	}
	return nil
}

// hostPort splits an address. Port 0 becomes NATS's number for a free port.
func hostPort(address string) (string, int, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, errors.Wrapf(err, "the address %q is no host:port, such as 127.0.0.1:4222", address)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, errors.Wrapf(err, "the port of %q", address)
	}
	if port == 0 {
		return host, server.RANDOM_PORT, nil
	}
	return host, int(port), nil
}

// serverLog hands the server's warnings and errors to a function, and drops its other lines.
type serverLog struct{ log func(string) }

func (l serverLog) say(what, format string, values []any) {
	l.log("NATS server " + what + ": " + fmt.Sprintf(format, values...))
}

func (serverLog) Noticef(string, ...any)                {}
func (serverLog) Debugf(string, ...any)                 {}
func (serverLog) Tracef(string, ...any)                 {}
func (l serverLog) Warnf(format string, values ...any)  { l.say("warns", format, values) }
func (l serverLog) Errorf(format string, values ...any) { l.say("error", format, values) }
func (l serverLog) Fatalf(format string, values ...any) { l.say("ends", format, values) }
