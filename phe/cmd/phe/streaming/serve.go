package streaming

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk"
	"gophe/phe/live/driver"
	"gophe/phe/live/serve"
	"gophe/phe/live/store"
	"gophe/phe/stream"
)

// tokenVariable is the environment variable that may hold the token. A flag would show it to everybody who lists processes.
const tokenVariable = "PHE_TOKEN"

// serveFlags holds the flags of `phe serve`.
type serveFlags struct {
	modelFlags
	natsFlags
	address, schema, tokenFile, tlsCert, tlsKey string
	access                                      bool
	maxBody, bodyMemory                         string
	serving                                     serve.Options
}

const serveExample = `  phe serve sales.phe
  phe serve shop.phe --schema schema.json     # an empty model; phe stream FILE --target COLUMN --show-schema prints a schema
  phe serve --store nats://a:4222,b:4222/sales                  # forecasts by a model that another machine learns
  phe serve sales.phe --address :8417 --token-file token --tls-cert cert.pem --tls-key key.pem

  curl -d '{"record": {"customer": "Ada", "product": "tea"}}' -H 'Content-Type: application/json' localhost:8417/v1/predict
  curl -d '{"record": {"customer": "Ada", "product": "tea", "bought": "yes"}}' -H 'Content-Type: application/json' \
       -H 'Idempotency-Key: order-7' localhost:8417/v1/learn
  curl localhost:8417/openapi.json`

func serveCommand() *cobra.Command {
	f := &serveFlags{}
	c := &cobra.Command{
		Use:   "serve MODEL",
		Short: "Serve a model over HTTP: forecasts, learning, late labels",
		Long: "Serve answers HTTP requests with a model that `phe stream` made, or with a new model from --schema. " +
			"An answered request survives a\nkill: " +
			"the server answers only after a journal next to the model has the request on the disk. " +
			"Meanwhile `phe predict`,\n`phe eval` and `phe inspect` read the model as of its last checkpoint, " +
			"and say how many rows that one lacks.\n\n" +
			"With --store it serves the newest checkpoint that another program saves there. " +
			"It then only forecasts, and says how old that is.\n" +
			"With --read-only it only forecasts too, from a file that it may not change or that another program learns.\n\n" +
			"Only this machine reaches the server, unless --address says otherwise. " +
			"Another address needs a token, in the file of --token-file\nor in the environment variable " + tokenVariable + ".",
		Example: serveExample,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case f.store == "":
				return Named(1, "one model", "phe serve sales.phe")(c, args)
			case len(args) > 0:
				return errors.New("--store names the model; leave out the file")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			listener, err := f.listen(c)
			if err != nil {
				return err
			}
			defer listener.Close()
			if f.store != "" {
				return f.follow(c, listener)
			}
			var begin func() (*stream.Learner, error)
			if f.schema != "" {
				begin = func() (*stream.Learner, error) {
					s, err := driver.Settings{Schema: f.schema}.ReadSchema(c.Context())
					if err != nil {
						return nil, err
					}
					return f.serving.Settings.Begin(s)
				}
			}
			open := func() (*serve.Server, error) { return serve.Open(args[0], begin, f.serving) }
			return serve.Run(c.Context(), listener, f.serving, open)
		},
	}
	f.modelFlags.add(c)
	f.natsFlags.add(c)
	c.Flags().StringVar(&f.store, "store", "", "serve the newest checkpoint of a store, such as nats://localhost:4222/sales")
	f.addServing(c)
	return c
}

// addServing adds the flags of the server itself.
func (f *serveFlags) addServing(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.address, "address", "127.0.0.1:8417", "address to listen on; unix:PATH is a socket for this user alone")
	flags.StringVar(&f.schema, "schema", "", "file that describes the columns and the target, to begin a new model")
	flags.StringVar(&f.tokenFile, "token-file", "", "file with the token that clients must send")
	flags.StringVar(&f.tlsCert, "tls-cert", "", "file with the certificate for TLS")
	flags.StringVar(&f.tlsKey, "tls-key", "", "file with the key of the certificate")
	flags.BoolVar(&f.serving.ReadOnly, "read-only", false, "only forecast, without a lock; see the newer checkpoints of another program")
	flags.BoolVar(&f.serving.AnyHost, "insecure", false, "let other machines in without a token")
	flags.BoolVar(&f.access, "access-log", false, "print a line for each request")
	flags.StringVar(&f.maxBody, "max-body", "1M", "largest size of a request's body")
	flags.StringVar(&f.bodyMemory, "body-memory", "64M", "memory of all bodies, each twice its size; the slowest makes room")
	flags.IntVar(&f.serving.MaxRecords, "max-records", 1000, "largest number of records in a request")
	flags.IntVar(&f.serving.Queue, "queue", 256, "largest number of requests at the same time; the server answers 429 to more")
	flags.IntVar(&f.serving.Connections, "connections", 1024,
		"largest number of open connections and streams of HTTP/2, a quarter of them viewers of the page; "+
			"a new client takes the place of the one idle or slow for longest")
	flags.DurationVar(&f.serving.Timeout, "timeout", 10*time.Second, "longest time for an answer")
	flags.DurationVar(&f.serving.ReadTimeout, "read-timeout", 10*time.Second, "longest time for reading a request")
	flags.DurationVar(&f.serving.Drain, "drain", 0, "time for which the server still answers after SIGTERM, while /readyz says 503; "+
		"for Kubernetes 10s, and a longer terminationGracePeriodSeconds")
	flags.DurationVar(&f.serving.Checkpoint, "checkpoint", 10*time.Second,
		"time between two checkpoints; after a kill, the next start repeats what came after the last checkpoint")
	flags.IntVar(&f.serving.Keys, "keys", 100_000, "number of requests whose retries the server recognises by their Idempotency-Key")
	flags.BoolVar(&f.serving.LoseJournal, "lose-journal", false,
		"if the journal is damaged or missing, begin a new one, and lose the requests that only the old one has")
	flags.IntVar(&f.serving.Waiting, "waiting", 0, "largest number of records that wait for their labels, in twice "+
		"the memory of short ones; the oldest are dropped, and the answer says how many (default: as before; at first 100,000)")
	flags.Int64Var(&f.serving.WaitingRows, "waiting-rows", 0,
		"largest number of rows that are learned while a record waits (default: as before; at first 10,000,000)")
	flags.BoolVar(&f.serving.Page, "page", true, "show a live page at /; --page=false lists the paths there")
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	c.MarkFlagsMutuallyExclusive("read-only", "store", "schema")
	c.MarkFlagsMutuallyExclusive("read-only", "store", "lose-journal")
}

