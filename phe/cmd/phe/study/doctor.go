package study

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/uci"
	"gophe/experiments/bench"
	"gophe/experiments/result/machine"
	"gophe/experiments/table"
	"gophe/phe/learn/backend"
	"gophe/phe/terminal"
)

// finding is one thing that `phe doctor` looked for.
type finding struct {
	What   string `json:"what"`
	Name   string `json:"name"`
	Found  bool   `json:"found"`
	Detail string `json:"detail"`           // the place, or the reason why it is missing
	Remedy string `json:"remedy,omitempty"` // the command that installs or restores it
}

func doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "doctor", Short: "Check backends, plugins, devices and data sets, and say how to install missing ones",
		Example: "  phe doctor\n  phe doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			findings := slices.Concat(backends(), cuda(), datasets())
			if slices.ContainsFunc(findings, func(f finding) bool { return f.Found && f.Name == backend.XLACUDA }) {
				findings = append(findings, bothWays(backend.XLACUDA, "850", "20"))
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), findings)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s, %s/%s, %s; --backend auto is %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
				terminal.Counted(runtime.NumCPU(), "core"), backend.Resolve(backend.Auto))
			for _, f := range findings {
				mark := "missing"
				if f.Found {
					mark = "found"
				}
				fmt.Fprintf(c.OutOrStdout(), "%-8s %-8s %-16s %s\n", mark, f.What, f.Name, table.Hang(c.OutOrStdout(), 35, f.Detail))
				if f.Remedy != "" {
					fmt.Fprintf(c.OutOrStdout(), "%35s%s\n", "→ ", table.Hang(c.OutOrStdout(), 35, f.Remedy))
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each finding")
	return c
}

// backends returns a finding for each backend. It opens each one to see that it works.
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
			if !backend.HasXLA {
				f.Remedy = "CGO_ENABLED=1 make bin/phe   (on Linux, with a C compiler such as gcc), then " + f.Remedy
			} else if name == backend.XLACUDA && plugin != "" {
				f.Remedy = "see the lines that begin with: missing  cuda"
			}
		} else {
			f.Detail = machine.Device(b)
			if plugin != "" {
				f.Detail += ", plugin " + plugin
			}
			b.Finalize()
		}
		findings = append(findings, f)
	}
	return findings
}

// cuda returns a finding for each part that XLA needs for an NVIDIA GPU.
func cuda() []finding {
	var findings []finding
	for _, p := range backend.CUDAParts() {
		findings = append(findings, finding{"cuda", p.Name, p.Found, p.Detail, p.Remedy})
	}
	return findings
}

// bothWays trains with command buffers and without, and compares the times, and the bits where XLA adds in a fixed order. XLA reads its
// flags once, so each training is a process.
func bothWays(on, steps, chunks string) finding {
	f, bits := finding{What: "cuda", Name: "command buffers", Remedy: backend.CommandBuffers + "=off leaves them out"}, map[string]bool{}
	for _, setting := range []string{"on", "off", "on --xla_gpu_deterministic_ops=true", "off --xla_gpu_deterministic_ops=true"} {
		word, flags, ordered := strings.Cut(setting, " ")
		c := exec.Command(os.Args[0], "bench", "--task=adult", "--scheme=moments", "--seeds=5",
			"--steps="+steps, "--chunks="+chunks, "--backend="+on)
		c.Env = append(os.Environ(), backend.CommandBuffers+"="+word, "XLA_FLAGS="+backend.Flags()+" "+flags)
		var m bench.Measurement
		if output, err := c.Output(); err != nil || json.Unmarshal(output, &m) != nil {
			f.Detail += fmt.Sprintf("%s: the training ends with %v", setting, err)
			return f
		}
		f.Detail += fmt.Sprintf("%s: %.3g ms a step, %.3g s of stream; ", setting, 1e3*m.Seconds/float64(m.Steps), m.StreamSeconds)
		if ordered {
			bits[fmt.Sprint(m.Scores)] = true
		}
	}
	f.Found = len(bits) == 1
	f.Detail += map[bool]string{true: "equal bits", false: "the bits differ"}[f.Found]
	return f
}

// committedRemedy is the remedy for a missing data set of the checkout.
const committedRemedy = "git checkout -- data/uci   or put the file's folder into " + files.PathVariable

// datasets returns a finding for each declared data set. It does not read MovieLens' files, because ml-32m takes long.
func datasets() []finding {
	var findings []finding
	for _, s := range uci.Sources() {
		f := finding{What: "dataset", Name: s.Name}
		if path, err := s.Find(); err != nil {
			f.Detail, f.Remedy = err.Error(), committedRemedy
		} else if err := s.Verify(); err != nil {
			f.Detail, f.Remedy = err.Error(), "git checkout -- data/uci   or accept it with --allow-altered"
		} else if info, err := os.Stat(path); err == nil {
			f.Found, f.Detail = true, fmt.Sprintf("%s, %.1f MB", path, float64(info.Size())/1e6)
		}
		findings = append(findings, f)
	}
	for _, s := range ratings.Sources() {
		f := finding{"dataset", s.Name, false, "it is not part of the checkout, and no folder on the path has it", s.Remedy()}
		if path, err := s.Find(); err == nil {
			f = finding{What: f.What, Name: f.Name, Found: true, Detail: path}
		}
		findings = append(findings, f)
	}
	return findings
}
