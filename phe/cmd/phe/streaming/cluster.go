package streaming

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/table"
	"gophe/phe/internal/fold"
	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/stream"
)

// Environment variables that hold secrets. A flag would show them to everybody who lists processes.
const (
	passwordVariable = "PHE_NATS_PASSWORD"
	natsVariable     = "PHE_NATS_TOKEN"
)

func clusterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Share one model among machines: feed, learn, follow, keep, check",
		Long: "Cluster shares one model among machines over NATS JetStream. A feeder appends rows to a log. A learner learns them and publishes\n" +
			"what it learned to a second log. Followers fold that log, and all have the same model to the last bit. A kill of any process loses\n" +
			"no row and counts none twice.\n\n" +
			"One learner learns, others stand by, and any number of followers forecast (phe serve --follow).\n" +
			"docs/cluster.md says what is promised, how to size a cluster, and when not to use one.",
		Example: "  phe cluster server --folder logs                                  # or a NATS server that you have, with JetStream\n" +
			"  phe cluster feed sales.csv --target bought --name sales --nats nats://localhost:4222\n" +
			"  phe cluster learn --name sales --nats nats://localhost:4222       # start a second one elsewhere to stand by\n" +
			"  phe cluster keep --name sales --nats nats://localhost:4222\n" +
			"  phe serve --follow sales --nats nats://localhost:4222\n" +
			"  phe cluster status --name sales --nats nats://localhost:4222\n" +
			"  phe cluster verify --name sales --nats nats://localhost:4222",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(clusterServerCommand(), clusterFeedCommand(), clusterLearnCommand(), clusterKeepCommand(), clusterStatusCommand(),
		clusterReplayCommand(), clusterVerifyCommand(), clusterForgetCommand())
	return c
}

// natsFlags say which shared model a command means, and where it is.
type natsFlags struct {
	urls, name, user, credentials string
	authority, certificate, key   string
	replicas                      int // of a new model
}

const defaultNATS = "nats://127.0.0.1:4222"

func (f *natsFlags) add(c *cobra.Command) {
	f.addConnection(c)
	c.Flags().StringVar(&f.name, "name", "stream", "name of the shared model: small letters, digits, - and _")
}

func (f *natsFlags) addConnection(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.urls, "nats", defaultNATS, "addresses of the NATS servers, separated by commas")
	flags.StringVar(&f.user, "nats-user", "", "user of the NATS servers; the password is in "+passwordVariable+", and a token alone in "+natsVariable)
	flags.StringVar(&f.credentials, "nats-creds", "", "file with NATS credentials (.creds)")
	flags.StringVar(&f.authority, "nats-ca", "", "file with the certificate of the authority that signed the servers' certificates")
	flags.StringVar(&f.certificate, "nats-cert", "", "file with this client's certificate")
	flags.StringVar(&f.key, "nats-key", "", "file with the key of this client's certificate")
	c.MarkFlagsRequiredTogether("nats-cert", "nats-key")
}

// options returns the options of a connection.
func (f *natsFlags) options(c *cobra.Command) (cluster.Options, error) {
	o := cluster.Options{Name: f.name, URLs: f.urls, Username: f.user, Token: os.Getenv(natsVariable), CredentialsFile: f.credentials,
		Replicas: f.replicas, Log: logTo(c)}
	if f.user != "" {
		o.Password = os.Getenv(passwordVariable)
	}
	if f.certificate != "" {
		var err error
		if o.TLS, err = certified("nats", f.certificate, f.key); err != nil {
			return o, err
		}
	}
	if f.authority != "" {
		if o.TLS == nil {
			o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		pem, err := os.ReadFile(f.authority)
		if err != nil {
			return o, errors.Wrap(err, "cannot read the authority's certificate")
		}
		if o.TLS.RootCAs = x509.NewCertPool(); !o.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return o, errors.Errorf("%s holds no certificate in PEM", f.authority)
		}
	}
	return o, nil
}

// logTo returns a function that prints lines to the command's standard error.
func logTo(c *cobra.Command) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(c.ErrOrStderr(), table.Shown(c.ErrOrStderr(), line))
	}
}

// questionPatience is the time that a command with an end waits for servers that do not answer. Other commands wait until they are there.
const questionPatience = 10 * time.Second

// connect connects to the servers.
func (f *natsFlags) connect(c *cobra.Command, patience time.Duration) (*cluster.Log, error) {
	o, err := f.options(c)
	if err != nil {
		return nil, err
	}
	o.Patience = patience
	return cluster.Connect(c.Context(), o)
}

// command completes a command that connects, runs and closes the connection.
func (f *natsFlags) command(c *cobra.Command, patience time.Duration,
	run func(*cobra.Command, *cluster.Log, []string) error) *cobra.Command {
	f.add(c)
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		log, err := f.connect(c, patience)
		if err != nil {
			return err
		}
		defer log.Close()
		return run(c, log, args)
	}
	return c
}

// learnerOf returns the learner of a state. The state's owner must not change it meanwhile.
func learnerOf(s *fold.State) (*stream.Learner, *shared.Belief, error) {
	b, ok := s.Belief.(*shared.Belief)
	if !ok {
		return nil, nil, errors.New("this shared belief is no stream's model")
	}
	l, err := b.Learner()
	return l, b, err
}
