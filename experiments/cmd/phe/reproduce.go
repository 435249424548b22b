package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments"
	"gophe/experiments/result"
	"gophe/phe/backend"
)

func reproduceCommand() *cobra.Command {
	var o experiments.Options
	var backendName string
	var seeds int
	c := &cobra.Command{
		Use:   "reproduce STUDY…",
		Short: "Run all experiments of a study that are not there yet: " + strings.Join(experiments.Studies(), ", "),
		Long: "Reproduce runs a study's specs in order. What is finished, of the same spec and data on the same backend, stays as it is;\n" +
			"what is missing, half done or of another spec is computed. Stop it with Ctrl-C and start it again at will.",
		Example: "  phe reproduce classification\n  phe reproduce classification --seeds 1 --out look   one seed of everything",
		Args:    cobra.MinimumNArgs(1), ValidArgs: experiments.Studies(),
		RunE: func(c *cobra.Command, studies []string) error {
			if c.Flags().Changed("seeds") && seeds < 1 {
				return errors.Errorf("--seeds is %d; give at least 1", seeds)
			}
			var specs []experiments.Spec
			for _, study := range studies {
				own, err := experiments.LoadStudy(study)
				if err != nil {
					return err
				}
				specs = append(specs, own...)
			}
			if seeds > 0 {
				for i := range specs {
					specs[i] = specs[i].WithSeeds(seeds)
				}
			}
			start := time.Now()
			o.Refresh = true
			err := runAll(c, specs, backendName, o, func(f *result.File, took time.Duration) error {
				_, err := fmt.Fprintf(c.OutOrStdout(), "%-26s %7.1f s   peak memory %5.0f MB\n", f.Name, took.Seconds(), f.Manifest.PeakMemoryMB)
				return err
			})
			if err == nil {
				fmt.Fprintf(c.OutOrStdout(), "%d results in %s after %s\n", len(specs), o.Out, time.Since(start).Round(time.Second))
			}
			return err
		},
	}
	c.Flags().IntVar(&seeds, "seeds", 0, "run seeds 0 … N−1 in place of the specs' own")
	c.Flags().StringVar(&backendName, "backend", backend.Auto, "auto (XLA on CPU where its plugin is installed, else pure Go), go, xla:cpu or xla:cuda")
	addFolderFlag(c, &o.Out, "folder for result files")
	c.Flags().BoolVar(&o.AllowAltered, "allow-altered", false, "accept a data file whose checksum is not the declared one; the result says so")
	return c
}
