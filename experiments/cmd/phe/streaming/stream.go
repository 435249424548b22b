package streaming

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/checkpoint"
	"gophe/phe/feed"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// streamFlags are those of `phe stream`.
type streamFlags struct {
	inputFlags
	schemaFlags
	modelFlags
	pageFlags
	model, predictions, where, bad string
	delay                          int
	every                          time.Duration
	force, again, append           bool
	showSchema, asJSON             bool
}

func streamCommand() *cobra.Command {
	f := &streamFlags{}
	c := &cobra.Command{
		Use:   "stream FILE|-",
		Short: "Learn a stream of your own row by row, and keep what was learned",
		Long: "Stream reads a table (CSV, TSV, JSON lines or Parquet; plain, gzip or zstd) row by row. It forecasts the target of each row,\n" +
			"scores the forecast, and learns the row. Memory stays the same, however many rows and items come. At the end it prints the score.\n\n" +
			"The model is kept in a file beside you. The same command goes on where it stopped, after Ctrl-C, a kill or new rows at the end\n" +
			"of the file: no row is lost or learned twice. Another file is learned on top of the first.",
		Example: "  phe stream sales.csv --target 'Quantity>=12' --drop InvoiceNo\n" +
			"  phe stream clicks.jsonl.gz --target clicked --predictions clicks-forecasts.csv\n" +
			"  cat log.csv | phe stream - --target price --as number --model price.phe\n" +
			"  phe stream ratings.parquet --target 'rating>=4' --multi 'genres=|' --memory 4M",
		Args: oneFile("phe stream sales.csv --target bought"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.addLearning(c)
	f.pageFlags.add(c)
	flags := c.Flags()
	flags.StringVar(&f.model, "model", "", "file for the model (default: the input's name with .phe)")
	flags.StringVar(&f.predictions, "predictions", "", "file for the forecasts, as CSV")
	flags.DurationVar(&f.every, "checkpoint", 2*time.Second, "time between two checkpoints")
	flags.BoolVar(&f.force, "force", false, "start anew; what the model learned is lost")
	flags.BoolVar(&f.again, "again", false, "learn the input from its first row, although the model knows it or has not ended another one")
	flags.BoolVar(&f.append, "append", false, "the rows of the pipe are new; without it a pipe is taken to begin anew, and what was learned is left out")
	flags.BoolVar(&f.showSchema, "show-schema", false, "print what the columns are taken for, as JSON, and stop")
	return c
}

// addLearning adds the flags of every command that learns a file: how the file is read, what its columns are, the size of the model,
// which rows are learned, and when.
func (f *streamFlags) addLearning(c *cobra.Command) {
	f.inputFlags.add(c)
	f.schemaFlags.add(c)
	f.modelFlags.add(c)
	c.Flags().StringVar(&f.where, "where", "", "leave out rows that do not meet a condition, such as 'Quantity>0'")
	c.Flags().StringVar(&f.bad, "bad", stopBad, "what to do about a row that cannot be learned: stop or skip")
	c.Flags().IntVar(&f.delay, "delay", 0, "labels come so many rows late")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the score as JSON")
}

// What to do about a bad row.
const stopBad, skipBad = "stop", "skip"

// check returns an error if a flag has no meaning.
func (f *streamFlags) check() error {
	if f.bad != stopBad && f.bad != skipBad {
		return errors.Errorf("--bad is %q; choose %s or %s", f.bad, stopBad, skipBad)
	}
	if f.delay < 0 {
		return errors.Errorf("--delay is %d; give 0 or more rows", f.delay)
	}
	return nil
}

// oneFile demands one file.
func oneFile(example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return errors.Errorf("name one file, or - for standard input, as in: %s", example)
		}
		return nil
	}
}