// listen fills the options from the flags and the files that they name, and listens on the address.
func (f *serveFlags) listen(c *cobra.Command) (listener net.Listener, err error) {
	for _, name := range []string{"checkpoint", "connections", "keys", "max-records", "queue", "read-timeout", "timeout"} {
		if flag := c.Flags().Lookup(name); flag.Changed && strings.Trim(flag.Value.String(), "0s") == "" { // the library's default
			return nil, errors.Errorf("--%s is 0; give more, or leave it out for %s", name, flag.DefValue)
		}
	}
	f.serving.Token, err = f.token(c.Context())
	body, badBody := parseBytes(f.maxBody)
	memory, badMemory := parseBytes(f.bodyMemory)
	if err = cmp.Or(err, f.checkAddress(), badBody, badMemory, f.modelFlags.set(&f.serving.Settings)); err != nil {
		return nil, err
	}
	f.serving.MaxBody, f.serving.BodyMemory = int64(body), int64(memory)
	if f.tlsCert != "" {
		if f.serving.TLS, err = certified(c.Context(), "tls", f.tlsCert, f.tlsKey); err != nil {
			return nil, err
		}
	}
	f.serving.Log = logTo(c)
	limits, _ := os.ReadFile("/proc/self/limits") // empty elsewhere than on Linux; Go has raised the limit
	_, limit, _ := strings.Cut(string(limits), "Max open files")
	var has, need = 0, f.serving.Connections + 64 // 64 for the journal, a checkpoint and connections to NATS
	if n, _ := fmt.Sscan(limit, &has); n == 1 && has < need {
		f.serving.Log(fmt.Sprintf("warning: only %d files may be open, too few for --connections %d; `ulimit -n %d` would be enough",
			has, f.serving.Connections, need))
	}
	if f.access {
		f.serving.Access = f.serving.Log
	}
	listener, err = listenAt(f.address)
	return listener, errors.Wrap(err, "cannot listen; choose another --address, or stop the program that uses it")
}

// listenAt listens on HOST:PORT, or on unix:PATH. It replaces a socket that a killed program has left. The listener removes its own.
func listenAt(address string) (net.Listener, error) {
	path, isPath := strings.CutPrefix(address, "unix:")
	if !isPath {
		return net.Listen("tcp", address)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(path) // if it stays, Listen returns the error
		}
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	return l, err
}

// token returns the token of the file or of the environment; empty without either.
func (f *serveFlags) token(ctx context.Context) (string, error) {
	if f.tokenFile == "" {
		return os.Getenv(tokenVariable), nil
	}
	b, err := disk.ReadSettings(ctx, f.tokenFile, disk.MaxSettings)
	if err != nil {
		return "", errors.WithMessage(err, "cannot read the token; make a file with `openssl rand -hex 20`")
	}
	token := strings.TrimSpace(string(b))
	if token == "" {
		return "", errors.Errorf("the token file %s is empty; fill it with `openssl rand -hex 20`", f.tokenFile)
	}
	return token, nil
}

// checkAddress returns an error if other machines could use the server and no flag allows it.
func (f *serveFlags) checkAddress() error {
	path, isPath := strings.CutPrefix(f.address, "unix:")
	host, err := hostOf(f.address)
	switch local := host == "localhost" || net.ParseIP(host).IsLoopback(); {
	case isPath && path != "" && path[0] != '@': // "unix:@name" is no file, and every user may connect
		f.serving.AnyHost = true // no page of a browser reaches a socket
	case isPath || err != nil:
		return errors.Errorf("--address is %q; write it as HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8417, or as unix:PATH",
			f.address)
	case !local && f.serving.Token == "" && !f.serving.AnyHost:
		return errors.Errorf("--address %s lets other machines in; give a token with --token-file or %s, or say --insecure", f.address,
			tokenVariable)
	}
	return nil
}

// follow serves the model of a store.
func (f *serveFlags) follow(c *cobra.Command, listener net.Listener) error {
	for _, name := range []string{"memory", "interactions", "forget", "seed", "checkpoint", "keys", "waiting", "waiting-rows"} {
		if c.Flags().Changed(name) {
			return errors.Errorf("--%s is for a model that this server learns, and --store names one that another program learns; leave "+
				"it out", name)
		}
	}
	ended, end := context.WithCancel(context.Background())
	defer end()
	return serve.Run(c.Context(), listener, f.serving, func() (*serve.Server, error) {
		from, conn, err := f.openStore(c, 0)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ended, conn.Close)
		name := f.store[strings.LastIndex(f.store, "/")+1:]
		follower, err := store.Follow(c.Context(), from.Name(), from.Newer(), conn.Say)
		if err != nil {
			return nil, err
		}
		return serve.Follow(name, follower, f.serving)
	})
}
