package streaming

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk"
	"gophe/phe/internal/fold"
	"gophe/phe/internal/text"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/cluster"
	"gophe/phe/live/cluster/shared"
	rows "gophe/phe/live/log"
	"gophe/phe/stream"
)

func clusterStatusCommand() *cobra.Command {
	f := &natsFlags{}
	var asJSON bool
	c := f.command(&cobra.Command{
		Use: "status", Short: "Show the logs, checkpoints, learners and copies of a shared model",
		Example: "  phe cluster status --name sales\n  phe cluster status --name sales --json",
	}, questionPatience, func(c *cobra.Command, log *cluster.Log, _ []string) error {
		s, err := log.Status(c.Context())
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(c, s)
		}
		printStatus(c.OutOrStdout(), s)
		return nil
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printStatus(w io.Writer, s *cluster.Status) {
	more := "more may come"
	if s.Ended {
		more = "the input has ended"
	}
	fmt.Fprintf(w, "%s\n  rows:          %s, %s; %s\n", s.Name, stream.Counted(s.Chunks, "chunk"), megabytes(s.RowsBytes), more)
	fmt.Fprintf(w, "  contributions: %d to %d, %s\n", s.First, s.Contributions, megabytes(s.LogBytes))
	saved := "none"
	if !s.Saved.IsZero() {
		saved = fmt.Sprintf("after contribution %d, %s old; %s to follow", s.Checkpoint, time.Since(s.Saved).Round(time.Second),
			stream.Counted(s.Behind, "contribution"))
	}
	fmt.Fprintf(w, "  checkpoint:    %s\n", saved)
	fmt.Fprintf(w, "  learners:      %s in hand, %d waiting, %d given out again\n", stream.Counted(s.Learners.InHand, "chunk"),
		s.Learners.Waiting, s.Learners.Redelivered)
	fmt.Fprintf(w, "  copies:        %d", s.Replicas)
	if s.Leader != "" {
		fmt.Fprintf(w, "; leader %s", s.Leader)
	}
	for _, p := range s.Peers {
		state := "whole"
		if !p.Current {
			state = stream.Counted(p.Lag, "message") + " behind"
		}
		fmt.Fprintf(w, "; %s %s", p.Name, state)
	}
	fmt.Fprintln(w)
}

func megabytes(n uint64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func clusterReplayCommand() *cobra.Command {
	f := &natsFlags{}
	var model string
	var force bool
	c := f.command(&cobra.Command{
		Use: "replay", Short: "Fold the log of a shared model from its beginning, and show the score",
		Long: "Replay folds the whole log of contributions from its beginning, without a checkpoint. It prints the score of the model. With --model it\n" +
			"also writes the model as a file, for phe predict, phe inspect and phe serve.",
		Example: "  phe cluster replay --name sales --model sales.phe",
	}, questionPatience, func(c *cobra.Command, log *cluster.Log, _ []string) error {
		s, err := log.Replay(c.Context(), shared.Open)
		if err != nil {
			return err
		}
		l, _, err := learnerOf(s)
		if err != nil {
			return err
		}
		if model != "" {
			if err := writeModel(model, f.name, l, force); err != nil {
				return err
			}
		}
		_ = printReport(c.OutOrStdout(), l.Report(), rows.State{})
		v := s.Verdicts
		fmt.Fprintf(c.OutOrStdout(), "\n%s: %d counted, %d repeated, %d refused; fingerprint %016x\n",
			stream.Counted(s.Position, "contribution"), v[fold.Counted], v[fold.Repeated], v[fold.Refused], s.Fingerprint)
		return nil
	})
	c.Flags().StringVar(&model, "model", "", "file for the model")
	c.Flags().BoolVar(&force, "force", false, "replace the file of --model")
	return c
}

// writeModel writes a model file that says which shared model it is a copy of.
func writeModel(path, name string, l *stream.Learner, force bool) error {
	store, err := checkpoint.Open(disk.System, path)
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := checkpoint.Peek(path); !force && err == nil {
		return errors.Errorf("the model %s already exists; name another file with --model, or replace it with --force", path)
	}
	state := rows.State{Input: rows.Input{Name: text.Name("shared model " + name)}, Rows: l.Rows(), Ended: true, Shared: name}
	return store.Save(func(w io.Writer) error { return l.Write(w, state) })
}

func clusterForgetCommand() *cobra.Command {
	f := &natsFlags{}
	return f.command(&cobra.Command{
		Use: "forget-checkpoint", Short: "Forget the newest checkpoint of a shared model, such as a damaged one",
		Long:    "Forget-checkpoint deletes the pointer to the newest checkpoint. Nothing is lost: the next follower folds the log from its beginning, and\nthe next keeper stores a new checkpoint.",
		Example: "  phe cluster forget-checkpoint --name sales",
	}, questionPatience, func(c *cobra.Command, log *cluster.Log, _ []string) error { return log.ForgetCheckpoint(c.Context()) })
}

func clusterVerifyCommand() *cobra.Command {
	f := &clusterFeedFlags{}
	c := f.natsFlags.command(&cobra.Command{
		Use: "verify [FILE|-]", Short: "Prove that a shared model has each row of its log once",
		Long: "Verify folds the whole log from its beginning, and the newest checkpoint with the contributions after it, and compares both bit for bit.\n" +
			"It also counts the rows of the log, and compares the sum of their fingerprints with that of the model. It returns an error unless all agree.\n" +
			"With the input that was fed it compares each row of the log with the input, too.",
		Example: "  phe cluster verify --name sales\n  phe cluster verify sales.csv --name sales",
		Args:    cobra.MaximumNArgs(1),
		PreRunE: func(*cobra.Command, []string) error { return f.streamFlags.check() },
	}, questionPatience, f.verify)
	f.inputFlags.add(c)
	f.addComplete(c)
	c.Flags().StringVar(&f.bad, "bad", stopBad, "what the feeder did with a row that cannot be learned: stop or skip")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return c
}

// verify proves the rows of the log, and compares them with an input if there is one.
func (f *clusterFeedFlags) verify(c *cobra.Command, log *cluster.Log, inputs []string) error {
	var input *rowFeeder
	for _, path := range inputs {
		var err error
		if input, err = f.feeder(c, log, path, 0); err != nil {
			return err
		}
		defer input.in.Close()
	}
	v, wrong := log.Verify(c.Context(), shared.Open, inOrder(c.Context(), input))
	if v == nil {
		return wrong
	}
	w := c.OutOrStdout()
	if f.asJSON {
		w = c.ErrOrStderr()
		if err := printJSON(c, v); err != nil {
			return err
		}
	} else {
		printVerification(w, v)
	}
	if wrong != nil {
		return wrong
	}
	if input == nil {
		fmt.Fprintln(c.ErrOrStderr(), "verify cannot know whether the rows of the log are the rows of your input; name the input, and it compares them")
		return nil
	}
	fmt.Fprintf(w, "input:       the log has the same %s as %s\n", stream.Counted(input.fed, "row"), input.in.Path)
	if _, err := input.next(c.Context()); err != io.EOF {
		fmt.Fprintf(c.ErrOrStderr(), "%s has more rows, which were not fed to %s\n", input.in.Path, f.name)
	}
	return nil
}

// inOrder counts the rows of one chunk after another. Each chunk must begin where the one before it ended, and have the rows of the input.
func inOrder(ctx context.Context, input *rowFeeder) func(chunk []byte) (rows, fingerprint uint64, err error) {
	var row uint64
	return func(body []byte) (rows, fingerprint uint64, err error) {
		chunk, fingerprint, err := shared.ParseChunk(body)
		if err != nil {
			return 0, 0, err
		}
		if chunk.First != row {
			return 0, 0, errors.Errorf("it begins with row %d, and row %d comes next: two feeders mixed their rows, and the model has learned wrong ones; "+
				"feed and learn the rows again under another --name", chunk.First+1, row+1)
		}
		row += uint64(len(chunk.Records))
		if input != nil {
			if err := input.match(ctx, chunk); err != nil {
				return 0, 0, err
			}
		}
		return uint64(len(chunk.Records)), fingerprint, nil
	}
}

func printVerification(w io.Writer, v *cluster.Verification) {
	fmt.Fprintf(w, "%s: %d counted, %d repeated, %d refused\n", stream.Counted(v.Position, "contribution"), v.Counted, v.Repeated, v.Refused)
	fmt.Fprintf(w, "chunks:      %d learned of %d fed\n", v.Learned, v.Chunks)
	fmt.Fprintf(w, "rows:        %s in the model, %s in the log\n", stream.Grouped(int64(v.Rows)), stream.Grouped(int64(v.RowsFed)))
	fmt.Fprintf(w, "fingerprint: %016x in the model, %016x in the log\n", v.Fingerprint, v.FingerprintFed)
	fmt.Fprintf(w, "checkpoint (after contribution %d) and the rest of the log equal a replay from the beginning, bit for bit: %t\n", v.Checkpoint, v.SameBytes)
}
