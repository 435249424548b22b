package study

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gophe/experiments/result"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/phe/terminal"
)

func reproduceCommand() *cobra.Command {
	var f computeFlags
	var list bool
	c := &cobra.Command{
		Use:   "reproduce [STUDY…]",
		Short: "Run the experiments of a study that have no result yet",
		Long: "Reproduce runs a study's specs in order. It keeps a finished result of the same spec, data and backend. " +
			"It also keeps a finished\nresult if the data is not here to compare with. " +
			"It computes results that are missing, half done or of another spec.\nCtrl-C stops it, and the same command continues.\n\n" +
			"--list runs nothing. It lists the results of the named studies, or of all studies, and the seconds that each took.\n\n" +
			"Studies: " + names(spec.Studies()) + ".",
		Example: "  phe reproduce classification\n  phe reproduce classification --seeds 1 --out look   one seed of everything\n" +
			"  phe reproduce --list --out experiments/out",
		Args: func(c *cobra.Command, studies []string) error {
			if list {
				return nil
			}
			return named(0, "at least one study ("+strings.Join(spec.Studies(), ", ")+")", "phe reproduce classification")(c, studies)
		},
		ValidArgs: spec.Studies(),
		RunE: func(c *cobra.Command, studies []string) error {
			if list {
				return listStudies(c.OutOrStdout(), studies, f.out)
			}
			if err := f.check(c); err != nil {
				return err
			}
			var specs []spec.Spec
			for _, study := range studies {
				own, err := spec.LoadStudy(study)
				if err != nil {
					return err
				}
				for _, s := range own {
					if f.seeds > 0 {
						s = s.WithSeeds(f.seeds)
					}
					specs = append(specs, s)
				}
			}
			start := time.Now()
			err := f.runAll(c, specs, run.Refresh, func(file *result.File, began time.Time) error {
				took, peak := time.Since(began).Seconds(), file.Manifest.PeakMemoryMB
				_, err := fmt.Fprintf(c.OutOrStdout(), "%-26s %7.1f s   peak memory %5.0f MB\n", file.Name, took, peak)
				return err
			})
			if err == nil {
				fmt.Fprintf(c.OutOrStdout(), "%s in %s after %s\n", terminal.Counted(len(specs), "result"), f.out,
					time.Since(start).Round(time.Second))
			}
			return err
		},
	}
	f.add(c)
	c.Flags().BoolVar(&list, "list", false, "run nothing; list the studies' results and the seconds that each took")
	return c
}

// listStudies prints a line for each result, and the sum of each study's seconds.
func listStudies(w io.Writer, studies []string, folder string) error {
	if len(studies) == 0 {
		studies = spec.Studies()
	}
	results := result.OpenFolder(folder)
	for _, study := range studies {
		specs, err := spec.LoadStudy(study)
		if err != nil {
			return err
		}
		total := 0.0
		for _, spec := range specs {
			f, err := results.Find(spec.Name)
			if err != nil {
				return err
			}
			if f == nil {
				fmt.Fprintf(w, "%-16s %-26s not there\n", study, spec.Name)
				continue
			}
			total += f.Manifest.Seconds
			fmt.Fprintf(w, "%-16s %-26s %-9s %9.1f s\n", study, spec.Name, f.Status, f.Manifest.Seconds)
		}
		fmt.Fprintf(w, "%-16s %-26s %19.1f s\n", study, "in all", total)
	}
	return nil
}
