package streaming

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk/output"
	"gophe/phe/live/driver"
	"gophe/phe/live/serve"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/records"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream/schema"
	"gophe/phe/terminal"
)

// streamFlags are the flags of `phe stream`.
type streamFlags struct {
	inputFlags
	schemaFlags
	modelFlags
	model, predictions, where, bad           string
	page                                     string // address of a live page
	threads                                  int
	delay, waitingMemory, labels             string
	labelWait                                time.Duration
	rows                                     int64
	every                                    time.Duration
	force, again, append, overwrite, compare bool
	showSchema, asJSON                       bool
	follow                                   bool      // a stream has no end
	store                                    string    // for several machines
	servers                                  natsFlags // of a stream
}

func streamCommand() *cobra.Command {
	f := &streamFlags{}
	c := &cobra.Command{
		Use:   "stream FILE…|FOLDER|-|nats://HOST/STREAM",
		Short: "Learn a file or a pipe of yours row by row, and keep the model",
		Long: "Stream reads a table (CSV, TSV, JSON lines or Parquet; plain, gzip or zstd) row by row. It forecasts the target of each row,\n" +
			"scores the forecast, and learns the row. Memory does not grow with the rows and items. At the end it prints the score.\n\n" +
			"The model is a file in the current folder. After Ctrl-C, a kill or new rows at the end of the input, the same command continues.\n" +
			"It loses no row and learns none twice. Another input is learned on top of the first.\n\n" +
			"Several files are learned as one, in the order given. The files of a folder, or of a pattern in quotes such as\n" +
			"'logs/*.csv', are learned in the order of their names: a file with a later name continues the stream.\n\n" +
			"With --rows 1000 it stops after row 1,000, to try something or to compare two models. The same command without\n" +
			"--rows goes on.\n\n" +
			"A stream of NATS JetStream, such as nats://localhost:4222/sales, is learned to the last row that is there, or with\n" +
			"--follow until Ctrl-C. A message holds JSON objects or lines of CSV. With --store the model is kept on the servers too:\n" +
			"of several programs with one store one learns, and the others stand by. A plain file is followed too, also when it rotates.",
		Example: "  phe stream sales.csv --target 'Quantity>=12' --drop InvoiceNo\n" +
			"  phe stream clicks.jsonl.gz --target clicked --predictions clicks-forecasts.csv\n" +
			"  phe stream logs/ --target clicked   # all files of a folder; the same command goes on with new ones\n" +
			"  phe stream shown.csv --labels clicks.csv --id ad --target clicked   # the labels come later\n" +
			"  phe stream nats://localhost:4222/clicks --target clicked --follow\n" +
			"  phe stream nats://localhost:4222/clicks --store nats://localhost:4222/clicks --target clicked --follow\n" +
			"  cat log.csv | phe stream - --target price --as number --model price.phe\n" +
			"  phe stream ratings.parquet --target 'rating>=4' --multi 'genres=|' --memory 4M",
		Args: Named(0, "one file or more", "phe stream sales.csv --target bought"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.addLearning(c)
	f.addComplete(c)
	flags := c.Flags()
	flags.StringVar(&f.page, "page", "", "show the stream on a live page in a browser, at an address such as --page=127.0.0.1:9000 "+
		"(--page alone: "+pageAddress+")")
	flags.Lookup("page").NoOptDefVal = pageAddress
	flags.StringVar(&f.model, "model", "", "file for the model (default: the input's name with .phe)")
	flags.StringVar(&f.predictions, "predictions", "", "file for the forecasts, as CSV")
	flags.DurationVar(&f.every, "checkpoint", 2*time.Second, "time between two checkpoints")
	flags.Int64Var(&f.rows, "rows", 0, "number of the input's last row to learn; the same command without it goes on (default: no limit)")
	flags.BoolVar(&f.force, "force", false, "start again and lose the model")
	flags.BoolVar(&f.overwrite, "overwrite", false, "begin the file of --predictions anew, even if it holds other forecasts")
	flags.BoolVar(&f.again, "again", false, "learn the input from its first row, even if the model has learned it or has not finished another input")
	flags.BoolVar(&f.append, "append", false, "the rows of the pipe are new (default: the pipe begins again, and rows that were learned are skipped)")
	flags.BoolVar(&f.compare, "check", false, "compare all of the part that was learned with the file (default: its beginning, its end and a sample)")
	flags.BoolVar(&f.follow, "follow", false,
		"wait for new rows of a file or a stream until Ctrl-C; a file may rotate (default: end at the last row)")
	c.MarkFlagsMutuallyExclusive("follow", "complete")
	c.MarkFlagsMutuallyExclusive("follow", "check")
	flags.StringVar(&f.labels, "labels", "", "file, folder or stream that brings the labels later, with the columns of --id and --target, "+
		"and best with a time")
	flags.DurationVar(&f.labelWait, "label-wait", 0, "time for which rows wait while no label comes (default: for ever)")
	flags.StringVar(&f.store, "store", "",
		"keep the model on NATS servers for several machines, such as nats://HOST/NAME; a second program stands by")
	flags.IntVar(&f.servers.replicas, "replicas", 1, "number of servers that keep a new store: 1, or 3 in a cluster")
	flags.BoolVar(&f.showSchema, "show-schema", false, "print the description of the columns as JSON, and stop")
	return c
}

// addLearning adds the flags that `phe stream` and `phe eval` share: how to read the file, its columns, the size of the model, and which
// rows to learn.
func (f *streamFlags) addLearning(c *cobra.Command) {
	f.inputFlags.add(c)
	f.schemaFlags.add(c)
	f.modelFlags.add(c)
	c.Flags().StringVar(&f.where, "where", "", "learn only rows that meet a condition, such as 'Quantity>0'")
	c.Flags().StringVar(&f.bad, "bad", stopBad, "what to do with a row that cannot be learned: stop or skip")
	c.Flags().StringVar(&f.delay, "delay", "0",
		"when the label of a row comes: after a number of rows, or after a time such as 2h by the time of the rows")
	c.Flags().StringVar(&f.waitingMemory, "waiting-memory", "", "memory of the rows that wait for their labels; beyond it the oldest are "+
		"dropped (default "+terminal.Size(driver.DefaultWaitingMemory)+")")
	c.Flags().IntVar(&f.threads, "threads", 0, "threads that learn (default: one for each processor); the model and the forecasts are the same for any number")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the score as JSON")
	f.servers.addSecurity(c)
}

// What to do with a bad row.
const stopBad, skipBad = "stop", "skip"

// check returns an error if a flag has no meaning.
func (f *streamFlags) check() error {
	if f.bad != stopBad && f.bad != skipBad {
		return errors.Errorf("--bad is %q; choose %s or %s", f.bad, stopBad, skipBad)
	}
	if rows, after, err := f.late(); err != nil || rows < 0 || after < 0 {
		return errors.Errorf("--delay is %s; give 0 or more rows, or a time such as 2h", f.delay)
	} else if f.labels != "" && rows+int(after) > 0 {
		return errors.New("--labels brings the labels of rows, and --delay takes them from the rows; give one of both")
	}
	for name, number := range map[string]int64{"rows": f.rows, "threads": int64(f.threads)} {
		if number < 0 {
			return errors.Errorf("--%s is %d; give 1 or more, or leave it out", name, number)
		}
	}
	for name, time := range map[string]time.Duration{"label-wait": f.labelWait, "checkpoint": f.every} {
		if time < 0 {
			return errors.Errorf("--%s is %v; give a time, such as 2s", name, time)
		}
	}
	if f.threads > 0 {
		runtime.GOMAXPROCS(f.threads)
	}
	return nil
}

// late returns the rows or the time after which labels come.
func (f *streamFlags) late() (rows int, after time.Duration, err error) {
	if rows, err = strconv.Atoi(cmp.Or(f.delay, "0")); err != nil { // `phe feed` has none
		after, err = time.ParseDuration(f.delay)
	}
	return rows, after, err
}

// NoCommand refuses arguments of a command that only has subcommands. Its error suggests the subcommand that was probably meant.
func NoCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			known = append(known, sub.Name())
		}
	}
	return errors.Errorf("%s has no command %q; %s", c.CommandPath(), args[0], nearest.Choose(args[0], known))
}

