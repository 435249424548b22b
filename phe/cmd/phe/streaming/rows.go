package streaming

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
	"gophe/phe/terminal"
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
	if f.replicas < 1 {
		return errors.Errorf("--replicas is %d; give 1, or 3 in a cluster", f.replicas)
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
	alone.Learns, alone.Apart, alone.Where = false, true, ""
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

// tryHelp learns the first rows of a file as the learner did, with more memory, with the logarithm of a number, and with late labels. It
// returns a sentence about the first that makes a difference. It uses a tenth of the rows at most, so a try costs a tenth of the run.
func tryHelp(ctx context.Context, in source.Source, l *stream.Learner, of driver.Settings) string {
	const most, times, fewest = 4 << 20, 16, 1000 // bytes above which more is not tried; factor; rows
	const least, flatters = 0.002, 0.02           // shares of a score that count
	o, s, rows := l.Options(), l.Schema, int(min(schema.Sample, l.Rows()/10))
	if !in.Seekable() || rows < fewest {
		return ""
	}
	first, _ := source.First(ctx, in, in.Condition())
	first = first[:min(rows, len(first))]
	usual, err := scored(ctx, s, o, first, of, nil)
	these := terminal.Counted(len(first), "row")
	if more := o; o.Memory <= most && err == nil {
		more.Memory *= times
		if r, err := scored(ctx, s, more, first, of, nil); err == nil && r.Gain(usual, 0, least) != "" {
			return fmt.Sprintf("More memory helps: for the first %s, --memory %s has %s.", these, terminal.Size(more.Memory),
				r.Gain(usual, 0, least))
		}
	}
	if s.Target.Kind == schema.Amount && s.Target.Transform == "" && s.PlaceOf(schema.Weight) < 0 && err == nil {
		if gain := logarithm(ctx, s, o, first, of).Gain(usual, 1, least); gain != "" {
			return fmt.Sprintf("The target has a long tail: for the first %s, --target 'log(%s)', brought back, has %s.", these,
				s.Target.Column, gain)
		}
	}
	if of.Late() || err != nil {
		return ""
	}
	of.Delay = len(first) / 100
	late, err := scored(ctx, s, o, first, of, nil)
	if gain := usual.Gain(late, 0, flatters); gain != "" && err == nil {
		return fmt.Sprintf("Labels that come at once flatter: the first %s have %s with --delay %d.", these, gain, of.Delay)
	}
	return ""
}

// logarithm returns the score of the medians of a learner of the target's logarithm. Rows whose target has none do not count.
func logarithm(ctx context.Context, s schema.Schema, o stream.Options, rows [][]string, of driver.Settings) score.Report {
	r, plain := score.Report{Target: s.Target, Models: make([]score.Score, 1), Parts: make([]score.Tally, 10)}, s.Target
	s.Target.Transform = "log"
	_, _ = scored(ctx, s, o, rows, of, func(row int, forecast stream.Forecast) {
		if y, known, err := plain.Parse(rows[row][s.PlaceOf(schema.Label)]); known && err == nil {
			for _, t := range []*score.Tally{&r.Models[0].All, &r.Parts[row*10/len(rows)]} {
				t.AddNumber(math.Exp(forecast.Value), math.Exp(forecast.Low), math.Exp(forecast.High), y, 1)
			}
		}
	})
	r.Models[0].Late = r.Models[0].All
	return r
}

// tryWithout notes, at the first columns that may give the target away, the score without the column. A pipe's rows come only once, so it
// then tries nothing.
func tryWithout(ctx context.Context, in source.Source, s schema.Schema, of driver.Settings) {
	const most, cells = 5000, 400_000 // rows and cells of a run, which takes a second at most
	var rows [][]string
	score := func(s schema.Schema) (text string) { // empty if no columns are left, or after Ctrl-C
		l, err := of.Begin(s)
		if err != nil {
			return ""
		}
		if r, err := scored(ctx, s, l.Options(), rows, of, nil); err == nil {
			text, _, _ = strings.Cut(r.Line(), ", ")
		}
		return text
	}
	with, left := "", 3 // score, and number of columns to try
	for i := range s.Columns {
		column, without := &s.Columns[i], s
		if column.Suspect == "" {
			continue
		}
		if column.Suspect += " (--drop " + column.Name + ")"; !in.Seekable() || left == 0 {
			continue
		}
		if left--; rows == nil {
			rows, _ = source.First(ctx, in, in.Condition())
			rows = rows[:min(len(rows), most, cells/len(s.Columns))]
			with = score(s)
		}
		without.Columns = slices.Clone(s.Columns)
		without.Columns[i] = schema.Column{Name: column.Name, Kind: schema.Dropped}
		if alone := score(without); alone != "" {
			column.Suspect += fmt.Sprintf(": without it, the first %s have %s in place of %s", terminal.Counted(len(rows), "row"),
				alone, with)
		}
	}
}

// scored returns the score of a new learner of some rows. It leaves out rows that cannot be learned, and calls each with the forecasts of
// the others.
func scored(ctx context.Context, s schema.Schema, o stream.Options, rows [][]string, of driver.Settings,
	each func(row int, forecast stream.Forecast)) (r score.Report, err error) {
	o.NoExactModel = true
	step, err := of.Stepper(s)
	if err != nil {
		return r, err
	}
	l, err := stream.New(s, o)
	for row := 0; row < len(rows) && err == nil; row++ {
		if forecast, failed := step(l, int64(row), rows[row]); failed == nil && each != nil {
			each(row, forecast)
		}
		err = ctx.Err()
	}
	if err == nil {
		_, _ = l.LearnWaiting(0)
		r = l.Report()
	}
	return r, err
}
