package driver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/live/checkpoint"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Open loads the newest checkpoint of a store, whose model goes on with its own settings: each one that is given must be the same. given
// names settings that count even if they are the default. Without a checkpoint a new model begins. With a nil store it is kept nowhere.
func Open(ctx context.Context, to store.Store, s Settings, given ...string) (*Driver, error) {
	if to == nil {
		return &Driver{State: State{Settings: s}}, nil
	}
	loaded, err := to.Load(ctx)
	if err != nil {
		return nil, err
	}
	d := &Driver{store: to, State: State{Settings: s}, Warning: loaded.Warning}
	if loaded.Payload == nil {
		return d, nil
	}
	if d.Learner, d.State, err = Load(loaded); err != nil {
		return nil, errors.WithMessage(err, to.Name())
	}
	if err := d.nameRows(s); err != nil {
		return nil, errors.WithMessage(err, to.Name())
	}
	if begun := d.State.Settings.Columns; begun.Target == "" && s.agree(d.Learner.Schema) == nil {
		s.Columns = begun // a file gave the columns, and flags may say the same
	}
	if err := d.State.Settings.Fits(s, given...); err != nil {
		return nil, errors.WithMessagef(err, "%s has other settings", to.Name())
	}
	if s.Bad != "" || slices.Contains(given, "bad") {
		d.State.Settings.Bad = s.Bad
	}
	d.State.Settings.Labels = cmp.Or(s.Labels, d.State.Settings.Labels)
	return d, nil
}

// nameRows gives the id of new settings to a model that was begun without one. Its memory of ids begins empty.
func (d *Driver) nameRows(s Settings) error {
	id, begun := "", &d.State.Settings
	for name, kind := range s.Columns.Kinds {
		if kind == schema.ID {
			id = name
		}
	}
	if id == "" || d.Learner.Schema.PlaceOf(schema.ID) >= 0 {
		return nil
	}
	if err := d.Learner.NameRows(id, s.ids()); err != nil {
		return remedy.With("other settings", err)
	}
	d.State.NamedLater, begun.IDs, begun.Columns.Kinds = true, s.IDs, maps.Clone(begun.Columns.Kinds)
	delete(begun.Columns.Kinds, id) // it was left out
	return begun.Columns.Say(schema.ID, id)
}

// Anew begins a new model, which takes the place of the store's model at the first save, and goes on with the file of its forecasts.
func Anew(ctx context.Context, to store.Store, s Settings) (*Driver, error) {
	d := &Driver{store: to, State: State{Settings: s}}
	loaded, err := to.Load(ctx)
	if _, old, none := Load(loaded); err == nil && none == nil {
		d.Replaces = &old
	}
	return d, err
}

// Load reads a checkpoint's learner and state. If they cannot be read, the error names the generation before them, if that one can.
func Load(c checkpoint.Loaded) (l *stream.Learner, s State, err error) {
	if l, err = stream.Read(c.Payload, &s); err == nil || remedy.Of(err) != "" {
		return l, s, err
	}
	how := "learn the rows again under another name"
	if older, none := checkpoint.Peek(checkpoint.Files(c.Path)[1]); none == nil {
		if _, _, none = Load(older); none == nil {
			how = fmt.Sprintf("rename %s, saved %s, to %s to go on from there, or %s", older.Path, older.Saved.Format(time.RFC3339),
				c.Path, how)
		}
	}
	return nil, s, remedy.With("other model", errors.Errorf("%s; %s", err, how))
}

// Reading returns the options by which the model reads a source. It reads the file that describes a new model's columns, if there is one.
func (d *Driver) Reading(ctx context.Context, of source.Options) (source.Options, error) {
	s := d.State.Settings
	of.Learns, of.Where, of.SkipBad, of.Kinds = true, s.Where, s.Bad == Skip, s.Columns.Kinds
	switch {
	case d.Learner != nil:
		of.Schema = &d.Learner.Schema
	case s.Schema != "":
		described, err := s.ReadSchema(ctx)
		d.described, of.Schema = &described, &described
		return of, err
	}
	return of, nil
}

// Infer returns the columns of a new model: from the settings' file, else from the feeder of a stream unless the settings ask for others,
// else from the source's first rows. With the feeder's columns, a model does not depend on the number of rows that have come.
func (d *Driver) Infer(ctx context.Context, in source.Source) (schema.Schema, error) {
	s := d.State.Settings
	if d.described != nil {
		return *d.described, s.agree(*d.described)
	}
	fed, found, err := in.Described(ctx)
	of := fed.Schema
	if err == nil && (!found || (Settings{Columns: fed.Hints}).Fits(Settings{Columns: s.Columns}) != nil) {
		of, err = in.Infer(s.Hints())
	}
	if err == nil {
		in.Fit(of)
	}
	return of, err
}

// Begin gives a new model the columns of a schema.
func (d *Driver) Begin(of schema.Schema) (err error) {
	d.Learner, err = d.State.Settings.Begin(of)
	return err
}

// Choose goes on with a source behind the rows that were learned, or begins it. A new model without columns takes them from Infer.
func (d *Driver) Choose(ctx context.Context, in source.Source, c source.Choice) error {
	if d.Learner == nil {
		of, err := d.Infer(ctx, in)
		if err == nil {
			err = d.Begin(of)
		}
		if err != nil {
			return err
		}
	}
	if s := d.State.Settings; s.Late() {
		if err := d.Learner.SetWaiting(0, 0, int64(cmp.Or(s.WaitingMemory, DefaultWaitingMemory))); err != nil {
			return err
		}
	}
	last := cmp.Or(d.Replaces, &d.State).output()
	begins, err := in.Choose(&d.State.Past, c)
	if begins { // its forecasts begin anew. Records of the last input whose labels are late are learned when the driver runs
		d.State = State{Past: d.State.Past, Settings: d.State.Settings, Served: d.State.Served, last: last}
	}
	d.source, d.keep, d.Saved = in, in.Condition(), d.State
	return err
}
