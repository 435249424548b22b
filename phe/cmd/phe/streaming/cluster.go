package streaming

import (
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/internal/fold"
	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/stream"
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
