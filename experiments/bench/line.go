package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/table"
	"gophe/phe/disk/outfile"
)

// Key identifies the measurement of a line of the table. A finished line with an equal key need not be measured again.
type Key struct {
	Program  string `json:"program"` // gophe, jax, torch-eager or torch-graphs
	Version  string `json:"version"`
	Machine  string `json:"machine"`
	Backend  string `json:"backend"` // of a rival cpu or gpu
	Flags    string `json:"flags"`   // XLA_FLAGS
	Work     string `json:"work"`
	Steps    int    `json:"steps"` // of one call of the initial phase
	Chunks   int    `json:"chunks"`
	Replicas int    `json:"replicas"`
}

// Line tells how fast a program trains a number of replicas side by side.
type Line struct {
	Key
	StepSeconds    float64 `json:"step_seconds"` // of all replicas
	RowSeconds     float64 `json:"row_seconds"`  // of the stream, for all replicas
	CompileSeconds float64 `json:"compile_seconds"`
	Seconds        float64 `json:"seconds"`            // that all calls took, without compilation; estimated if left out
	PeakBytes      float64 `json:"peak_bytes"`         // of the process; estimated if left out
	LeftOut        string  `json:"left_out,omitempty"` // "left out: needs …"
	Time           string  `json:"time"`
}

// take fills in the times of a measurement.
func (l *Line) take(m Measurement) {
	l.StepSeconds, l.RowSeconds, l.CompileSeconds, l.Seconds = m.Medians.Step, m.Medians.Row, m.CompileSeconds, m.Seconds+m.StreamSeconds
}

// limits are the time and the memory that a line may take.
type limits struct{ seconds, bytes float64 } // 0 bytes are no limit

// expected estimates a line from the program's lines of fewer replicas, and leaves it out if it would exceed a limit. Time grows in
// proportion to replicas. Memory grows as between the last two lines, and by at least a replica's tables while they are trained.
func (l limits) expected(key Key, fewer []Line, tables float64) Line {
	line := Line{Key: key}
	if len(fewer) == 0 {
		return line
	}
	last, more := fewer[len(fewer)-1], 0.0
	if len(fewer) > 1 {
		before := fewer[len(fewer)-2]
		more = (last.PeakBytes - before.PeakBytes) / float64(last.Replicas-before.Replicas)
	}
	line.CompileSeconds, line.Seconds = last.CompileSeconds, last.Seconds*float64(key.Replicas)/float64(last.Replicas)
	line.PeakBytes = last.PeakBytes + max(more, tables)*float64(key.Replicas-last.Replicas)
	var needs []string
	if l.bytes > 0 && line.PeakBytes > l.bytes {
		needs = append(needs, fmt.Sprintf("%.1f GiB", line.PeakBytes/(1<<30)))
	}
	if seconds := line.CompileSeconds + line.Seconds; seconds > l.seconds {
		needs = append(needs, fmt.Sprintf("%.0f min", math.Ceil(seconds/60)))
	}
	if len(needs) > 0 {
		line.LeftOut = "left out: needs " + strings.Join(needs, " / ")
	}
	return line
}

// readLines reads the finished lines of a file, one JSON object a line. It skips a line that a kill has cut.
func readLines(path string) (lines []Line, err error) {
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Wrap(err, "cannot read finished lines; name another folder with --out")
	}
	for text := range strings.Lines(string(content)) {
		var line Line
		if json.Unmarshal([]byte(text), &line) == nil {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// keep adds a finished line, and replaces the file in one step.
func (b *Bench) keep(line Line) error {
	line.Time = time.Now().UTC().Format(time.RFC3339Nano)
	b.kept = append(b.kept, line)
	var content bytes.Buffer
	for _, l := range b.kept {
		if err := json.NewEncoder(&content).Encode(l); err != nil {
			return errors.Wrap(err, "encoding a line")
		}
	}
	err := result.WriteWhole(b.File, outfile.Kind{Name: "lines of a benchmark", Begins: `\{"program":`}, content.Bytes())
	return errors.WithMessage(err, "cannot keep a finished line; name another folder with --out")
}

// Table returns a table of lines. A rival's line has its times as multiples of ours.
func Table(lines []Line) *table.Table {
	t := table.New(1, "work × replicas", "a step, ms", "stream, rows/s", "times ours: a step, a row",
		"a replica's share: ms a step, µs a row",
		"compiling, s")
	for _, l := range lines {
		name, ratio, n := fmt.Sprintf("%s × %d", l.Work, l.Replicas), "–", float64(l.Replicas)
		if rival, ok := titles[l.Program]; ok {
			name += ", " + rival
			ours := slices.IndexFunc(lines, func(own Line) bool {
				return titles[own.Program] == "" && own.Work == l.Work && own.Replicas == l.Replicas && own.LeftOut == ""
			})
			if ours >= 0 {
				ratio = digits(l.StepSeconds/lines[ours].StepSeconds) + ", " + digits(l.RowSeconds/lines[ours].RowSeconds)
			}
		}
		if l.LeftOut != "" {
			t.Add(name, l.LeftOut, "–", "–", "–", "–")
			continue
		}
		t.Add(name, digits(1e3*l.StepSeconds), digits(1/l.RowSeconds), ratio,
			digits(1e3*l.StepSeconds/n)+", "+digits(1e6*l.RowSeconds/n), digits(l.CompileSeconds))
	}
	return t
}

// digits returns three digits of a number, and all digits of its whole part. A program that compiled in every call has no number.
func digits(value float64) string {
	switch {
	case value == 0 || math.IsInf(value, 0) || math.IsNaN(value):
		return "–"
	case value >= 100:
		return fmt.Sprintf("%.0f", value)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}
