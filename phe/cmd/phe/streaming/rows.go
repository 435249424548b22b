package streaming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// stopBad and skipBad are the values of --bad.
const stopBad, skipBad = "stop", "skip"

// rowFlags are the flags of the commands that read rows for a model: stream, eval and feed.
type rowFlags struct {
	inputFlags
	schemaFlags
	modelFlags
	labelFlags
	natsFlags
	where, bad string
}

// add adds the flags of all three. The verb says what the command does with a row: it learns or feeds it.
func (f *rowFlags) add(c *cobra.Command, verb string) {
	f.inputFlags.add(c)
	f.schemaFlags.add(c)
	f.natsFlags.add(c)
	c.Flags().StringVar(&f.where, "where", "", verb+" only rows that meet a condition, such as 'Quantity>0'")
	c.Flags().StringVar(&f.bad, "bad", stopBad, "what to do with a row that cannot be learned: stop or skip")
}

// check returns an error if a flag has no meaning.
func (f *rowFlags) check() error {
	if f.bad != stopBad && f.bad != skipBad {
		return errors.Errorf("--bad is %q; choose %s or %s", f.bad, stopBad, skipBad)
	}
	return f.labelFlags.check()
}

// settings returns the settings of a model, and the names of those that flags give.
func (f *rowFlags) settings(c *cobra.Command) (s driver.Settings, given []string, err error) {
	if s.Columns, err = f.hints(); err == nil {
		err = cmp.Or(f.modelFlags.set(&s), f.labelFlags.set(&s))
	}
	s.Schema, s.Where = f.schema, f.where
	if f.bad == skipBad {
		s.Bad = driver.Skip
	}
	for name := range s.All() {
		if flag := c.Flags().Lookup(name); flag != nil && flag.Changed {
			given = append(given, name)
		}
	}
	return s, given, err
}

// fresh returns a model without rows, which is kept nowhere.
func (f *rowFlags) fresh(c *cobra.Command) (*driver.Driver, error) {
	settings, _, err := f.settings(c)
	if err != nil {
		return nil, err
	}
	return driver.Open(c.Context(), nil, settings)
}

// trial returns a fresh model and its input.
func (f *rowFlags) trial(c *cobra.Command, args []string) (*driver.Driver, source.Source, error) {
	d, err := f.fresh(c)
	if err != nil {
		return nil, nil, err
	}
	in, err := f.open(c, args, d)
	return d, in, err
}

// open opens the input of a model. A new model begins with its columns.
func (f *rowFlags) open(c *cobra.Command, args []string, d *driver.Driver) (in source.Source, err error) {
	of := source.Options{Follow: f.follow, Say: logTo(c)}
	if of.Options, err = f.options(); err != nil {
		return nil, err
	}
	if of, err = d.Reading(c.Context(), of); err != nil {
		return nil, err
	}
	if labels := d.State.Settings.Labels; labels != "" {
		in, err = f.openLabelled(c, args, of, labels)
	} else {
		in, err = f.openSource(c, args, of)
	}
	if err != nil || d.Learner != nil {
		return in, err
	}
	return in, f.begin(c, in, d)
}

// openLabelled opens rows and their labels.
func (f *rowFlags) openLabelled(c *cobra.Command, args []string, of source.Options, labels string) (source.Source, error) {
	alone, brings := of, source.Options{Follow: of.Follow, Say: of.Say, SkipBad: of.SkipBad, Options: records.Options{Growing: of.Growing}}
	alone.Learns, alone.Where = false, ""
	in, err := f.openSource(c, args, alone)
	if err != nil {
		return nil, err
	}
	to, err := f.openSource(c, []string{labels}, brings)
	if err != nil {
		in.Close()
		return nil, err
	}
	return source.NewLabelled(c.Context(), in, to, of, f.labelWait, logTo(c))
}

// openSource opens rows or labels.
func (f *rowFlags) openSource(c *cobra.Command, args []string, of source.Options) (source.Source, error) {
	if !slices.ContainsFunc(args, isStream) {
		return source.Open(c.Context(), of, args...)
	}
	if len(args) > 1 {
		return nil, errors.New("a stream is learned by itself; name no other input")
	}
	to, err := f.connection(c, "")
	if err != nil {
		return nil, err
	}
	if !f.follow {
		to.Patience = questionPatience
	}
	return source.OpenStream(c.Context(), args[0], of, to)
}

// begin gives a new model the columns of an input, which it closes after an error. It names the flags that help, and tries columns that
// may give the target away.
func (f *rowFlags) begin(c *cobra.Command, in source.Source, d *driver.Driver) error {
	s, err := d.Infer(c.Context(), in)
	if err == nil && f.schema == "" {
		for i := range s.Columns {
			c := &s.Columns[i]
			c.Note = strings.Replace(c.Note, schema.TextNote, fmt.Sprintf("%s: --multi '%s= '", schema.TextNote, c.Name), 1)
		}
		tryWithout(c.Context(), in, s, d.State.Settings)
	}
	if err == nil {
		if !f.showSchema {
			fmt.Fprintln(c.ErrOrStderr(), s.Summary())
		}
		err = d.Begin(s)
	}
	if err != nil {
		in.Close()
	}
	return in.Lost(err, 0)
}
