package streaming

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/stream"
)

func clusterServerCommand() *cobra.Command {
	var s cluster.Server
	c := &cobra.Command{
		Use:   "server",
		Short: "Run a NATS server for shared models",
		Long: "Server runs a NATS server with JetStream in this process. Another NATS server with JetStream does as well; 2.14 was tried. A single\n" +
			"server writes each message to the disk before it answers. Three servers keep three copies, and leave the time of writing to the system.\n\n" +
			"Users, certificates and a cluster of three servers are in a file with NATS's own configuration, for --config.",
		Example: "  phe cluster server --folder logs\n" +
			"  phe cluster server --folder logs --address :4222 --config nats.conf\n\n" +
			"  nats.conf of one of three servers:\n\n" +
			"    server_name: a\n" +
			"    authorization { user: gophe, password: $" + passwordVariable + " }\n" +
			"    cluster { name: phe, listen: \"0.0.0.0:6222\", routes: [\"nats-route://b:6222\", \"nats-route://c:6222\"] }",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return serveNATS(c, s) },
	}
	flags := c.Flags()
	flags.StringVar(&s.Folder, "folder", "phe-cluster", "folder for the logs")
	flags.StringVar(&s.Address, "address", "127.0.0.1:4222", "address for clients")
	flags.StringVar(&s.Config, "config", "", "file with NATS's configuration: users, certificates, other servers")
	flags.StringVar(&s.Sync, "sync", "auto", "when messages go to the disk: always, later, or auto (always for one server, later for three)")
	return c
}

func serveNATS(c *cobra.Command, s cluster.Server) error {
	if !strings.HasPrefix(s.Address, "127.0.0.1:") && !strings.HasPrefix(s.Address, "localhost:") && s.Config == "" {
		fmt.Fprintf(c.ErrOrStderr(), "warning: everybody who reaches %s can read and change the models; name users or certificates in the file of --config\n", s.Address)
	}
	s.Log = logTo(c)
	url, stop, err := s.Start()
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(c.ErrOrStderr(), "NATS server on %s; logs in %s\n", url, s.Folder)
	<-c.Context().Done()
	return nil
}

func clusterLearnCommand() *cobra.Command {
	f := &natsFlags{}
	return f.command(&cobra.Command{
		Use:   "learn",
		Short: "Learn the rows of a shared model's log",
		Long: "Learn takes chunks of rows from the log, learns them, and publishes what it learned. It ends with Ctrl-C. A second learner of a model\n" +
			"stands by, and goes on if the first one dies.",
		Example: "  phe cluster learn --name sales\n  phe cluster learn --name ratings --nats nats://a:4222,nats://b:4222,nats://c:4222",
	}, 0, func(c *cobra.Command, log *cluster.Log, _ []string) error {
		return f.role(c, log, (*cluster.Follower).Learn, func(m cluster.FollowerMetrics) string {
			return fmt.Sprintf("this learner: %s learned, %d known already, %d learned again", stream.Counted(m.Learner.Learned, "chunk"),
				m.Learner.Known, m.Learner.Refused)
		})
	})
}

func clusterKeepCommand() *cobra.Command {
	f := &natsFlags{}
	var every time.Duration
	c := f.command(&cobra.Command{
		Use:     "keep",
		Short:   "Store checkpoints of a shared model, so that followers start fast",
		Long:    "Keep folds the log of a shared model and stores a checkpoint every few seconds. Several keepers may run. Nothing depends on them but\nthe time that a learner or a follower needs to start.",
		Example: "  phe cluster keep --name sales --every 30s",
	}, 0, func(c *cobra.Command, log *cluster.Log, _ []string) error {
		keep := func(f *cluster.Follower, ctx context.Context) error { return f.Keep(ctx, every) }
		return f.role(c, log, keep, func(m cluster.FollowerMetrics) string {
			return fmt.Sprintf("%s, the last after contribution %d", stream.Counted(m.Saved, "checkpoint"), m.SavedAt)
		})
	})
	c.Flags().DurationVar(&every, "every", 10*time.Second, "time between two checkpoints")
	return c
}

// role runs a role beside a follower, and prints a line now and then, until the context ends.
func (f *natsFlags) role(c *cobra.Command, log *cluster.Log, run func(*cluster.Follower, context.Context) error,
	say func(cluster.FollowerMetrics) string) error {
	ctx := c.Context()
	follower, err := log.Follow(ctx, shared.Open)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	ran := make(chan error, 1)
	go func() { ran <- run(follower, ctx) }()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for rows := uint64(0); ; {
		select {
		case err := <-ran:
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", f.name, say(follower.Metrics()))
			return err
		case <-tick.C:
		}
		if m := follower.Metrics(); m.Rows != rows {
			rows = m.Rows
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s, %s rows/s, %s behind; %s\n", f.name,
				stream.Counted(m.Rows, "row"), stream.Grouped(int64(m.RowsASec)), stream.Counted(m.Behind, "contribution"), say(m))
		}
	}
}
