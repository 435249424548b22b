package streaming

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/stream"
)

// clusterServerFlags are the flags of `phe cluster server`.
type clusterServerFlags struct {
	server                      cluster.Server
	routes                      []string
	authority, certificate, key string
}

func clusterServerCommand() *cobra.Command {
	f := &clusterServerFlags{}
	c := &cobra.Command{
		Use:   "server",
		Short: "Run a NATS server for shared models",
		Long: "Server runs a NATS server with JetStream in this process. Another NATS server with JetStream does as well; 2.14 was tried. A single\n" +
			"server writes each message to the disk before it answers. Three servers keep three copies, and leave the time of writing to the system.",
		Example: "  phe cluster server --folder logs\n" +
			"  phe cluster server --folder a --server-name a --address :4222 --cluster-address :6222 --routes b:6222,c:6222 --user gophe   # password in " + passwordVariable,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.StringVar(&f.server.Folder, "folder", "phe-cluster", "folder for the logs")
	flags.StringVar(&f.server.Name, "server-name", "phe", "name of this server in its cluster")
	flags.StringVar(&f.server.Address, "address", "127.0.0.1:4222", "address for clients")
	flags.StringVar(&f.server.ClusterAddress, "cluster-address", "", "address for the other servers of the cluster")
	flags.StringSliceVar(&f.routes, "routes", nil, "cluster addresses of the other servers")
	flags.StringVar(&f.server.Sync, "sync", "auto", "when messages go to the disk: always, later, or auto (always for one server, later for three)")
	flags.StringVar(&f.server.Username, "user", "", "user that clients and servers must name; the password is in "+passwordVariable)
	flags.StringVar(&f.certificate, "tls-cert", "", "file with this server's certificate")
	flags.StringVar(&f.key, "tls-key", "", "file with the key of the certificate")
	flags.StringVar(&f.authority, "tls-ca", "", "file with the authority's certificate; clients must then show a certificate too")
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return c
}

func (f *clusterServerFlags) run(c *cobra.Command) error {
	if err := f.complete(c); err != nil {
		return err
	}
	url, stop, err := f.server.Start()
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(c.ErrOrStderr(), "NATS server %s on %s; logs in %s\n", f.server.Name, url, f.server.Folder)
	<-c.Context().Done()
	return nil
}

// complete fills the server's description from the flags.
func (f *clusterServerFlags) complete(c *cobra.Command) error {
	f.server.Routes, f.server.Log = f.routes, logTo(c)
	if f.server.Username != "" {
		if f.server.Password = os.Getenv(passwordVariable); f.server.Password == "" {
			return errors.Errorf("--user is %s and there is no password; put it into the environment variable %s", f.server.Username, passwordVariable)
		}
	}
	if f.authority != "" && f.certificate == "" {
		return errors.New("--tls-ca asks clients for certificates, and needs this server's own: give --tls-cert and --tls-key")
	}
	for _, address := range []string{f.server.Address, f.server.ClusterAddress} {
		if address != "" && !strings.HasPrefix(address, "127.0.0.1:") && !strings.HasPrefix(address, "localhost:") && f.server.Username == "" && f.authority == "" {
			fmt.Fprintf(c.ErrOrStderr(), "warning: everybody who reaches %s can read and change the models; take --user, or --tls-ca\n", address)
		}
	}
	if f.certificate == "" {
		return nil
	}
	var err error
	if f.server.TLS, err = certified("tls", f.certificate, f.key); err != nil {
		return err
	}
	if f.authority != "" {
		pool, err := readAuthority(f.authority)
		if err != nil {
			return err
		}
		f.server.TLS.ClientCAs, f.server.TLS.RootCAs = pool, pool
		f.server.TLS.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return nil
}

func clusterLearnCommand() *cobra.Command {
	f := &natsFlags{}
	c := &cobra.Command{
		Use:   "learn",
		Short: "Learn the rows of a shared model's log",
		Long: "Learn takes chunks of rows from the log, learns them, and publishes what it learned. It ends with Ctrl-C. A second learner of a model\n" +
			"stands by, and goes on if the first one dies.",
		Example: "  phe cluster learn --name sales\n  phe cluster learn --name ratings --nats nats://a:4222,nats://b:4222,nats://c:4222",
		Args:    cobra.NoArgs,
	}
	f.add(c)
	c.RunE = f.with(0, func(c *cobra.Command, log *cluster.Log) error {
		return f.role(c, log, (*cluster.Follower).Learn, func(m cluster.FollowerMetrics) string {
			return fmt.Sprintf("this learner: %d chunks learned, %d known already, %d learned again", m.Learner.Learned, m.Learner.Known, m.Learner.Refused)
		})
	})
	return c
}

func clusterKeepCommand() *cobra.Command {
	f := &natsFlags{}
	var every time.Duration
	c := &cobra.Command{
		Use:     "keep",
		Short:   "Store checkpoints of a shared model, so that followers start fast",
		Long:    "Keep folds the log of a shared model and stores a checkpoint every few seconds. Several keepers may run. Nothing depends on them but\nthe time that a learner or a follower needs to start.",
		Example: "  phe cluster keep --name sales --every 30s",
		Args:    cobra.NoArgs,
	}
	f.add(c)
	c.Flags().DurationVar(&every, "every", 10*time.Second, "time between two checkpoints")
	c.RunE = f.with(0, func(c *cobra.Command, log *cluster.Log) error {
		keep := func(f *cluster.Follower, ctx context.Context) error { return f.Keep(ctx, every) }
		return f.role(c, log, keep, func(m cluster.FollowerMetrics) string {
			return fmt.Sprintf("%d checkpoints, the last after contribution %d", m.Saved, m.SavedAt)
		})
	})
	return c
}

// role runs a role beside a follower, and prints a line now and then, until the context ends.
func (f *natsFlags) role(c *cobra.Command, log *cluster.Log, run func(*cluster.Follower, context.Context) error,
	say func(cluster.FollowerMetrics) string) error {
	ctx := c.Context()
	follower, err := log.Follow(ctx, shared.Open)
	if err != nil {
		return ended(ctx, err)
	}
	ran := make(chan error, 1)
	go func() { ran <- run(follower, ctx) }()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for rows := uint64(0); ; {
		select {
		case err := <-ran:
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", f.name, say(follower.Metrics()))
			return ended(ctx, err)
		case <-tick.C:
		}
		if m := follower.Metrics(); m.Rows != rows {
			rows = m.Rows
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s rows, %s rows/s, %d contributions behind; %s\n", f.name,
				stream.Grouped(int64(m.Rows)), stream.Grouped(int64(m.RowsASec)), m.Behind, say(m))
		}
	}
}
