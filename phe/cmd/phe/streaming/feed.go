package streaming

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk/output"
	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/live/feed"
	"gophe/phe/live/log"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/terminal"
)

// questionPatience is the time that a command with an end waits for servers that do not answer. Other commands wait until they are there.
const questionPatience = 10 * time.Second

// feedFlags are the flags of `phe feed`.
type feedFlags struct {
	streamFlags
	status bool
}

func feedCommand() *cobra.Command {
	f := &feedFlags{}
	c := &cobra.Command{
		Use:   "feed FILE|- nats://HOST/STREAM",
		Short: "Append the rows of a file or a pipe to a stream of NATS",
		Long: "Feed appends rows to a stream of NATS JetStream, up to 1,000 in a message, and makes the stream if there is none.\n" +
			"After a kill, or when the input has grown, the same command goes on behind the stream's last row. A stream has one\n" +
			"feeder at a time: of two, one ends.\n\n" +
			"Feed checks each row as phe stream does, so that no bad row stops a learner. It checks with the columns that it finds\n" +
			"for --target, with --schema, or with those of a model in a --store.",
		Example: "  phe feed sales.csv nats://localhost:4222/sales --target bought\n" +
			"  tail -F -n +1 log.csv | phe feed - nats://localhost:4222/prices --target price --as number\n" +
			"  phe feed sales.csv nats://localhost:4222/sales --store nats://localhost:4222/sales --bad skip\n" +
			"  phe feed --status nats://localhost:4222/sales --store nats://localhost:4222/sales",
		Args: func(c *cobra.Command, args []string) error {
			if f.status {
				return Named(1, "one stream", "phe feed --status nats://localhost:4222/sales")(c, args)
			}
			return Named(2, "an input and a stream", "phe feed sales.csv nats://localhost:4222/sales --target bought")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.inputFlags.add(c)
	f.addComplete(c)
	f.schemaFlags.add(c)
	f.addIDs(c)
	f.servers.addSecurity(c)
	flags := c.Flags()
	flags.StringVar(&f.store, "store", "", "store of a model that the rows must fit, such as nats://localhost:4222/sales")
	flags.StringVar(&f.where, "where", "", "feed only rows that meet a condition, such as 'Quantity>0'")
	flags.StringVar(&f.bad, "bad", stopBad, "what to do with a row that cannot be learned: stop or skip")
	flags.IntVar(&f.servers.replicas, "replicas", 1, "number of servers that store a new stream: 1, or 3 in a cluster")
	flags.BoolVar(&f.status, "status", false, "show the stream, its copies, and with --store the checkpoint, "+
		"its checksum and the line that learns it again; feed nothing")
	flags.BoolVar(&f.asJSON, "json", false, "print the status as JSON")
	c.MarkFlagsMutuallyExclusive("store", "schema")
	c.MarkFlagsMutuallyExclusive("store", "target")
	return c
}

// dial connects to the servers of an address, and returns the name behind them.
func (f *feedFlags) dial(c *cobra.Command, address string) (*broker.Conn, string, error) {
	patience := time.Duration(0)
	if f.status {
		patience = questionPatience
	}
	return f.servers.dial(c, address, "feed", patience)
}

func (f *feedFlags) run(c *cobra.Command, args []string) error {
	address := args[len(args)-1]
	if !isStream(address) {
		return errors.Errorf("%q is no stream; write it as nats://HOST/STREAM, such as nats://localhost:4222/sales", address)
	}
	if isStream(args[0]) && !f.status {
		return errors.Errorf("%s is a stream, and feed takes a file or a pipe; `nats stream add NAME --source STREAM` copies one", args[0])
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.servers.replicas < 1 {
		return errors.Errorf("--replicas is %d; give 1, or 3 in a cluster", f.servers.replicas)
	}
	conn, name, err := f.dial(c, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if f.status {
		return f.show(c, conn, name, address)
	}
	feeder := feed.New(conn, name)
	l, err := f.checker(c, conn, feeder, args[:1])
	if err != nil {
		return err
	}
	in := feeder.In
	defer in.Close()
	feeder.Replicas, feeder.SkipBad = f.servers.replicas, f.bad == skipBad
	feeder.Check = func(row schema.Record) error {
		_, err := l.Check(row) // a row without a target has its forecast
		return err
	}
	began, first, shown := time.Now(), int64(-1), terminal.NewLine(c.ErrOrStderr(), in.Name())
	feeder.Progress = func() {
		if first < 0 {
			first = feeder.Fed
		}
		read, size := in.Progress()
		shown.Count(read, size, fmt.Sprintf("%s, %s rows/s", stream.Counted(feeder.Fed, "row"),
			stream.Grouped(int64(float64(feeder.Fed-first)/time.Since(began).Seconds()))))
	}
	err = feeder.Run(c.Context())
	shown.Finish()
	if err == nil || errors.Is(err, context.Canceled) {
		say(c.ErrOrStderr(), feeder, in)
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(c.ErrOrStderr(), "stopped; the same command goes on behind the stream's last row")
	}
	return err
}

// begun describes the rows of a stream, in its first message.
type begun struct {
	Schema schema.Schema          `json:"schema"`
	Said   map[string]text.String `json:"settings,omitempty"`
}

// begunOf returns the description that a feeder has put into its stream, if there is one.
func begunOf(ctx context.Context, l *log.JetStream) (b begun, begins bool, err error) {
	described, err := l.Begun(ctx)
	if err == nil && described != "" {
		begins, err = true, errors.WithMessage(text.Decode([]byte(described), &b), "the stream's first message does not describe its rows "+
			"as this program does; feed into a stream of another name")
	}
	return b, begins, err
}

// checker opens the input, and returns a learner that checks its rows and learns none.
func (f *feedFlags) checker(c *cobra.Command, conn *broker.Conn, feeder *feed.Feeder, input []string) (l *stream.Learner, err error) {
	before, begins, err := begunOf(c.Context(), log.NewJetStream(conn, feeder.Stream, records.Options{}))
	switch {
	case err != nil:
		return nil, err
	case f.store != "":
		if l, err = f.stored(c); err == nil {
			feeder.In, err = f.openAll(c, input, &l.Schema)
		}
	case begins:
		if err = fits(before.Said, f.said(c)); err != nil {
			return nil, errors.WithMessagef(err, "the stream %s was begun before; name another one", feeder.Stream)
		}
		f.where = string(before.Said["where"])
		if l, err = f.modelFlags.begin(before.Schema); err == nil {
			feeder.In, err = f.openAll(c, input, &before.Schema)
		}
	default:
		if input[0] == output.Standard && f.schema == "" {
			fmt.Fprintf(c.ErrOrStderr(), "the first %s describe the columns, and are fed when all of them have come; --schema needs none\n",
				stream.Counted(schema.Sample, "row"))
		}
		if feeder.In, err = f.openNew(c, input); err != nil {
			return nil, err
		}
		if l, err = f.learner(c, feeder.In); err != nil {
			feeder.In.Close()
			return nil, feeder.In.Lost(err, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(begun{l.Schema, f.said(c)})
	feeder.Begin = string(b)
	return l, errors.WithStack(err)
}

// stored returns the learner of the store, whose condition counts.
func (f *feedFlags) stored(c *cobra.Command) (*stream.Learner, error) {
	l, state, err := f.loadShared(f.servers.newest(c, f.store))
	f.where = cmp.Or(f.where, string(state.Flags["where"]))
	return l, err
}

// say says what became of the rows.
func say(w io.Writer, feeder *feed.Feeder, in log.Table) {
	fmt.Fprintf(w, "the stream %s has the first %s of %s\n", feeder.Stream, stream.Counted(feeder.Fed, "row"), in.Name())
	for _, left := range []struct {
		rows int64
		why  string
	}{{feeder.Outside, "did not meet the condition"}, {feeder.Bad, "could not be learned: left out"}} {
		if left.rows > 0 {
			fmt.Fprintf(w, "%s %s\n", stream.Counted(left.rows, "row"), left.why)
		}
	}
	sayLeftOut(w, in)
}

// audit returns the audit of the store's newest checkpoint, which learns the stream of an address.
func (f *feedFlags) audit(c *cobra.Command, address string) (*audit, error) {
	payload, generation, err := f.servers.newest(c, f.store)
	_, state, err := f.loadShared(payload, generation, err)
	if err != nil {
		return nil, err
	}
	m, err := log.MarkOf(payload)
	a := auditOf(state, m.CRC, address)
	return &a, err
}

// show prints the status of a stream.
func (f *feedFlags) show(c *cobra.Command, conn *broker.Conn, name, address string) error {
	s, err := log.LookAt(c.Context(), conn, name)
	if err != nil {
		return err
	}
	if f.store != "" {
		at, store, err := f.dial(c, f.store)
		if err != nil {
			return err
		}
		defer at.Close()
		if err := s.LookAtStore(c.Context(), at, store); err != nil {
			return err
		}
	}
	var a *audit
	var failed error // which does not hide the rest
	if s.Checkpoint != nil {
		a, failed = f.audit(c, address)
	}
	if f.asJSON {
		return cmp.Or(printJSON(c, struct {
			*log.Status
			Audit *audit `json:"audit,omitempty"`
		}{s, a}), failed)
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s\n  messages:   %s, %.1f MB\n", s.Stream, stream.Grouped(int64(s.Messages)), float64(s.Bytes)/1e6)
	if s.Store != "" {
		saved, holder := "none", "no learner has the store"
		if p := s.Checkpoint; p != nil {
			saved = fmt.Sprintf("number %d, after %s, %v old; %s to follow", p.Generation, stream.Counted(p.Rows, "row"),
				time.Since(p.Saved).Round(time.Second), stream.Counted(s.Behind, "message"))
		}
		if s.Held {
			holder = s.Holder + " has the store"
		}
		fmt.Fprintf(w, "  checkpoint: %s\n  learner:    %s\n", saved, holder)
		if a != nil {
			fmt.Fprintf(w, "  beliefs:    checksum %s after %s\n", a.Sum, stream.Counted(a.Rows, "row"))
		}
		if a != nil && a.Line != "" {
			fmt.Fprintf(w, "  learned again by: %s\n", terminal.Shown(w, a.Line))
		}
	}
	fmt.Fprintf(w, "  copies:     %d", s.Replicas)
	if s.Leader != "" {
		fmt.Fprintf(w, "; leader %s", s.Leader)
	}
	for _, p := range s.Peers {
		state := "whole"
		if !p.Current {
			state = stream.Counted(p.Lag, "message") + " behind"
		}
		fmt.Fprintf(w, "; %s %s", p.Name, state)
	}
	fmt.Fprintln(w)
	return failed
}
