package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/uci"
	"gophe/phe/backend"
)

// finding is one thing that doctor looked for.
type finding struct {
	What   string `json:"what"`
	Name   string `json:"name"`
	Found  bool   `json:"found"`
	Detail string `json:"detail"`           // where, or why not
	Remedy string `json:"remedy,omitempty"` // the command that brings it
}

func doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "doctor", Short: "Say which backends, plugins, devices and datasets are here, and how to get what is not",
		Example: "  phe doctor\n  phe doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			findings := slices.Concat(backends(), cuda(), datasets())
			if asJSON {
				return printJSON(c.OutOrStdout(), findings)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s, %s/%s, %d cores; --backend auto is %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
				runtime.NumCPU(), backend.Resolve(backend.Auto))
			for _, f := range findings {
				mark := "missing"
				if f.Found {
					mark = "found"
				}
				fmt.Fprintf(c.OutOrStdout(), "%-8s %-8s %-16s %s\n", mark, f.What, f.Name, f.Detail)
				if f.Remedy != "" {
					fmt.Fprintf(c.OutOrStdout(), "%35s%s\n", "→ ", f.Remedy)
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a finding")
	return c
}

// backends opens each backend to see that it works.
func backends() []finding {
	remedies := map[string]string{backend.XLACPU: "make xla", backend.XLACUDA: "make xla-cuda   (needs an NVIDIA GPU and its driver)"}
	var findings []finding
	for _, name := range backend.Names() {
		if name == backend.Auto {
			continue
		}
		f := finding{What: "backend", Name: name, Found: true}
		plugin, _ := backend.Plugin(name)
		if b, err := backend.Open(name); err != nil {
			f.Found, f.Detail, f.Remedy = false, err.Error(), remedies[name]
			if name == backend.XLACUDA && plugin != "" {
				f.Remedy = "see the lines that begin with: missing  cuda"
			}
		} else {
			f.Detail = b.Description()
			if plugin != "" {
				f.Detail += ", plugin " + plugin
			}
			b.Finalize()
		}
		findings = append(findings, f)
	}
	return findings
}

// datasets looks for each declared dataset. MovieLens' files are looked for, not read: ml-32m's take their time.
func datasets() []finding {
	findings := committed()
	for _, s := range ratings.Sources() {
		f := finding{What: "dataset", Name: s.Name}
		if path, err := s.Find(); err != nil {
			f.Detail, f.Remedy = "not part of the checkout, and in none of the folders looked in", s.Remedy()
		} else {
			f.Found, f.Detail = true, path
		}
		findings = append(findings, f)
	}
	return findings
}

// committedRemedy brings back a dataset of the checkout that is missing.
const committedRemedy = "git checkout -- data/uci   or name the file's folder in " + files.PathVariable

// committed looks for the datasets of the checkout.
func committed() []finding {
	var findings []finding
	for _, s := range uci.Sources() {
		f := finding{What: "dataset", Name: s.Name}
		path, err := s.Find()
		if err != nil {
			f.Detail, f.Remedy = err.Error(), committedRemedy
		} else if info, err := os.Stat(path); err != nil {
			f.Detail = err.Error()
		} else if err := s.Verify(); err != nil {
			f.Detail, f.Remedy = err.Error(), "git checkout -- data/uci   or accept it with --allow-altered"
		} else {
			f.Found, f.Detail = true, fmt.Sprintf("%s, %.1f MB", path, float64(info.Size())/1e6)
		}
		findings = append(findings, f)
	}
	return findings
}