// Named demands a number of names; 0 is at least one. Its error shows the usage and an example.
func Named(number int, what, example string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 || number > 0 && len(args) != number {
			return errors.Errorf("name %s; usage: %s, as in: %s", what, strings.TrimSuffix(c.UseLine(), " [flags]"), example)
		}
		return nil
	}
}

func (f *streamFlags) run(c *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.showSchema {
		return f.printSchema(c, args)
	}
	if f.store != "" {
		return f.learnShared(c, args)
	}
	name := f.model
	if name == "" {
		var err error
		if name, err = modelName(args[0]); err != nil {
			return err
		}
	}
	for _, path := range slices.DeleteFunc(slices.Clone(args), isStream) {
		if err := (output.Place{Path: path, Flag: "--model", Others: modelFiles(name)}).Avoid(); err != nil {
			return err
		}
	}
	if !f.force {
		if err := serve.Settle(name, logTo(c)); err != nil {
			return err
		}
	}
	to, err := store.OpenFile(name)
	if err != nil {
		return err
	}
	defer to.Close()
	settings, given, err := f.settings(c)
	if err != nil {
		return err
	}
	var d *driver.Driver
	if f.force {
		d, err = driver.Anew(c.Context(), to, settings)
	} else {
		d, err = driver.Open(c.Context(), to, settings, given...)
	}
	if err != nil {
		return err
	}
	return f.learn(c, args, d, name)
}

