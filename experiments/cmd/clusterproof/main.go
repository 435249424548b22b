// Command clusterproof proves that many machines share one belief without losing or doubling a row. It starts servers, learners and a
// keeper as processes, kills them with kill -9, and compares the belief with the rows.
//
//	clusterproof drive [-to FILE] [-times N] [SPEC …]   run specs of specs.json, all of them without a name
//	clusterproof size [-to FILE]                        measure deltas of several sizes
//	clusterproof accuracy [-to FILE] [TABLE …]          compare 1, 2, 4 and 8 learners on real tables
//	clusterproof page                                   write the tables of docs/cluster.md from the results in results/
//
// Each run's result goes into FILE beside its spec. The other commands, serve, learn and keep, are the processes that drive starts.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	commands := map[string]func(context.Context, []string) error{"drive": drive, "size": size, "accuracy": accuracy, "page": page, "serve": serve, "learn": learn, "keep": keep}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: clusterproof drive|size|accuracy|page [options]")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "clusterproof %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