func (f *streamFlags) run(c *cobra.Command, path string) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.showSchema {
		return f.printSchema(c, path)
	}
	name := f.model
	if name == "" {
		var err error
		if name, err = modelName(path); err != nil {
			return err
		}
	}
	store, err := checkpoint.Open(name)
	if err != nil {
		return err
	}
	defer store.Close()
	loaded, err := store.Load(feed.Kind)
	switch {
	case errors.Is(err, checkpoint.ErrNone) || f.force && err == nil:
		return f.begin(c, path, store, name)
	case err != nil:
		return err
	}
	if loaded.Warning != "" {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", loaded.Warning)
	}
	return f.goOn(c, path, store, name, loaded)
}

// printSchema prints what the columns are taken for.
func (f *streamFlags) printSchema(c *cobra.Command, path string) error {
	in, err := openSource(path, &f.inputFlags, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := f.infer(in)
	if err != nil {
		return err
	}
	return printJSON(c, s)
}

// modelName is the name of an input without its folder and extensions, with .phe.
func modelName(path string) (string, error) {
	if path == standardInput {
		return "", errors.New("standard input has no name; name a file for the model with --model")
	}
	base := filepath.Base(path)
	for {
		extension := filepath.Ext(base)
		if extension == "" || extension == base {
			return base + ".phe", nil
		}
		base = strings.TrimSuffix(base, extension)
	}
}

// begin learns an input by a new model.
func (f *streamFlags) begin(c *cobra.Command, path string, store *checkpoint.Store, name string) error {
	in, err := openSource(path, &f.inputFlags, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	l, err := f.learner(c, in)
	if err != nil {
		return err
	}
	identity, err := in.identify()
	if err != nil {
		return err
	}
	state := feed.State{Said: f.said(c)}
	state.Begin(identity)
	return f.feed(c, in, store, l, state, name)
}

// learner returns a new learner for an input, and tells what its columns are taken for.
func (f *streamFlags) learner(c *cobra.Command, in *source) (*stream.Learner, error) {
	s, err := f.infer(in)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(c.ErrOrStderr(), s.Summary())
	o, err := f.modelFlags.options()
	if err != nil {
		return nil, err
	}
	o.Waiting = max(stream.DefaultWaiting, f.delay+1)
	return stream.New(s, o)
}

// goOn learns an input by the model that is there.
func (f *streamFlags) goOn(c *cobra.Command, path string, store *checkpoint.Store, name string, loaded checkpoint.Loaded) error {
	l, state, err := feed.Load(loaded.Payload)
	if err != nil {
		return errors.WithMessagef(err, "the model %s", name)
	}
	if err := fits(state.Said, f.said(c)); err != nil {
		return errors.WithMessagef(err, "the model %s is there; name another file with --model, or start anew with --force", name)
	}
	for _, flag := range []string{"where", "delay"} { // the model learns by them, whether they are given again or not
		if value, was := state.Said[flag]; was {
			if err := c.Flags().Set(flag, value); err != nil {
				return errors.Wrapf(err, "the model %s was begun with --%s %s", name, flag, value)
			}
		}
	}
	in, err := openSource(path, &f.inputFlags, l.Schema().Names())
	if err != nil {
		return err
	}
	defer in.Close()
	if err := f.choose(in, &state); err != nil {
		return err
	}
	if state.Rows > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "%s goes on after %d rows of %s\n", name, state.Rows, state.Input.Name)
	}
	return f.feed(c, in, store, l, state, name)
}

// choose makes the state that of the input: where the last checkpoint stands, or its first record.
func (f *streamFlags) choose(in *source, state *feed.State) error {
	identity, err := in.identify()
	if err != nil {
		return err
	}
	if in.isPipe() {
		switch file := state.Input.SHA256 != ""; {
		case f.append, file && state.Ended:
			state.Begin(identity)
		case file:
			return errors.Errorf("the model has learned %d records of %s and not the rest; give that file again, or learn the pipe's records on top with --append", state.Position.Record, state.Input.Name)
		}
		return nil
	}
	choice, err := state.Choose(in.path, f.again)
	if err == nil && choice == feed.Next {
		state.Begin(identity)
	}
	return err
}

