package streaming

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/data/records"
	"gophe/experiments/run/progress"
	"gophe/phe/internal/fold"
	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	"gophe/phe/live/log"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// chunkRows is the default number of rows of a chunk. A patch has a cost of its own, so a chunk is large.
const chunkRows = 1000

// clusterFeedFlags are the flags of `phe cluster feed`.
type clusterFeedFlags struct {
	streamFlags
	natsFlags
	rows int // of a chunk
}

func clusterFeedCommand() *cobra.Command {
	f := &clusterFeedFlags{}
	c := f.natsFlags.command(&cobra.Command{
		Use:   "feed FILE|-",
		Short: "Append the rows of a file or a pipe to the log of a shared model",
		Long: "Feed appends rows to the log of a shared model. The first feed begins the model: it finds out the columns as phe stream does. After a\n" +
			"kill, or when the input has grown, the same command continues after the last row of the log. A model has one feeder at a time: a new\n" +
			"one takes the log over, and the one before it ends.",
		Example: "  phe cluster feed sales.csv --target bought --name sales\n" +
			"  tail -F -n +1 log.csv | phe cluster feed - --target price --as number --name prices\n" +
			"  phe cluster feed ratings.csv --target rating --name ratings --replicas 3",
		Args:    oneFile("phe cluster feed sales.csv --target bought --name sales"),
		PreRunE: func(*cobra.Command, []string) error { return f.check() },
	}, 0, f.run)
	f.inputFlags.add(c)
	f.addComplete(c)
	f.schemaFlags.add(c)
	f.modelFlags.add(c)
	flags := c.Flags()
	flags.StringVar(&f.where, "where", "", "feed only rows that meet a condition, such as 'Quantity>0'")
	flags.StringVar(&f.bad, "bad", stopBad, "what to do with a row that cannot be learned: stop or skip")
	flags.IntVar(&f.replicas, "replicas", 1, "number of servers that store the logs of a new model: 1, or 3 in a cluster")
	flags.IntVar(&f.rows, "chunk", chunkRows, "rows of a chunk of a new model")
	return c
}

// check returns an error if a flag has no meaning.
func (f *clusterFeedFlags) check() error {
	if f.rows < 1 {
		return errors.Errorf("--chunk is %d; give at least 1 row", f.rows)
	}
	return f.streamFlags.check()
}

// run feeds the rows of a file.
func (f *clusterFeedFlags) run(c *cobra.Command, log *cluster.Log, args []string) error {
	path := args[0]
	r, err := f.feeder(c, log, path, f.rows)
	if err != nil {
		return err
	}
	defer r.in.Close()
	line := progress.NewLine(c.ErrOrStderr(), path)
	err = r.feed(c.Context(), log, func() {
		read, size := r.in.Progress()
		line.Count(read, size, stream.Counted(r.fed, "row")+" fed")
	})
	line.Finish()
	fmt.Fprintf(c.ErrOrStderr(), "%s: the log has the first %s of the input\n", f.name, stream.Counted(r.fed, "row"))
	for why, text := range []string{outside: "did not meet the condition", unlabelled: "had no target or no weight",
		bad: "could not be learned: left out"} {
		if n := r.counts[why].Load(); n > 0 {
			fmt.Fprintf(c.ErrOrStderr(), "%s %s\n", stream.Counted(n, "row"), text)
		}
	}
	sayUnfinished(c.ErrOrStderr(), r.in)
	sayColumns(c.ErrOrStderr(), r.in)
	return err
}

// rowFeeder packs the records of an input into chunks.
type rowFeeder struct {
	name    string // of the shared model
	in      *log.Source
	learner *stream.Learner // new; it checks records
	skipBad bool
	size    int // rows of a chunk

	read   func() (log.Entry, error, bool) // of the input
	at     int64                           // number of the record that was read last
	fed    uint64                          // rows of the log
	counts [4]atomic.Int64                 // records of the input by their use, except fed
	ended  error                           // why the input has ended
}

