package streaming

import (
	"path"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/driver"
	"gophe/phe/live/store"
)

// learnShared learns a stream into a store. While another program holds the store it stands by.
func (f *streamFlags) learnShared(c *cobra.Command, args []string) error {
	if err := f.checkShared(c, args); err != nil {
		return err
	}
	settings, given, err := f.settings(c)
	if err != nil {
		return err
	}
	to, conn, err := f.openStore(c, f.replicas)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer to.Close()
	if newest, err := to.Look(c.Context()); err == nil && newest.Generation > 0 { // an error comes now, and not at the turn
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

// checkShared returns an error if an argument or a flag does not fit a store.
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
