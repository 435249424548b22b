package streaming

import (
	"cmp"
	"path"
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

// learnShared learns a stream into a store. While another program holds the store it stands by.
func (f *streamFlags) learnShared(c *cobra.Command, args []string) error {
	if err := f.checkShared(c, args); err != nil {
		return err
	}
	if f.asked = f.said(c); c.Flags().Changed("bad") {
		f.asked["bad"] = text.String(f.bad)
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
		err := f.holdShared(c, args, store)
		if !errors.Is(err, log.ErrFenced) {
			return err
		}
		conn.Say("another program has taken the store over, and learns the rows behind its newest checkpoint again")
	}
}

// holdShared waits for the store, and learns into it until the end, or until another program holds it.
func (f *streamFlags) holdShared(c *cobra.Command, args []string, store *log.NATSStore) error {
	payload, err := store.Hold(c.Context())
	if err == nil && payload == nil {
		return f.begin(c, args, store, f.store, checkpoint.Loaded{})
	}
	l, state, err := f.loadShared(payload, 0, err)
	if err != nil {
		return err
	}
	return f.goOnShared(c, args, store, l, state)
}

// checkShared returns an error if a flag has no meaning for a store.
func (f *streamFlags) checkShared(c *cobra.Command, args []string) error {
	if len(args) != 1 || !isStream(args[0]) {
		return errors.Errorf("--store keeps a model for several machines, and each of them must reach the rows; append the rows "+
			"to a stream (phe feed FILE nats://HOST/STREAM), and learn that: phe stream nats://HOST/STREAM --store %s", f.store)
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
