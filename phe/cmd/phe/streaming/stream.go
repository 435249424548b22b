package streaming

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk/outfile"
	"gophe/phe/live/driver"
	"gophe/phe/live/serve"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/terminal"
)

// choiceFlags say what to do with rows of the input that the model has learned before.
type choiceFlags struct{ again, append, compare bool }

func (f *choiceFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.again, "again", false,
		"learn the input from its first row, even if the model has learned it or has not finished another input")
	flags.BoolVar(&f.append, "append", false,
		"the rows of the pipe are new (default: the pipe begins again, and rows that were learned are skipped)")
	flags.BoolVar(&f.compare, "check", false,
		"compare all of the part that was learned with the file (default: its beginning, its end and a sample)")
}

// choose goes on in the input behind the rows that were learned, or begins it.
func (f *choiceFlags) choose(c *cobra.Command, in source.Source, d *driver.Driver) error {
	how := source.Choice{Again: f.again, Append: f.append}
	if f.compare {
		line := terminal.NewLine(c.ErrOrStderr(), in.Name())
		defer line.Finish()
		how.Compare = func(done, all int64) { line.Count(done, all, "comparing the part that was learned") }
	}
	return d.Choose(c.Context(), in, how)
}

// streamFlags are the flags of `phe stream`.
type streamFlags struct {
	learnFlags
	choiceFlags
	pageFlags
	model     string // file
	forecasts outfile.Place
	every     time.Duration
	rows      int64
	force     bool
}

