package streaming

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path"
	"slices"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/internal/text"
	"gophe/phe/live/broker"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/log"
	"gophe/phe/stream"
)

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

// openStore opens the store of an address. With 0 replicas it waits until another program has made it.
func (f *natsFlags) openStore(c *cobra.Command, address string, replicas int) (*log.NATSStore, *broker.Conn, error) {
	conn, name, err := f.dial(c, address, "", 0)
	if err != nil {
		return nil, nil, err
	}
	store, err := log.OpenNATS(c.Context(), conn, name, replicas)
	if err != nil {
		conn.Close()
	}
	return store, conn, err
}

// newest returns the newest checkpoint of a store that must have one.
func (f *natsFlags) newest(c *cobra.Command, address string) ([]byte, uint64, error) {
	store, conn, err := f.openStore(c, address, -1)
	if err != nil {
		return nil, 0, err
	}
	defer conn.Close()
	if m, err := store.Look(c.Context()); err != nil || m.Generation == 0 {
		return nil, 0, cmp.Or(err, errors.Errorf("the store %s has no checkpoint yet; start a learner into it", address))
	}
	return store.Newest(c.Context(), 0)
}

// openReplay opens a stream as the learner of a checkpoint reads it.
func (f *natsFlags) openReplay(c *cobra.Command, address string, l *stream.Learner, s log.State) (log.Table, log.Options, error) {
	learning, as := &streamFlags{}, &cobra.Command{}
	learning.addLearning(as)
	learning.servers, learning.follow = *f, true
	as.SetContext(c.Context())
	as.SetErr(c.ErrOrStderr())
	if err := setKept(as, "the model", s, kept); err != nil {
		return nil, log.Options{}, err
	}
	in, err := learning.openStream(as, []string{address}, &l.Schema)
	if err != nil {
		return nil, log.Options{}, err
	}
	return in, learning.options(in), nil
}

// learnShared learns a stream into a store. While another program holds the store it stands by.
func (f *streamFlags) learnShared(c *cobra.Command, args []string) error {
	if err := f.checkShared(c, args); err != nil {
		return err
	}
	if f.asked = f.said(c); c.Flags().Changed("bad") {
		f.asked["bad"] = text.String(f.bad)
	}
	if f.relearn {
		return f.learnAgain(c, args)
	}
	store, conn, err := f.servers.openStore(c, f.store, f.servers.replicas)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer store.Close()
	if newest, err := store.Look(c.Context()); err == nil && newest.Generation > 0 { // a stand-by is told at once
		if _, state, err := f.loadShared(store.Newest(c.Context(), 0)); err != nil {
			return err
		} else if err := f.fitsShared(state); err != nil {
			return err
		} else if name := string(state.Name()); name != "" && !state.Ended && path.Base(name) != path.Base(args[0]) {
			return errors.Errorf("the model in the store %s learns %s, and has not come to its end; give that stream, or another store",
				f.store, name)
		}
	}
	for {
		err := f.holdShared(c, args, store, conn)
		if !errors.Is(err, log.ErrFenced) {
			return err
		}
		conn.Say("another program has taken the store over, and learns the rows behind its newest checkpoint again")
	}
}

// holdShared waits for the store, and learns into it until the end, or until another program holds it.
func (f *streamFlags) holdShared(c *cobra.Command, args []string, store *log.NATSStore, conn *broker.Conn) error {
	standBy := f.standBy(c, args, store, conn)
	mark, err := store.Take(c.Context())
	hot := standBy()
	if err != nil {
		return err
	}
	if hot != nil {
		if l, state, same := hot.Release(mark); same {
			conn.Say(fmt.Sprintf("goes on from its own learner, %s behind the checkpoint", stream.Counted(state.Rows-mark.Rows, "row")))
			return f.goOnShared(c, args, store, l, state)
		}
	}
	payload, err := store.Load(c.Context())
	if err == nil && payload == nil {
		return f.begin(c, args, store, f.store, checkpoint.Loaded{})
	}
	l, state, err := f.loadShared(payload, mark.Generation, err)
	if err != nil {
		return err
	}
	return f.goOnShared(c, args, store, l, state)
}

// standBy learns the rows while another program holds the store, with --hot. The function that it returns ends that, and returns the
// follower that learned; nil if there is none.
func (f *streamFlags) standBy(c *cobra.Command, args []string, store *log.NATSStore, conn *broker.Conn) func() *log.Follower {
	if !f.hot {
		return func() *log.Follower { return nil }
	}
	ctx, stop := context.WithCancel(c.Context())
	found := make(chan *log.Follower, 1)
	go func() {
		follower, err := log.Follow(ctx, store, func(l *stream.Learner, s log.State) (log.Table, log.Options, error) {
			return f.servers.openReplay(c, args[0], l, s)
		})
		if err != nil && ctx.Err() == nil {
			conn.Say("warning: this stand-by learns nothing, and will load the checkpoint: " + err.Error())
		}
		found <- follower
	}()
	return func() *log.Follower {
		stop()
		return <-found
	}
}

// checkShared returns an error if a flag has no meaning for a store.
func (f *streamFlags) checkShared(c *cobra.Command, args []string) error {
	if len(args) != 1 || !isStream(args[0]) {
		return errors.Errorf("--store keeps a model for several machines, and each of them must reach the rows; append the rows "+
			"to a stream (phe feed FILE nats://HOST/STREAM), and learn that: phe stream nats://HOST/STREAM --store %s", f.store)
	}
	if f.relearn && (f.hot || f.follow) {
		return errors.New("--relearn ends behind the checkpoint's last row, and learns nothing into the store; leave out --hot and " +
			"--follow")
	}
	for _, name := range []string{"model", "predictions", "force", "again", "append", "overwrite", "check"} {
		if c.Flags().Changed(name) {
			return errors.Errorf("--%s is for a model in a file of one machine; leave it out beside --store", name)
		}
	}
	return nil
}