// lasting are the flags that a model keeps: they cannot change while it learns.
var lasting = []string{"target", "as", "classes", "drop", "keep", "category", "number", "time", "id", "weight", "multi", "same", "class-weight", "schema",
	"memory", "interactions", "forget", "seed", "delay", "where"}

// said returns the lasting flags that were given.
func (f *streamFlags) said(c *cobra.Command) map[string]string {
	said := map[string]string{}
	for _, name := range lasting {
		if flag := c.Flags().Lookup(name); flag.Changed {
			said[name] = flag.Value.String()
		}
	}
	return said
}

// fits returns an error if a flag says otherwise than when the model was begun. Flags may be left out.
func fits(begun, now map[string]string) error {
	for _, name := range lasting {
		value, given := now[name]
		if first, was := begun[name]; given && (!was || first != value) {
			if !was {
				return errors.Errorf("--%s is %s now and was not given when the model was begun", name, value)
			}
			return errors.Errorf("--%s is %s now and was %s when the model was begun", name, value, first)
		}
	}
	return nil
}

// infer returns the schema that --schema names, or makes one from the input's first rows.
func (f *streamFlags) infer(in *source) (schema.Schema, error) {
	if f.schema != "" {
		s, err := f.schemaFlags.read()
		if err == nil && !slices.Equal(s.Names(), in.Columns()) {
			err = errors.Errorf("the schema %s has the columns %q, and the input %q", f.schema, s.Names(), in.Columns())
		}
		return s, err
	}
	hints, err := f.hints()
	if err != nil {
		return schema.Schema{}, err
	}
	keep, err := f.keep(in.Columns())
	if err != nil {
		return schema.Schema{}, err
	}
	sample, err := in.look(keep)
	if err != nil {
		return schema.Schema{}, err
	}
	return schema.Infer(in.Columns(), sample, hints)
}

// feed takes the learner along the input and prints the score.
func (f *streamFlags) feed(c *cobra.Command, in *source, store *checkpoint.Store, l *stream.Learner, state feed.State, name string) error {
	o := feed.Options{Delay: f.delay, SkipBad: f.bad == skipBad, Every: f.every, Output: f.predictions, Plain: in.isPlain()}
	var err error
	if o.Keep, err = f.keep(in.Columns()); err != nil {
		return err
	}
	show := newShower(c.ErrOrStderr(), in, l)
	live, err := f.show(c, in, l)
	if err != nil {
		return err
	}
	defer live.close()
	o.Progress = live.watch(show.progress)
	run := feed.New(l, state, store, in, o)
	err = run.Run(c.Context())
	show.finish()
	live.finish(err)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.ErrOrStderr(), "stopped after %d rows; the same command goes on from %s\n", run.State.Rows, name)
		return err
	}
	if err != nil {
		return errors.WithMessagef(err, "stopped after %d rows, which %s keeps", run.State.Rows, name)
	}
	if f.asJSON {
		err = printJSON(c, l.Report())
	} else {
		show.close(c.OutOrStdout(), run.State, l, name)
	}
	live.stay(c)
	return err
}

// keep returns the test of --where; nil without it.
func (f *streamFlags) keep(columns []string) (func(schema.Record) (bool, error), error) {
	if f.where == "" {
		return nil, nil
	}
	condition, err := schema.ParseCondition(f.where, columns)
	if err != nil {
		return nil, err
	}
	place := 0
	for i, name := range columns {
		if name == condition.Column {
			place = i
		}
	}
	return func(r schema.Record) (bool, error) { return condition.Holds(r[place]), nil }, nil
}

func printJSON(c *cobra.Command, v any) error {
	encoder := json.NewEncoder(c.OutOrStdout())
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return errors.Wrap(encoder.Encode(v), "printing JSON")
}
