package streaming

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"gophe/experiments/progress"
	"gophe/phe/belief"
	"gophe/phe/checkpoint"
	"gophe/phe/cluster"
	"gophe/phe/feed"
	"gophe/phe/stream"
	"gophe/phe/stream/shared"
)

// share learns an input with several learners in this process. The logs lie in a folder beside the model, so the same command goes on
// after a kill.
func (f *streamFlags) share(c *cobra.Command, path, model string) error {
	if f.delay > 0 || f.predictions != "" || f.again || f.append {
		return errors.New("--learners does not go with --delay, --predictions, --again or --append; leave them out, or learn with one learner")
	}
	folder := model + ".cluster"
	store, err := checkpoint.Open(model) // it keeps other programs out
	if err != nil {
		return err
	}
	defer store.Close()
	if err := f.makeRoom(c, path, store, folder); err != nil {
		return err
	}
	server, err := cluster.Server{Name: "phe", Folder: folder, Log: logTo(c)}.Start()
	if err != nil {
		return err
	}
	defer server.Close()
	log, err := cluster.ConnectInProcess(c.Context(), server, cluster.Options{Name: sharedName, Log: logTo(c)})
	if err != nil {
		return err
	}
	defer log.Close()
	rows, err := f.rows(c, log, path, f.learners, 0)
	if err != nil {
		return err
	}
	defer rows.in.Close()
	s := sharing{store: store, log: log, rows: rows, line: progress.NewLine(c.ErrOrStderr(), path)}
	err = s.run(c.Context(), f.learners)
	s.line.Finish()
	if err != nil {
		if errors.Is(err, context.Canceled) {
			fmt.Fprintf(c.ErrOrStderr(), "stopped; the same command continues from %s\n", folder)
		}
		return err
	}
	rows.said(c)
	return s.close(c, f.asJSON)
}

// makeRoom returns an error if the model's file has rows that the shared model lacks. With --force it puts the old logs away, once the input
// and the flags have proved good.
func (f *streamFlags) makeRoom(c *cobra.Command, path string, store *checkpoint.Store, folder string) error {
	if f.force {
		in, err := openSource(path, &f.inputFlags, nil)
		if err != nil {
			return err
		}
		defer in.Close()
		if _, err := f.infer(in); err != nil {
			return err
		}
		old := folder + ".old"
		if err := os.RemoveAll(old); err != nil {
			return errors.Wrap(err, "removing the logs of an earlier --force")
		}
		if err := os.Rename(folder, old); err == nil {
			fmt.Fprintf(c.ErrOrStderr(), "the logs of the old model are in %s\n", old)
		} else if !errors.Is(err, os.ErrNotExist) {
			return errors.Wrap(err, "putting the old logs away")
		}
		return nil
	}
	loaded, err := store.Load(feed.Kind)
	if errors.Is(err, checkpoint.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	_, state, err := feed.Load(loaded.Payload)
	if err != nil {
		return errors.WithMessagef(err, "the model %s", store.Path())
	}
	if state.Shared != sharedName || state.Served != nil {
		return errors.Errorf("the model %s has learned rows without several learners; name another file with --model, or start again with --force", store.Path())
	}
	return nil
}

// sharedName is the name of the shared model in the folder of a run with several learners.
const sharedName = "stream"

// sharing is a run of several learners in one process.
type sharing struct {
	store    *checkpoint.Store
	log      *cluster.Log
	rows     *rowFeeder
	line     *progress.Line
	follower *cluster.Follower
	learners []*cluster.Learner
	began    time.Time
	before   uint64 // rows that were learned before this run
}

// run feeds and learns until all rows of the input are in the belief.
func (s *sharing) run(ctx context.Context, learners int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	work, ctx := errgroup.WithContext(ctx)
	s.began = time.Now()
	for i := range learners {
		follower, err := s.log.Follow(ctx, shared.Open)
		if err != nil {
			stop()
			if failed := work.Wait(); failed != nil { // it may have ended the context
				return failed
			}
			return err
		}
		if i == 0 {
			s.follower = follower
			follower.Read(func(b *belief.State) { s.before = b.Rows })
			keeper := cluster.NewKeeper(follower, 5*time.Second)
			work.Go(func() error { return ended(ctx, keeper.Run(ctx)) })
		}
		l := cluster.NewLearner(follower, learners)
		s.learners = append(s.learners, l)
		work.Go(func() error { return ended(ctx, l.Run(ctx)) })
	}
	work.Go(func() error {
		defer stop() // all roles end with the input
		if err := s.rows.feed(ctx, s.log); err != nil {
			return err
		}
		return s.wait(ctx)
	})
	return work.Wait()
}

// wait shows the progress until all rows are learned.
func (s *sharing) wait(ctx context.Context) error {
	all := make(chan error, 1)
	go func() { all <- s.follower.WaitAll(ctx) }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-all:
			return err
		case <-tick.C:
			m := s.follower.Metrics()
			s.line.Update(float64(m.Rows)/float64(max(s.rows.fed, 1)), fmt.Sprintf("%s rows, %s rows/s", stream.Grouped(int64(m.Rows)), stream.Grouped(int64(m.RowsASec))))
		}
	}
}

// close writes the model, and prints the score and the work of the learners.
func (s *sharing) close(c *cobra.Command, asJSON bool) error {
	model := s.store.Path()
	took := time.Since(s.began)
	var busy time.Duration
	atWork, stale, counted := 0.0, uint64(0), uint64(0)
	for _, l := range s.learners {
		m := l.Metrics()
		atWork += m.AtWork()
		busy += m.Busy
		stale, counted = stale+m.Stale, counted+m.Counted
	}
	return read(s.follower, func(b *belief.State, l *stream.Learner) error {
		if err := saveCopy(s.store, sharedName, l); err != nil {
			return err
		}
		if asJSON {
			return printJSON(c, l.Report())
		}
		w := c.OutOrStdout()
		fmt.Fprint(w, l.Report())
		printFold(w, b)
		if rows := b.Rows - s.before; rows > 0 && busy > 0 {
			each := float64(rows) / busy.Seconds()
			fmt.Fprintf(w, "%d learners, %.1f at work on average, %.0f %% of their chunks stale; %s rows/s together\n", len(s.learners), atWork,
				100*float64(stale)/float64(max(stale+counted, 1)), stream.Grouped(int64(float64(rows)/took.Seconds())))
			fmt.Fprintf(w, "one learner learns %s rows/s here; if rows come more slowly, it is enough: leave out --learners\n", stream.Grouped(int64(each)))
		}
		fmt.Fprintf(w, "\nmodel: %s, %s rows; `phe inspect %s` shows what it learned, `phe predict %s FILE` forecasts\n", model, stream.Grouped(l.Rows()), model, model)
		return nil
	})
}