// printSchema prints the description of the columns.
func (f *streamFlags) printSchema(c *cobra.Command, args []string) error {
	d, in, err := f.trial(c, args)
	if err != nil {
		return err
	}
	defer in.Close()
	s := d.Learner.Schema
	for i := range s.Columns {
		s.Columns[i].Note = strings.Trim(s.Columns[i].Note+"; "+s.Columns[i].Suspect, "; ")
	}
	return printJSON(c, s)
}

// modelName returns the name of an input without its folder and extensions, and with .phe.
func modelName(path string) (string, error) {
	if path == output.Standard {
		return "", errors.New("standard input has no name; name a file for the model with --model")
	}
	base := filepath.Base(path)
	if _, missing := os.Stat(path); missing != nil && strings.ContainsAny(base, "*?[") {
		base = filepath.Base(filepath.Dir(path))
	}
	if base == "." || base == ".." {
		return "", errors.Errorf("%s has no name for a model; name a file for the model with --model", path)
	}
	name, _, _ := strings.Cut(base[1:], ".") // a point at the beginning hides a file
	return base[:1] + name + ".phe", nil
}

// open opens the input of a model. A new model begins with its columns.
func (f *streamFlags) open(c *cobra.Command, args []string, d *driver.Driver) (in source.Source, err error) {
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
func (f *streamFlags) openLabelled(c *cobra.Command, args []string, of source.Options, labels string) (source.Source, error) {
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
func (f *streamFlags) openSource(c *cobra.Command, args []string, of source.Options) (source.Source, error) {
	if slices.ContainsFunc(args, isStream) {
		return f.openStream(c, args, of)
	}
	return source.Open(c.Context(), of, args...)
}

// begin gives a new model the columns of an input, which it closes after an error.
func (f *streamFlags) begin(c *cobra.Command, in source.Source, d *driver.Driver) error {
	s, err := f.infer(c, in, d)
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

// trial returns a new model, which is kept nowhere, and its input.
func (f *streamFlags) trial(c *cobra.Command, args []string) (*driver.Driver, source.Source, error) {
	settings, _, err := f.settings(c)
	if err != nil {
		return nil, nil, err
	}
	d, err := driver.Open(c.Context(), nil, settings)
	if err != nil {
		return nil, nil, err
	}
	in, err := f.open(c, args, d)
	return d, in, err
}

// infer returns the columns of a new model. It says what flag helps, and tries the columns that may give the target away.
func (f *streamFlags) infer(c *cobra.Command, in source.Source, d *driver.Driver) (schema.Schema, error) {
	s, err := d.Infer(c.Context(), in)
	if err != nil || f.schema != "" {
		return s, err
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		c.Note = strings.Replace(c.Note, schema.TextNote, fmt.Sprintf("%s: --multi '%s= '", schema.TextNote, c.Name), 1)
	}
	f.tryWithout(c, in, s, d.State.Settings)
	return s, nil
}

// choose goes on in the input behind the rows that were learned, or begins it.
func (f *streamFlags) choose(c *cobra.Command, in source.Source, d *driver.Driver) error {
	how := source.Choice{Again: f.again, Append: f.append}
	if f.compare {
		line := terminal.NewLine(c.ErrOrStderr(), in.Name())
		defer line.Finish()
		how.Compare = func(done, all int64) { line.Count(done, all, "comparing the part that was learned") }
	}
	return d.Choose(c.Context(), in, how)
}

// learn learns the input and prints the score.
func (f *streamFlags) learn(c *cobra.Command, args []string, d *driver.Driver, name string) (err error) {
	if d.Warning != "" {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", d.Warning)
	}
	if d.Learner == nil && d.Replaces == nil && f.predictions != "" { // before a pipe is read
		to := output.Place{Path: f.predictions, Flag: "--predictions", Others: []string{f.schema}, Overwrite: f.overwrite,
			Kind: driver.Kind}
		if err := to.Check(); err != nil {
			return err
		}
	}
	in, err := f.open(c, args, d)
	if err != nil {
		return err
	}
	defer in.Close()
	learned := int64(0)
	defer func() { err = in.Lost(err, learned) }()
	if err := f.choose(c, in, d); err != nil {
		return err
	}
	l, state := d.Learner, d.State
	sayWaiting(c.ErrOrStderr(), d)
	if state.Rows > 0 && !state.Ended {
		fmt.Fprintf(c.ErrOrStderr(), "%s continues after %s of %s\n", name, terminal.Counted(state.Rows, "row"), state.Name())
	}
	if f.rows > 0 && state.Records() > f.rows {
		return errors.Errorf("%s has learned %s of %s, and --rows is %d; give more, or name another file with --model", name,
			terminal.Counted(state.Records(), "row"), state.Name(), f.rows)
	}
	o := driver.Options{Threads: runtime.GOMAXPROCS(0), Every: f.every, Rows: f.rows, Output: f.predictions, Overwrite: f.overwrite,
		Others: slices.Concat(modelFiles(name), in.Paths(), []string{f.schema})}
	show := newShower(c.ErrOrStderr(), in, l)
	live, err := f.show(c, show)
	if err != nil {
		return err
	}
	defer live.close()
	o.Progress, o.Alarm = show.progress, show.alarm
	err = d.Run(c.Context(), o)
	now, saved := d.State, d.Saved
	learned = now.Records()
	show.line.Finish()
	if state.Ended && learned > state.Records() {
		fmt.Fprintf(c.ErrOrStderr(), "%s continues after %s of %s\n", name, terminal.Counted(state.Rows, "row"), state.Name())
	}
	live.finish(err)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.ErrOrStderr(), "stopped after %s; the same command continues from %s\n", terminal.Counted(now.Rows, "row"), name)
		return err
	}
	if err != nil {
		return stopped(err, now.Rows, saved.Rows, name)
	}
	if learned == f.rows && learned > 0 && !now.Ended {
		fmt.Fprintf(c.ErrOrStderr(), "stopped after row %s, as --rows says; the same command without it goes on\n",
			terminal.Grouped(learned))
	}
	if state.Ended && learned == state.Records() && now.Labels == state.Labels && !f.asJSON {
		fmt.Fprintf(c.OutOrStdout(), "%s of %s are learned in %s, and none is new\n", terminal.Counted(now.Rows, "row"), now.Name(), name)
	} else if err = f.print(c, l, in.Aside(), now, ""); !f.asJSON && f.store != "" {
		fmt.Fprintf(c.OutOrStdout(), "\nmodel: %s, %s; `phe serve --store %s` forecasts\n", name, terminal.Counted(l.Rows(), "row"), name)
	} else if !f.asJSON {
		fmt.Fprintf(c.OutOrStdout(), "\nmodel: %s, %s; `phe inspect %s` shows what it learned, `phe predict %s FILE` forecasts\n", name,
			terminal.Counted(l.Rows(), "row"), name, name)
	}
	sayLeftOut(c.ErrOrStderr(), in)
	live.stay(c)
	return err
}

// sayWaiting says how many rows may wait for their labels.
func sayWaiting(w io.Writer, d *driver.Driver) {
	if !d.State.Settings.Late() {
		return
	}
	o := d.Learner.Options()
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // unless GOMEMLIMIT is set: garbage would take as much as the rows
		debug.SetMemoryLimit(o.WaitingBytes + 8*int64(o.Memory) + 128<<20)
	}
	fmt.Fprintf(w, "rows wait for their labels in %s, which hold about %s\n", terminal.Size(int(o.WaitingBytes)),
		terminal.Counted(d.Learner.Room(), "row"))
}

// stopped adds the rows of this run, and the rows that the model's file keeps, to an error.
func stopped(err error, rows, kept int64, name string) error {
	switch {
	case rows == 0:
		return err
	case kept < rows:
		return errors.WithMessagef(err, "stopped after %s; %s keeps %s of them, and the same command learns the others again",
			terminal.Counted(rows, "row"), name, terminal.Grouped(kept))
	default:
		return errors.WithMessagef(err, "stopped after %s, which %s keeps", terminal.Counted(rows, "row"), name)
	}
}

func printJSON(c *cobra.Command, v any) error {
	encoder := json.NewEncoder(c.OutOrStdout())
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return errors.Wrap(encoder.Encode(v), "cannot print JSON")
}
