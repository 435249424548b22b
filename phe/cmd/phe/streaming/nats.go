package streaming

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk"
	"gophe/phe/live/broker"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/live/store"
	"gophe/phe/stream"
)

// Environment variables that hold secrets. A flag would show them to everybody who lists processes.
const (
	passwordVariable = "PHE_NATS_PASSWORD"
	natsVariable     = "PHE_NATS_TOKEN"
)

// questionPatience is the time that a command with an end waits for servers that do not answer. Other commands wait until they are there.
const questionPatience = 10 * time.Second

// natsFlags say who connects to the servers, and name the model that they keep.
type natsFlags struct {
	user, credentials           string
	authority, certificate, key string
	store                       string      // address of the model; empty without one
	replicas                    int         // of a new stream or store
	read                        *tls.Config // from the files, which may be pipes and are read once
}

// add adds the flags that say who connects. The secrets are in environment variables.
func (f *natsFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.replicas = 1 // of a command without the flag
	flags.StringVar(&f.user, "nats-user", "", "user of the NATS servers; the password is in "+passwordVariable+
		", and a token alone in "+natsVariable)
	flags.StringVar(&f.credentials, "nats-creds", "", "file with NATS credentials (.creds)")
	flags.StringVar(&f.authority, "nats-ca", "", "file with the certificate of the authority that signed the servers' certificates")
	flags.StringVar(&f.certificate, "nats-cert", "", "file with this client's certificate")
	flags.StringVar(&f.key, "nats-key", "", "file with the key of this client's certificate")
	c.MarkFlagsRequiredTogether("nats-cert", "nats-key")
}

func isStream(arg string) bool { return strings.HasPrefix(arg, broker.Scheme) }

// connection returns the options of a connection to servers.
func (f *natsFlags) connection(c *cobra.Command, urls string) (broker.Options, error) {
	o := broker.Options{URLs: urls, Username: f.user, Token: os.Getenv(natsVariable), CredentialsFile: f.credentials, Log: logTo(c)}
	if f.user != "" {
		o.Password = os.Getenv(passwordVariable)
	}
	if o.TLS = f.read; o.TLS != nil {
		return o, nil
	}
	if f.certificate != "" {
		var err error
		if o.TLS, err = certified(c.Context(), "nats", f.certificate, f.key); err != nil {
			return o, err
		}
	}
	if f.authority != "" {
		if o.TLS == nil {
			o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		pem, err := disk.ReadSettings(c.Context(), f.authority, disk.MaxSettings)
		if err != nil {
			return o, errors.WithMessage(err, "cannot read the authority's certificate")
		}
		if o.TLS.RootCAs = x509.NewCertPool(); !o.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return o, errors.Errorf("%s holds no certificate in PEM", f.authority)
		}
	}
	f.read = o.TLS
	return o, nil
}

// certified returns a configuration with the certificate of two files, which flags with this prefix name.
func certified(ctx context.Context, prefix, certificate, key string) (*tls.Config, error) {
	public, err := disk.ReadSettings(ctx, certificate, disk.MaxSettings)
	secret, failed := disk.ReadSettings(ctx, key, disk.MaxSettings)
	pair, wrong := tls.X509KeyPair(public, secret)
	if err := cmp.Or(err, failed, wrong); err != nil {
		return nil, errors.Wrapf(err, "cannot read the certificate; --%s-cert and --%s-key must name PEM files", prefix, prefix)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// dial connects to the servers of an address, and returns the name behind them.
func (f *natsFlags) dial(c *cobra.Command, address, client string, patience time.Duration) (*broker.Conn, string, error) {
	urls, name, err := broker.Address(address)
	if err != nil {
		return nil, "", err
	}
	o, err := f.connection(c, urls)
	if err != nil {
		return nil, "", err
	}
	o.Client, o.Patience = client, patience
	conn, err := broker.Connect(c.Context(), o)
	return conn, name, err
}

// openStore opens the store. With 0 replicas it waits until another program has made it.
func (f *natsFlags) openStore(c *cobra.Command, replicas int) (*store.NATS, *broker.Conn, error) {
	conn, name, err := f.dial(c, f.store, "", 0)
	if err != nil {
		return nil, nil, err
	}
	s, err := store.OpenNATS(c.Context(), conn, name, replicas)
	if err != nil {
		conn.Close()
	}
	return s, conn, err
}

// newest returns the newest checkpoint of the store, which must have one, with its model.
func (f *natsFlags) newest(c *cobra.Command) (l *stream.Learner, state driver.State, payload []byte, err error) {
	from, conn, err := f.openStore(c, -1)
	if err != nil {
		return nil, state, nil, err
	}
	defer conn.Close()
	if m, err := from.Look(c.Context()); err != nil || m.Generation == 0 {
		return nil, state, nil, cmp.Or(err, errors.Errorf("the store %s has no checkpoint yet; start a learner into it", f.store))
	}
	return newestOf(c, from, f.store)
}

// newestOf returns the newest checkpoint of an open store, with its model. It waits for one.
func newestOf(c *cobra.Command, from *store.NATS, address string) (l *stream.Learner, state driver.State, payload []byte, err error) {
	if payload, _, err = from.Newest(c.Context(), 0); err == nil {
		l, state, err = driver.Load(checkpoint.Loaded{Path: address, Payload: payload})
		err = errors.WithMessagef(err, "the model in the store %s", address)
	}
	return l, state, payload, err
}