// loadShared reads a checkpoint as the store returns it.
func (f *streamFlags) loadShared(payload []byte, _ uint64, err error) (*stream.Learner, log.State, error) {
	if err != nil {
		return nil, log.State{}, err
	}
	l, state, err := log.Load(checkpoint.Loaded{Path: f.store, Payload: payload})
	return l, state, errors.WithMessagef(err, "the model in the store %s", f.store)
}

// fitsShared returns an error if a flag has another value than the store's model was begun with.
func (f *streamFlags) fitsShared(state log.State) error {
	return errors.WithMessagef(fits(state.Flags, f.asked),
		"the store %s has a model; leave the flag out, or learn into a store of another name", f.store)
}

// goOnShared learns a stream with the store's model.
func (f *streamFlags) goOnShared(c *cobra.Command, args []string, store log.Store, l *stream.Learner, state log.State) error {
	if err := f.fitsShared(state); err != nil {
		return err
	}
	if bad, given := f.asked["bad"]; given {
		state.Flags["bad"] = bad
	}
	return f.continues(c, args, store, f.store, l, state)
}

// learnAgain learns the rows of the newest checkpoint again, from the beginning, and compares the bits.
func (f *streamFlags) learnAgain(c *cobra.Command, args []string) error {
	payload, generation, err := f.servers.newest(c, f.store)
	known, state, err := f.loadShared(payload, generation, err)
	if err == nil {
		err = f.fitsShared(state)
	}
	if err == nil && len(state.Earlier) > 0 {
		err = errors.Errorf("the model in the store %s has learned %s before %s; only a model of one input can be learned again", f.store,
			state.Earlier[0].Name, state.Name())
	}
	if err == nil && (state.Ends > 1 || state.Ends == 1 && !state.Ended) {
		err = errors.Errorf("the learner of the store %s came to the end of the stream and later went on, so it has learned labels before "+
			"their time; only a model of a learner with --follow, or of one that ended once, can be learned again", f.store)
	}
	if err != nil {
		return err
	}
	if err := setKept(c, "the model", state, slices.Concat(lasting, kept)); err != nil {
		return err
	}
	f.follow = false
	in, err := f.openAll(c, args, &known.Schema)
	if err != nil {
		return err
	}
	defer in.Close()
	f.ids = known.Options().IDs // of a model of before there are none
	l, err := f.modelFlags.begin(known.Schema)
	if err != nil {
		return err
	}
	again := log.State{Flags: state.Flags}
	if err := again.Choose(in, log.Options{}); err != nil {
		return err
	}
	o, show := f.options(in), newShower(c.ErrOrStderr(), in, l)
	o.Progress = show.progress
	again, _, err = log.Run(c.Context(), l, again, nil, first{in, state.Records(), state.Ended}, o)
	show.line.Finish()
	if err != nil && !errors.Is(err, errLearned) {
		return err
	}
	err = f.compareBits(c, l, again.Rows, payload, generation)
	if all, ok := in.(*log.JetStream); ok && err != nil {
		if info, unknown := all.Info(c.Context()); unknown == nil && info.State.FirstSeq > 1 {
			err = errors.WithMessagef(err, "the stream begins at message %d now", info.State.FirstSeq)
		}
	}
	return err
}

// errLearned ends a log behind the last record of a checkpoint.
var errLearned = errors.New("the rows of the checkpoint are learned")

// first is the first records of a log. The log ends behind them if it had ended there for the checkpoint; otherwise labels that are late
// still wait.
type first struct {
	log.Table
	records int64
	ended   bool
}

// Read implements log.Log.
func (f first) Read(ctx context.Context, from log.Position) iter.Seq2[log.Entry, error] {
	return func(yield func(log.Entry, error) bool) {
		left := f.records
		for e, err := range f.Table.Read(ctx, from) {
			if left == 0 || !yield(e, err) {
				break
			}
			if !e.Waits {
				left--
			}
		}
		if left == 0 && !f.ended {
			yield(log.Entry{}, errLearned)
		}
	}
}

// compareBits prints whether a learner has the bits of a checkpoint. That it has not is an error.
func (f *streamFlags) compareBits(c *cobra.Command, l *stream.Learner, rows int64, payload []byte, generation uint64) error {
	was, err := log.MarkOf(payload)
	if err != nil {
		return err
	}
	crc, err := log.CRC(l)
	if err != nil {
		return err
	}
	same := rows == was.Rows && crc == was.CRC
	if f.asJSON {
		err = printJSON(c, map[string]any{"rows": rows, "store_rows": was.Rows, "crc": crc, "store_crc": was.CRC, "generation": generation,
			"same_bits": same})
	} else if same {
		fmt.Fprintf(c.OutOrStdout(), "%s, learned again, give the bits of checkpoint %d of %s\n", stream.Counted(rows, "row"),
			generation, f.store)
	}
	if err == nil && !same {
		err = errors.Errorf("%s, learned again, give other bits (%08x) than checkpoint %d of %s has after %s rows (%08x): "+
			"a row of the stream was changed, a bit of the checkpoint, or another kind of processor or another program has learned it",
			stream.Counted(rows, "row"), crc, generation, f.store, stream.Grouped(was.Rows), was.CRC)
	}
	return err
}