// use says what becomes of a record.
type use int

const (
	fed        use = iota
	outside        // it does not meet the condition
	unlabelled     // it has no target
	bad            // it cannot be learned
)

// feeder returns the feeder of an input. It begins the shared model with chunks of some rows, unless the model exists. With chunks of no
// rows the model must exist.
func (f *clusterFeedFlags) feeder(c *cobra.Command, log *cluster.Log, path string, chunk int) (*rowFeeder, error) {
	r := &rowFeeder{name: f.name, skipBad: f.bad == skipBad}
	start, err := log.Start(c.Context(), shared.Open)
	switch {
	case err == nil:
		err = f.rejoin(c, r, start, path)
	case errors.Is(err, cluster.ErrMissing) && chunk > 0:
		err = f.create(c, log, r, path, chunk)
	}
	return r, err
}

// create begins the shared model with the columns of the input.
func (f *clusterFeedFlags) create(c *cobra.Command, log *cluster.Log, r *rowFeeder, path string, chunk int) (err error) {
	if err = f.readGiven(); err == nil {
		r.in, err = f.open(c.Context(), []string{path}, f.where, f.given, true)
	}
	if err != nil {
		return err
	}
	var b *shared.Belief
	if r.learner, err = f.learner(c, r.in); err == nil {
		b, err = shared.New(r.learner, chunk, f.said(c))
	}
	if err == nil {
		err = log.Create(c.Context(), &fold.State{Belief: b})
	}
	if r.size = chunk; err != nil {
		r.in.Close()
	}
	return r.in.Lost(err, 0)
}

// rejoin reads the input with the columns of the model that exists.
func (f *clusterFeedFlags) rejoin(c *cobra.Command, r *rowFeeder, start *fold.State, path string) error {
	l, b, err := learnerOf(start)
	if err != nil {
		return err
	}
	if err := fits(b.Flags, f.said(c)); err != nil {
		return errors.WithMessagef(err, "the shared model %s already exists; take another --name", f.name)
	}
	if where, was := b.Flags["where"]; was { // the model keeps it, so it need not be given again
		f.where = string(where)
	}
	r.learner, r.size = l, b.Rows
	r.in, err = f.open(c.Context(), []string{path}, f.where, &l.Schema, true)
	return err
}

// next returns the next record that belongs to the stream, or io.EOF. It counts the records before it.
func (r *rowFeeder) next(ctx context.Context) (schema.Record, error) {
	if r.read == nil {
		r.read, _ = iter.Pull2(r.in.Read(context.WithoutCancel(ctx), nil)) // it ends with the program
	}
	for ctx.Err() == nil {
		e, err, more := r.read()
		if e.Waits {
			continue
		}
		if !more {
			err = io.EOF
		}
		r.at++
		record, u := e.Record, fed
		if e.Bad != nil {
			err = e.Bad
		}
		if err == nil {
			u, err = r.useOf(record)
		}
		if errors.As(err, new(*records.RecordError)) || errors.As(err, new(*schema.FieldError)) {
			if !r.skipBad {
				return nil, errors.WithMessagef(err, "record %d", r.at)
			}
			u, err = bad, nil
		}
		if err != nil || u == fed {
			return record, err
		}
		r.counts[u].Add(1)
	}
	return nil, ctx.Err()
}

// useOf tells whether a record meets the condition and has a target.
func (r *rowFeeder) useOf(record schema.Record) (use, error) {
	if bytes := size(record); bytes > maxRow {
		return bad, &records.RecordError{File: r.in.Path, Record: r.at,
			Problem: fmt.Sprintf("it has %d bytes, and a shared model takes at most %d", bytes, maxRow), Remedy: "shorten it, or skip such rows (--bad skip)"}
	}
	if r.in.Keep != nil && !r.in.Keep(record) {
		return outside, nil
	}
	if labelled, err := r.learner.Check(record); err != nil || labelled {
		return fed, err
	}
	return unlabelled, nil
}