func streamCommand() *cobra.Command {
	f := &streamFlags{forecasts: outfile.Place{Flag: "--predictions", Kind: driver.Kind}}
	c := &cobra.Command{
		Use:   "stream FILE…|FOLDER|-|nats://HOST/STREAM",
		Short: "Learn a file or a pipe of yours row by row, and keep the model",
		Long: "Stream reads a table (CSV, TSV, JSON lines or Parquet; plain, gzip or zstd) row by row. " +
			"It forecasts the target of each row,\nscores the forecast, and learns the row. " +
			"Memory does not grow with the rows and items. At the end it prints the score.\n\n" +
			"The model is a file in the current folder. After Ctrl-C, a kill or new rows at the end of the input, " +
			"the same command continues.\nIt loses no row and learns none twice. Another input is learned on top of the first.\n\n" +
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
	f.learnFlags.add(c)
	f.choiceFlags.add(c)
	f.pageFlags.add(c)
	f.addComplete(c)
	flags := c.Flags()
	flags.StringVar(&f.model, "model", "", "file for the model (default: the input's name with .phe)")
	flags.StringVar(&f.forecasts.Path, "predictions", "", "file for the forecasts, as CSV")
	flags.BoolVar(&f.forecasts.Overwrite, "overwrite", false, "begin the file of --predictions anew, even if it holds other forecasts")
	flags.DurationVar(&f.every, "checkpoint", 2*time.Second, "time between two checkpoints")
	flags.Int64Var(&f.rows, "rows", 0, "number of the input's last row to learn; the same command without it goes on (default: no limit)")
	flags.BoolVar(&f.force, "force", false, "start again and lose the model")
	flags.BoolVar(&f.follow, "follow", false,
		"wait for new rows of a file or a stream until Ctrl-C; a file may rotate (default: end at the last row)")
	c.MarkFlagsMutuallyExclusive("follow", "complete")
	c.MarkFlagsMutuallyExclusive("follow", "check")
	flags.StringVar(&f.labels, "labels", "", "file, folder or stream that brings the labels later, with the columns of --id and --target, "+
		"and best with a time")
	flags.DurationVar(&f.labelWait, "label-wait", 0, "time for which rows wait while no label comes (default: for ever)")
	flags.StringVar(&f.store, "store", "",
		"keep the model on NATS servers for several machines, such as nats://HOST/NAME; a second program stands by")
	flags.IntVar(&f.replicas, "replicas", 1, "number of servers that keep a new store: 1, or 3 in a cluster")
	flags.BoolVar(&f.showSchema, "show-schema", false, "print the description of the columns as JSON, and stop")
	return c
}

// check returns an error if a flag has no meaning.
func (f *streamFlags) check() error {
	switch {
	case f.rows < 0:
		return errors.Errorf("--rows is %d; give 1 or more, or leave it out", f.rows)
	case f.every <= 0:
		return errors.Errorf("--checkpoint is %v; give a time, such as 2s", f.every)
	}
	return f.learnFlags.check()
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
		if err := (outfile.Place{Path: path, Flag: "--model", Others: modelFiles(name)}).Avoid(); err != nil {
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

// learn learns the input and prints the score.
func (f *streamFlags) learn(c *cobra.Command, args []string, d *driver.Driver, name string) (err error) {
	out, w := c.OutOrStdout(), c.ErrOrStderr()
	if d.Warning != "" {
		fmt.Fprintln(w, "warning:", d.Warning)
	}
	if d.Learner == nil && d.Replaces == nil && f.forecasts.Path != "" { // an error now loses no row of a pipe
		f.forecasts.Others = []string{f.schema}
		if err := f.forecasts.Check(); err != nil {
			return err
		}
	}
	if f.compare && slices.ContainsFunc(append(slices.Clip(args), d.State.Settings.Labels), isStream) {
		return errors.New("--check compares files; a stream is compared by a checksum at each start")
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
	sayWaiting(w, d)
	if state.Rows > 0 && !state.Ended {
		fmt.Fprintf(w, "%s continues after %s of %s\n", name, terminal.Counted(state.Rows, "row"), state.Name())
	}
	if f.rows > 0 && state.Records() > f.rows {
		return errors.Errorf("%s has learned %s of %s, and --rows is %d; give more, or name another file with --model", name,
			terminal.Counted(state.Records(), "row"), state.Name(), f.rows)
	}
	show := newShower(w, in, l)
	live, err := f.show(c, show)
	if err != nil {
		return err
	}
	defer live.close()
	err = d.Run(c.Context(), driver.Options{Threads: runtime.GOMAXPROCS(0), Every: f.every, Rows: f.rows, Output: f.forecasts.Path,
		Overwrite: f.forecasts.Overwrite, Others: slices.Concat(modelFiles(name), in.Paths(), []string{f.schema}),
		Progress: show.progress, Alarm: show.alarm})
	now, saved := d.State, d.Saved
	learned = now.Records()
	show.line.Finish()
	if state.Ended && learned > state.Records() {
		fmt.Fprintf(w, "%s continues after %s of %s\n", name, terminal.Counted(state.Rows, "row"), state.Name())
	}
	live.finish(err)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(w, "stopped after %s; the same command continues from %s\n", terminal.Counted(now.Rows, "row"), name)
		return err
	}
	if err != nil {
		return stopped(err, now, saved.Rows, name)
	}
	if learned == f.rows && learned > 0 && !now.Ended {
		fmt.Fprintf(w, "stopped after row %s, as --rows says; the same command without it goes on\n", terminal.Grouped(learned))
	}
	if state.Ended && learned == state.Records() && now.Labels == state.Labels && !f.asJSON {
		fmt.Fprintf(out, "%s of %s are learned in %s, and none is new\n", terminal.Counted(now.Rows, "row"), now.Name(), name)
	} else if err = f.print(c, l, in.Aside(), now, ""); !f.asJSON && f.store != "" {
		fmt.Fprintf(out, "\nmodel: %[1]s, %[2]s; `phe serve --store %[1]s` forecasts\n", name, terminal.Counted(l.Rows(), "row"))
	} else if !f.asJSON {
		fmt.Fprintf(out, "\nmodel: %s, %s; `phe inspect %[3]s` shows what it learned, `phe predict %[3]s FILE` forecasts\n", name,
			terminal.Counted(l.Rows(), "row"), quoted(name))
	}
	sayLeftOut(w, in)
	live.stay(c)
	return err
}

// sayWaiting prints the memory and the number of rows that may wait for their labels. It limits the memory of the process.
func sayWaiting(w io.Writer, d *driver.Driver) {
	if !d.State.Settings.Late() {
		return
	}
	o := d.Learner.Options()
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // no GOMEMLIMIT; without a limit garbage takes as much as the rows
		debug.SetMemoryLimit(o.WaitingBytes + 8*int64(o.Memory) + 128<<20)
	}
	fmt.Fprintf(w, "rows wait for their labels in %s, which hold about %s\n", terminal.Size(int(o.WaitingBytes)),
		terminal.Counted(d.Learner.Room(), "row"))
}

// stopped adds the input's rows, and those that the model's file keeps, to an error. The model may have rows of other inputs.
func stopped(err error, now driver.State, kept int64, name string) error {
	rows := fmt.Sprintf("%s of %s", terminal.Counted(now.Rows, "row"), now.Name())
	switch {
	case now.Rows == 0:
		return err
	case kept < now.Rows:
		return errors.WithMessagef(err, "stopped after %s; %s keeps %s of them, and the same command learns the others again",
			rows, name, terminal.Grouped(kept))
	default:
		return errors.WithMessagef(err, "stopped after %s, which %s keeps", rows, name)
	}
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
	if path == outfile.Standard {
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
