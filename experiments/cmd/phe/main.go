// Command phe runs the experiments of the Probabilistic Hash Embeddings paper and shows their results.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/cmd/phe/streaming"
	"gophe/experiments/machine"
)

// Exit codes. Shells use 130 for a program that Ctrl-C stopped.
const (
	exitError       = 1
	exitDiverged    = 3 // every run is complete, and a seed of one diverged
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := context.AfterFunc(ctx, func() {
		stop() // from now on the signals end the program
		fmt.Fprintln(os.Stderr, "phe: stopping after the step under way; Ctrl-C again ends at once, and the next start goes on from the last checkpoint")
	})
	err := command().ExecuteContext(ctx)
	done()
	switch {
	case errors.Is(err, context.Canceled):
		os.Exit(exitInterrupted)
	case errors.Is(err, errDiverged):
		fmt.Fprintf(os.Stderr, "phe: %s\n", err)
		os.Exit(exitDiverged)
	case err != nil:
		if os.Getenv("GOPHE_TRACE") != "" {
			fmt.Fprintf(os.Stderr, "phe: %+v\n", err)
		} else {
			fmt.Fprintf(os.Stderr, "phe: %s\n", err)
		}
		os.Exit(exitError)
	}
}

// command builds the tree of commands.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "phe",
		Short: "Probabilistic hash embeddings: run the paper's experiments, see their tables and figures",
		Long: "phe runs the experiments of \"Probabilistic Hash Embeddings for Online Learning of Categorical Features\" (AAAI 2026)\n" +
			"and shows their results beside the paper's.\n\nErrors are one line; set GOPHE_TRACE=1 to see where they come from.",
		Example: "  phe doctor                       what is here, and what is missing\n" +
			"  phe run adult-online --seeds 5   Table 1 and Fig. 3 (left), five seeds\n" +
			"  phe run shop.json                a file of yours: see docs/your-stream.md\n" +
			"  phe sweep shop.json              its hyperparameters, on a part of the initial rows\n" +
			"  phe reproduce classification     the whole classification study\n" +
			"  phe compare                      the results beside the paper's numbers\n" +
			"  phe report                       REPRODUCTION.md, from the results",
		SilenceUsage: true, SilenceErrors: true, Version: machine.Commit(),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(doctorCommand(), dataCommand(), listCommand(), runCommand(), sweepCommand(), reproduceCommand(), tableCommand(), figureCommand(), compareCommand(), reportCommand(), migrateCommand(), benchCommand())
	root.AddCommand(streaming.Commands()...)
	return root
}

// named demands a name or, with several, at least one. The error shows what a call looks like.
func named(what, example string, several bool) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 || len(args) > 1 && !several {
			return errors.Errorf("name %s, as in: %s", what, example)
		}
		return nil
	}
}

// addFolderFlag adds --out, the folder of results.
func addFolderFlag(c *cobra.Command, folder *string, usage string) {
	c.Flags().StringVar(folder, "out", "out", usage)
}
