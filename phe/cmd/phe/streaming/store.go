package streaming

import (
	"cmp"
	"path"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/broker"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/live/store"
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
func (f *natsFlags) openStore(c *cobra.Command, address string, replicas int) (*store.NATS, *broker.Conn, error) {
	conn, name, err := f.dial(c, address, "", 0)
	if err != nil {
		return nil, nil, err
	}
	s, err := store.OpenNATS(c.Context(), conn, name, replicas)
	if err != nil {
		conn.Close()
	}
	return s, conn, err
}

// newest returns the newest checkpoint of a store that must have one, with its model.
func (f *natsFlags) newest(c *cobra.Command, address string) (l *stream.Learner, state driver.State, payload []byte, err error) {
	from, conn, err := f.openStore(c, address, -1)
	if err != nil {
		return nil, state, nil, err
	}
	defer conn.Close()
	if m, err := from.Look(c.Context()); err != nil || m.Generation == 0 {
		return nil, state, nil, cmp.Or(err, errors.Errorf("the store %s has no checkpoint yet; start a learner into it", address))
	}
	return newestOf(c, from, address)
}

// newestOf returns the newest checkpoint of an open store, with its model. It waits for one.
func newestOf(c *cobra.Command, from *store.NATS, address string) (l *stream.Learner, state driver.State, payload []byte, err error) {
	if payload, _, err = from.Newest(c.Context(), 0); err == nil {
		l, state, err = driver.Load(checkpoint.Loaded{Path: address, Payload: payload})
		err = errors.WithMessagef(err, "the model in the store %s", address)
	}
	return l, state, payload, err
}

// learnShared learns a stream into a store. While another program holds the store it stands by.
func (f *streamFlags) learnShared(c *cobra.Command, args []string) error {
	if err := f.checkShared(c, args); err != nil {
		return err
	}
	settings, given, err := f.settings(c)
	if err != nil {
		return err
	}
	to, conn, err := f.servers.openStore(c, f.store, f.servers.replicas)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer to.Close()
	if newest, err := to.Look(c.Context()); err == nil && newest.Generation > 0 { // a stand-by is told at once
		_, state, _, err := newestOf(c, to, f.store)
		if err == nil {
			err = errors.WithMessagef(state.Settings.Fits(settings, given...), "%s has other settings", to.Name())
		}
		if err != nil {
			return err
		}
		if name := string(state.Name()); name != "" && !state.Ended && path.Base(name) != path.Base(args[0]) {
			return errors.Errorf("the model in the store %s learns %s, and has not come to its end; give that stream, or another store",
				f.store, name)
		}
	}
	for {
		d, err := driver.Open(c.Context(), to, settings, given...)
		if err == nil {
			err = f.learn(c, args, d, f.store)
		}
		if !errors.Is(err, store.ErrFenced) {
			return err
		}
		conn.Say("another program has taken the store over, and learns the rows behind its newest checkpoint again")
	}
}

// checkShared returns an error if a flag has no meaning for a store.
func (f *streamFlags) checkShared(c *cobra.Command, args []string) error {
	if len(args) != 1 || !isStream(args[0]) || f.labels != "" && !isStream(f.labels) {
		return errors.Errorf("--store keeps a model for several machines, and each of them must reach the rows (and labels); append them "+
			"to a stream (phe feed FILE nats://HOST/STREAM), and learn that: phe stream nats://HOST/STREAM --store %s", f.store)
	}
	for _, name := range []string{"model", "predictions", "force", "again", "append", "overwrite", "check"} {
		if c.Flags().Changed(name) {
			return errors.Errorf("--%s is for a model in a file of one machine; leave it out beside --store", name)
		}
	}
	return nil
}
