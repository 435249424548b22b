package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gophe/experiments"
	"gophe/experiments/result"
)

func reproduceCommand() *cobra.Command {
	var f computeFlags
	c := &cobra.Command{
		Use:   "reproduce STUDY…",
		Short: "Run all experiments of a study that are not there yet: " + strings.Join(experiments.Studies(), ", "),
		Long: "Reproduce runs a study's specs in order. What is finished, of the same spec and data on the same backend, stays as it is;\n" +
			"what is missing, half done or of another spec is computed. Stop it with Ctrl-C and start it again at will.",
		Example: "  phe reproduce classification\n  phe reproduce classification --seeds 1 --out look   one seed of everything",
		Args:    cobra.MinimumNArgs(1), ValidArgs: experiments.Studies(),
		RunE: func(c *cobra.Command, studies []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			var specs []experiments.Spec
			for _, study := range studies {
				own, err := experiments.LoadStudy(study)
				if err != nil {
					return err
				}
				specs = append(specs, own...)
			}
			for i := range specs {
				if f.seeds > 0 {
					specs[i] = specs[i].WithSeeds(f.seeds)
				}
			}
			start := time.Now()
			o := experiments.Options{Out: f.out, Refresh: true, AllowAltered: f.altered}
			err := runAll(c, specs, f.backend, o, func(file *result.File, took time.Duration) error {
				_, err := fmt.Fprintf(c.OutOrStdout(), "%-26s %7.1f s   peak memory %5.0f MB\n", file.Name, took.Seconds(), file.Manifest.PeakMemoryMB)
				return err
			})
			if err == nil {
				fmt.Fprintf(c.OutOrStdout(), "%d results in %s after %s\n", len(specs), f.out, time.Since(start).Round(time.Second))
			}
			return err
		},
	}
	f.add(c)
	return c
}
