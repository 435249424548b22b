package driver

import (
	"cmp"
	"fmt"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/live/source"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// take learns an entry, or leaves it out.
func (d *Driver) take(r *reading) error {
	err := r.Bad
	switch {
	case err != nil:
	case len(r.Record) == 0:
		d.pass(r)
	case r.Label:
		err = d.label(r)
	case d.keep != nil && !d.keep(r.Record):
		d.leave(r)
	default:
		var forecast stream.Forecast
		if forecast, err = d.learn(d.Learner, d.State.Rows, r.Record); err == nil {
			return d.count(r, forecast)
		}
	}
	return d.forgive(err, r)
}

// leave passes a record that does not meet the condition.
func (d *Driver) leave(r *reading) {
	d.State.Left++
	d.pass(r)
}

// label learns the row of a label.
func (d *Driver) label(r *reading) error {
	l, again := &d.State.Labels, repeats.Fresh
	late, err := d.Learner.Bring(r.Record[0], r.Record[1])
	switch {
	case err == nil:
		l.Learned++
		d.tell(late)
	case errors.As(err, &again):
		l.Add(again)
	case errors.Is(err, stream.ErrUnknownID):
		l.Unmatched++
	default:
		return err
	}
	d.pass(r)
	return nil
}

// count counts a record that was learned, and writes its forecast. A record that came before has none.
func (d *Driver) count(r *reading, forecast stream.Forecast) error {
	s := &d.State
	defer d.pass(r)
	switch {
	case s.Settings.Labels != "" && forecast.Again == repeats.Reused: // of two rows with one id, the label is of the first
		s.Labels.Reused++
		return d.named()
	case !s.Add(forecast.Again):
		return nil
	}
	s.Rows++
	d.tell(forecast)
	if err := d.output.write(s.Records(), r.Record, forecast); err != nil {
		return err
	}
	return d.named()
}

// named returns an error if many of the first rows have the id of another one.
func (d *Driver) named() error {
	const first, most = 1000, 100
	s, as := &d.State, d.Learner.Schema
	reused := s.Reused + s.Labels.Reused
	if reused <= most || s.Rows > first || len(s.Earlier) > 0 {
		return nil
	}
	return remedy.Errorf("row name", "%s does not name rows: of the first %s, %d have the id of an earlier one, and other values; "+
		"name the column that does", as.Columns[as.PlaceOf(schema.ID)].Name, text.Counted(s.Rows, "row"), reused)
}

// tell reports a new alarm at the record that was taken last.
func (d *Driver) tell(forecast stream.Forecast) {
	if forecast.Alarms > d.alarms {
		d.alarms = forecast.Alarms
		d.options.Alarm(cmp.Or(forecast.Changed, d.State.Records()), forecast.Reason)
	}
}

// pass moves the position behind an entry that is counted.
func (d *Driver) pass(r *reading) {
	d.after, d.State.Ended = r.After, false
	d.State.Labels.See(r.Order, d.State.Records(), r.Label)
}

// forgive returns nil for a bad record that may be skipped, and passes it. It returns every other error.
func (d *Driver) forgive(err error, r *reading) error {
	if err == nil {
		return nil
	}
	switch field := new(*schema.FieldError); {
	case errors.As(err, field):
		err = errors.WithMessage(err, fmt.Sprint(r.After))
	case !source.IsBad(err):
		return err
	}
	if d.State.Settings.Bad != Skip {
		return err
	}
	bad := &d.State.Bad
	if r.Label {
		bad = &d.State.Labels.Bad
	}
	*bad, d.State.Why = *bad+1, text.String(err.Error())
	d.pass(r)
	return nil
}
