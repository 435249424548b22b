package streaming

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk"
	"gophe/phe/live/broker"
	"gophe/phe/live/source"
	"gophe/phe/terminal"
)

// Environment variables that hold secrets. A flag would show them to everybody who lists processes.
const (
	passwordVariable = "PHE_NATS_PASSWORD"
	natsVariable     = "PHE_NATS_TOKEN"
)

// natsFlags say who connects to the servers.
type natsFlags struct {
	user, credentials           string
	authority, certificate, key string
	replicas                    int         // of a new stream
	read                        *tls.Config // from the files, since a pipe can be read once; nil before
}

// addSecurity adds the flags that say who connects. The secrets are in environment variables.
func (f *natsFlags) addSecurity(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.user, "nats-user", "", "user of the NATS servers; the password is in "+passwordVariable+
		", and a token alone in "+natsVariable)
	flags.StringVar(&f.credentials, "nats-creds", "", "file with NATS credentials (.creds)")
	flags.StringVar(&f.authority, "nats-ca", "", "file with the certificate of the authority that signed the servers' certificates")
	flags.StringVar(&f.certificate, "nats-cert", "", "file with this client's certificate")
	flags.StringVar(&f.key, "nats-key", "", "file with the key of this client's certificate")
	c.MarkFlagsRequiredTogether("nats-cert", "nats-key")
}

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

// logTo returns a function that prints lines to the command's standard error.
func logTo(c *cobra.Command) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(c.ErrOrStderr(), terminal.Shown(c.ErrOrStderr(), line))
	}
}

func isStream(arg string) bool { return strings.HasPrefix(arg, broker.Scheme) }

// openStream opens a stream.
func (f *streamFlags) openStream(c *cobra.Command, args []string, of source.Options) (source.Source, error) {
	if len(args) > 1 {
		return nil, errors.New("a stream is learned by itself; name no other input")
	}
	if f.compare {
		return nil, errors.New("--check compares files; a stream is compared by a checksum at each start")
	}
	to, err := f.servers.connection(c, "")
	if err != nil {
		return nil, err
	}
	if !f.follow {
		to.Patience = questionPatience
	}
	return source.OpenStream(c.Context(), args[0], of, to)
}
