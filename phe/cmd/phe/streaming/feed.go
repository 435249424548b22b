package streaming

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk/outfile"
	"gophe/phe/live/broker"
	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/terminal"
)

// feedFlags are the flags of `phe feed`.
type feedFlags struct {
	rowFlags
	status, asJSON bool
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
	f.add(c, "feed")
	f.addComplete(c)
	f.addIDs(c)
	flags := c.Flags()
	flags.StringVar(&f.store, "store", "", "store of a model that the rows must fit, such as nats://localhost:4222/sales")
	flags.IntVar(&f.replicas, "replicas", 1, "number of servers that store a new stream: 1, or 3 in a cluster")
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
	return f.natsFlags.dial(c, address, "feed", patience)
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
	conn, name, err := f.dial(c, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if f.status {
		return f.show(c, conn, name, address)
	}
	feeder := source.NewFeeder(conn, name)
	feeder.Replicas, feeder.SkipBad = f.replicas, f.bad == skipBad
	if err := feeder.Takes(c.Context()); err != nil {
		return err
	}
	l, err := f.checker(c, conn, feeder, args[:1])
	if err != nil {
		return err
	}
	in := feeder.In
	defer in.Close()
	feeder.Check = func(row schema.Record) error {
		_, err := l.Check(row) // a row without a target is fed: learners forecast it
		return err
	}
	began, first, shown := time.Now(), int64(-1), terminal.NewLine(c.ErrOrStderr(), in.Name())
	feeder.Progress = func() {
		if first < 0 {
			first = feeder.Fed
		}
		read, size := in.Progress()
		shown.Count(read, size, fmt.Sprintf("%s, %s rows/s", terminal.Counted(feeder.Fed, "row"),
			terminal.Grouped(int64(float64(feeder.Fed-first)/time.Since(began).Seconds()))))
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

// checker opens the input, and returns a learner that checks its rows and learns none.
func (f *feedFlags) checker(c *cobra.Command, conn *broker.Conn, feeder *source.Feeder, input []string) (l *stream.Learner, err error) {
	d, err := f.fresh(c)
	if err != nil {
		return nil, err
	}
	settings := d.State.Settings
	before, begins, err := source.NewJetStream(conn, feeder.Stream, records.Options{}).Described(c.Context())
	switch begun := (driver.Settings{Columns: before.Hints, Where: before.Where}); {
	case err != nil:
		return nil, err
	case f.store != "":
		var state driver.State
		if d.Learner, state, _, err = f.newest(c); err != nil {
			return nil, err
		}
		d.State.Settings.Where = cmp.Or(f.where, state.Settings.Where)
	case begins:
		if err = begun.Fits(driver.Settings{Columns: settings.Columns, Where: settings.Where}); err != nil {
			return nil, errors.WithMessagef(err, "the stream %s was begun before; name another one", feeder.Stream)
		}
		if f.schema != "" {
			if of, err := settings.ReadSchema(c.Context()); err != nil {
				return nil, err
			} else if !reflect.DeepEqual(of, before.Schema) {
				return nil, errors.Errorf("the stream %s was begun with other columns than %s describes; name another stream",
					feeder.Stream, f.schema)
			}
		}
		settings.Columns, d.State.Settings.Where = before.Hints, before.Where
		if err = d.Begin(before.Schema); err != nil {
			return nil, err
		}
	case input[0] == outfile.Standard && f.schema == "":
		fmt.Fprintf(c.ErrOrStderr(), "the first %s describe the columns, and are fed when all of them have come; --schema needs none\n",
			terminal.Counted(schema.Sample, "row"))
	}
	if feeder.In, err = f.open(c, input, d); err == nil {
		feeder.Begin = source.Description{Schema: d.Learner.Schema, Hints: settings.Columns, Where: d.State.Settings.Where}
	}
	return d.Learner, err
}

// say prints the numbers of rows that were fed and left out.
func say(w io.Writer, feeder *source.Feeder, in source.Source) {
	fmt.Fprintf(w, "the stream %s has the first %s of %s\n", feeder.Stream, terminal.Counted(feeder.Fed, "row"), in.Name())
	for _, left := range []struct {
		rows int64
		why  string
	}{{feeder.Outside, "did not meet the condition"}, {feeder.Bad, "could not be learned: left out"}} {
		if left.rows > 0 {
			fmt.Fprintf(w, "%s %s\n", terminal.Counted(left.rows, "row"), left.why)
		}
	}
	sayLeftOut(w, in)
}

// audit returns the audit of the store's newest checkpoint, which learns the stream of an address.
func (f *feedFlags) audit(c *cobra.Command, address string) (*audit, error) {
	_, state, payload, err := f.newest(c)
	if err != nil {
		return nil, err
	}
	m, err := store.MarkOf(payload)
	a := auditOf(state, m.CRC, address)
	return &a, err
}

// show prints the status of a stream.
func (f *feedFlags) show(c *cobra.Command, conn *broker.Conn, name, address string) error {
	s, err := source.LookAt(c.Context(), conn, name)
	if err != nil {
		return err
	}
	var kept store.Status
	behind := uint64(0)
	var a *audit
	var failed error // of the audit, returned after the rest is printed
	if f.store != "" {
		at, name, err := f.dial(c, f.store)
		if err != nil {
			return err
		}
		defer at.Close()
		if kept, err = store.LookAt(c.Context(), at, name); err != nil {
			return err
		}
	}
	if kept.Checkpoint != nil {
		behind = s.Behind(kept.Checkpoint.Position)
		a, failed = f.audit(c, address)
	}
	if f.asJSON {
		return cmp.Or(printJSON(c, struct {
			*source.Stream
			store.Status
			Behind uint64 `json:"behind"` // messages after the checkpoint
			Audit  *audit `json:"audit,omitempty"`
		}{s, kept, behind, a}), failed)
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s\n  messages:   %s, %.1f MB\n", s.Name, terminal.Grouped(int64(s.Messages)), float64(s.Bytes)/1e6)
	if kept.Store != "" {
		saved, holder := "none", "no learner has the store"
		if p := kept.Checkpoint; p != nil {
			saved = fmt.Sprintf("number %d, after %s, %v old; %s to follow", p.Generation, terminal.Counted(p.Rows, "row"),
				time.Since(p.Saved).Round(time.Second), terminal.Counted(behind, "message"))
		}
		if kept.Held {
			holder = kept.Holder + " has the store"
		}
		fmt.Fprintf(w, "  checkpoint: %s\n  learner:    %s\n", saved, holder)
		if a != nil {
			fmt.Fprintf(w, "  beliefs:    checksum %s after %s\n", a.Sum, terminal.Counted(a.Rows, "row"))
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
			state = terminal.Counted(p.Lag, "message") + " behind"
		}
		fmt.Fprintf(w, "; %s %s", p.Name, state)
	}
	fmt.Fprintln(w)
	return failed
}
