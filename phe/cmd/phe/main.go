// Command phe learns a table row by row, and runs the experiments of the Probabilistic Hash Embeddings paper.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gophe/phe/cmd/phe/streaming"
	"gophe/phe/cmd/phe/study"
	"gophe/phe/remedy/nearest"
	"gophe/phe/terminal"
)

// Exit codes. Shells use 130 for a program that Ctrl-C stopped.
const (
	exitError       = 1
	exitDiverged    = 3 // every run is complete, and a seed diverged
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	root, stderr, stdout := command(), terminal.Screen(os.Stderr), terminal.Screen(os.Stdout)
	var lost error // of writing the output, as to a full disk
	if root.SetOut(stdout); terminal.Of(stdout) == nil {
		root.SetOut(writer(func(p []byte) (int, error) {
			n, err := stdout.Write(p)
			lost = cmp.Or(lost, err)
			return n, err
		}))
	}
	root.SetErr(stderr)
	done := func() bool { return true }
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		done = context.AfterFunc(ctx, func() {
			stop() // a second signal ends the program
			first, then := stopping(c)
			fmt.Fprintf(stderr, "phe: stopping%s; a second Ctrl-C ends at once%s\n", first, then)
		})
	}
	err := root.ExecuteContext(ctx)
	done()
	err = cmp.Or(err, errors.Wrap(lost, "cannot write the output; free some space on the disk"))
	os.Exit(ending(err, stderr))
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// ending writes the error of a command, and returns the exit code.
func ending(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	text := terminal.Shown(stderr, err.Error())
	if os.Getenv("GOPHE_TRACE") != "" {
		text = fmt.Sprintf("%+v", err)
	}
	fmt.Fprintln(stderr, "phe:", text)
	if errors.Is(err, study.ErrDiverged) {
		return exitDiverged
	}
	return exitError
}

// command builds the tree of commands.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "phe",
		Short: "Probabilistic hash embeddings: learn a stream of your own, or run the paper's experiments",
		Long: "phe learns from tables whose names never stop coming: users, products, postcodes. " +
			"It implements \"Probabilistic Hash Embeddings for\nOnline Learning of Categorical Features\" (AAAI 2026). " +
			"`phe stream` learns a file of yours row by row. The other commands run the\n" +
			"paper's experiments and show the results next to the paper's.\n\n" +
			"Errors are one line; set GOPHE_TRACE=1 to see where they come from.",
		Example: "  phe stream sales.csv --target bought   a file of yours, row by row: see docs/first-hour.md\n" +
			"  phe run shop.json                      the paper's methods on a file of yours\n" +
			"  phe doctor                             check this machine, and list missing parts\n" +
			"  phe run adult-online                   Table 1 and Fig. 3 (left): five seeds of Adult\n" +
			"  phe sweep adult-online                 search hyperparameters on a part of the initial rows\n" +
			"  phe reproduce classification           the whole classification study\n" +
			"  phe compare --out experiments/out      the committed results next to the paper's numbers",
		SilenceUsage: true, SilenceErrors: true, Version: version(),
		Args: streaming.NoCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddGroup(&cobra.Group{ID: "stream", Title: "A stream of your own:"},
		&cobra.Group{ID: study.Group, Title: "The paper's experiments:"})
	for _, c := range streaming.Commands() {
		c.GroupID = "stream"
		root.AddCommand(c)
	}
	root.AddCommand(study.Commands()...)
	return root
}

// flagError returns the error about a flag. For an unknown flag it suggests one of the command's.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if best := nearest.Name(unknown.GetSpecifiedName(), known); best != "" {
			return errors.Errorf("%s; did you mean --%s?", err, best)
		}
	}
	return errors.Errorf("%s; `%s --help` lists the flags", err, c.CommandPath())
}

// stopping describes the effect of the first signal on a command, and the next start after a second one.
func stopping(c *cobra.Command) (first, next string) {
	switch c.Name() {
	case "stream":
		return "", ", and the same command continues from the last checkpoint"
	case "feed":
		return "", ", and the same command goes on behind the stream's last row"
	case "reproduce":
		return " after the current step", ", and the same command continues from the last checkpoint"
	case "run", "sweep":
		return " after the current step", ", and --resume continues from the last checkpoint"
	}
	return "", ""
}