// feed appends the input's records after the records of the log. It calls progress after each chunk.
func (r *rowFeeder) feed(ctx context.Context, log *cluster.Log, progress func()) error {
	ctx, stop := context.WithCancel(ctx)
	var rows <-chan row
	defer func() {
		stop()
		if rows != nil && r.in.Seekable() { // a pipe may be silent for long
			for range rows {
			}
		}
	}()
	return log.Feed(ctx, func(chunk uint64) ([]byte, error) {
		if rows == nil {
			if err := r.resume(ctx, log, chunk-1); err != nil {
				return nil, err
			}
			rows = r.readOn(ctx)
		}
		c, err := r.gather(ctx, rows)
		if len(c.Records) == 0 {
			return nil, err // io.EOF at the end of the input
		}
		r.fed += uint64(len(c.Records))
		progress()
		return c.MarshalBinary()
	})
}

// row is a record that belongs to the stream, or the error that ends the input.
type row struct {
	record schema.Record
	err    error
}

// readOn reads the input ahead, up to a chunk.
func (r *rowFeeder) readOn(ctx context.Context) <-chan row {
	rows := make(chan row, r.size)
	go func() {
		defer close(rows)
		for {
			record, err := r.next(ctx)
			if ctx.Err() != nil {
				return
			}
			select {
			case rows <- row{slices.Clone(record), err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return rows
}

const (
	patience = time.Second // longest time that a row waits for its chunk to fill
	maxChunk = 1 << 20     // bytes of a chunk's fields that end it
	maxRow   = 4 << 20     // bytes of a row's fields; a message has a largest size
)

// size returns the number of bytes of a record's fields.
func size(record schema.Record) (bytes int) {
	for _, field := range record {
		bytes += len(field)
	}
	return bytes
}

// gather returns a full chunk, or the records that have come since its first one for a time. An empty chunk has an error.
func (r *rowFeeder) gather(ctx context.Context, rows <-chan row) (c shared.Chunk, err error) {
	c.First = r.fed
	var late <-chan time.Time
	for bytes := 0; r.ended == nil && len(c.Records) < r.size && bytes < maxChunk; {
		select {
		case now, open := <-rows:
			switch {
			case !open:
				return shared.Chunk{}, ctx.Err()
			case now.err != nil:
				r.ended = now.err
			default:
				if late == nil {
					late = time.After(patience)
				}
				c.Records = append(c.Records, now.record)
				bytes += size(now.record)
			}
		case <-late:
			return c, nil
		case <-ctx.Done():
			return shared.Chunk{}, ctx.Err()
		}
	}
	return c, r.ended
}

// resume skips the records that the log has. The last chunk of the log must have the same records as the input.
func (r *rowFeeder) resume(ctx context.Context, log *cluster.Log, chunks uint64) error {
	if chunks == 0 {
		return nil
	}
	body, err := log.Chunk(ctx, chunks)
	if err != nil {
		return err
	}
	c, _, err := shared.ParseChunk(body)
	if err != nil {
		return errors.WithMessagef(err, "chunk %d", chunks)
	}
	return r.match(ctx, c)
}

// match skips the records of the input up to the end of a chunk of the log. The chunk must have the same records as the input.
func (r *rowFeeder) match(ctx context.Context, c shared.Chunk) error {
	for total := c.First + uint64(len(c.Records)); r.fed < total; r.fed++ {
		record, err := r.next(ctx)
		if err == io.EOF {
			return errors.Errorf("%s ends after %d rows, and %d rows of the model %s are in the log; give the same input, or take another --name",
				r.in.Path, r.fed, total, r.name)
		}
		if err != nil {
			return err
		}
		if r.fed >= c.First && !slices.Equal(record, c.Records[r.fed-c.First]) {
			return errors.Errorf("row %d of %s differs from row %d of the model %s; give the same input, or take another --name",
				r.fed+1, r.in.Path, r.fed+1, r.name)
		}
	}
	return nil
}
