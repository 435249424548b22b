package streaming

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gophe/phe/live/cluster"
)

func clusterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Run a NATS server, for streams of rows and for models on many machines",
		Long: "Cluster runs a NATS server with JetStream in this program. The rows of a stream and the checkpoints of models are in it:\n" +
			"`phe feed` appends rows, `phe stream` learns them, a second one stands by, and `phe serve --store` forecasts.\n" +
			"docs/many-machines.md says what is promised, how to size the servers, and when not to use them.",
		Example: "  phe cluster server --folder logs                                  # or a NATS server that you have, with JetStream\n" +
			"  phe feed sales.csv nats://localhost:4222/sales --target bought\n" +
			"  phe stream nats://localhost:4222/sales --target bought --follow\n" +
			"  phe feed --status nats://localhost:4222/sales",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(clusterServerCommand())
	return c
}

func clusterServerCommand() *cobra.Command {
	var s cluster.Server
	c := &cobra.Command{
		Use:   "server",
		Short: "Run a NATS server with JetStream",
		Long: "Server runs a NATS server with JetStream in this process. Another NATS server with JetStream does as well;\n" +
			"2.14 was tried. A single server writes each message to the disk before it answers. Three servers keep three copies,\n" +
			"and leave the time of writing to the system.\n\n" +
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
	flags.StringVar(&s.Folder, "folder", "phe-cluster", "folder for the streams and models")
	flags.StringVar(&s.Address, "address", "127.0.0.1:4222", "address for clients")
	flags.StringVar(&s.Config, "config", "", "file with NATS's configuration: users, certificates, other servers")
	flags.StringVar(&s.Sync, "sync", "auto",
		"when messages go to the disk: always, later, or auto (always for one server, later for three)")
	return c
}

func serveNATS(c *cobra.Command, s cluster.Server) error {
	if !strings.HasPrefix(s.Address, "127.0.0.1:") && !strings.HasPrefix(s.Address, "localhost:") && s.Config == "" {
		fmt.Fprintf(c.ErrOrStderr(), "warning: everybody who reaches %s can read and change the rows and the models; "+
			"name users or certificates in the file of --config\n", s.Address)
	}
	s.Context, s.Log = c.Context(), logTo(c)
	url, stop, err := s.Start()
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(c.ErrOrStderr(), "NATS server on %s; its folder is %s\n", url, s.Folder)
	<-c.Context().Done()
	return nil
}
