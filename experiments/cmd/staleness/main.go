// Command staleness measures the cost of stale priors when several learners share one first pass.
//
//	staleness --to out/staleness.json
//	staleness --data adult --presets Paper --to out/trial.json
//
// It learns Adult and the first 49,999 rows of Covertype with both presets of package onepass. Learners run in one process, in rounds
// or with a fixed delay, so a result does not depend on the machine.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pkg/errors"
)

// finding holds the results of a preset on a table.
type finding struct {
	Data    string
	Preset  string
	Rows    int
	Columns int
	OneLoss float64 // progressive log-loss of one learner, nats a row
	Entries entries
	Breaks  []breaking
	Trials  []outcome
}

// breaking is the largest share up to which the sum of natural parameters loses at most mostLost nats a row. The loss that stale
// forecasts alone have does not count.
type breaking struct {
	Learners int
	Share    float64 // -1: no share of the grid loses more
}

const mostLost = 0.02

func main() {
	data := flag.String("data", "adult,covertype", "tables")
	presets := flag.String("presets", strings.Join([]string{paper, streamTau, streamKeep}, ";"), "presets, with semicolons between them")
	only := flag.String("trials", "[]", "trials to run in place of all, in JSON as in the results")
	to := flag.String("to", "out/staleness.json", "file for the results")
	jobs := flag.Int("jobs", 2, "presets to learn at the same time")
	flag.Parse()
	var chosen []trial
	var findings []finding
	err := json.Unmarshal([]byte(*only), &chosen)
	if err == nil {
		findings, err = study(strings.Split(*data, ","), strings.Split(*presets, ";"), chosen, *jobs)
	}
	if err == nil {
		err = write(*to, findings)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "staleness:", err)
		os.Exit(1)
	}
}

func study(data, presets []string, chosen []trial, jobs int) ([]finding, error) {
	var models []*model
	for _, name := range data {
		t, err := loadTable(name)
		if err != nil {
			return nil, err
		}
		for _, p := range presets {
			if p == streamKeep && name != "adult" {
				continue // nothing new, and minutes
			}
			m, err := newModel(t, p)
			if err != nil {
				return nil, err
			}
			models = append(models, m)
		}
	}
	findings, failures, places := make([]finding, len(models)), make([]error, len(models)), make(chan bool, jobs)
	var all sync.WaitGroup
	for i := len(models) - 1; i >= 0; i-- { // the longest first
		all.Go(func() {
			places <- true
			findings[i], failures[i] = models[i].study(chosen)
			<-places
		})
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return findings, nil
}

// write adds findings to a file. They replace the file's outcomes of the same trials.
func write(to string, findings []finding) error {
	var all []finding
	content, err := os.ReadFile(to)
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil && !os.IsNotExist(err) {
		return errors.Wrapf(err, "reading %s, to add to it; choose another file with --to", to)
	}
	for _, f := range findings {
		i := slices.IndexFunc(all, func(old finding) bool { return old.Data == f.Data && old.Preset == f.Preset })
		if i < 0 {
			all = append(all, f)
			continue
		}
		for _, o := range f.Trials {
			all[i].Trials = append(slices.DeleteFunc(all[i].Trials, func(old outcome) bool { return old.trial == o.trial }), o)
		}
		if len(f.Breaks) > 0 {
			all[i].Breaks = f.Breaks
		}
	}
	content, err = json.MarshalIndent(all, "", " ")
	if err != nil {
		return errors.Wrap(err, "encoding the findings")
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return errors.Wrap(err, "making the folder of the results")
	}
	return errors.Wrap(os.WriteFile(to, append(content, '\n'), 0o644), "writing the results")
}

// study runs the chosen trials of a model, or all trials.
func (m *model) study(chosen []trial) (f finding, err error) {
	f = finding{Data: m.Data, Preset: m.Preset, Rows: m.rows, Columns: m.config.Columns}
	one, err := m.one()
	if err != nil {
		return f, err
	}
	f.OneLoss = mean(one)
	if f.Entries, err = m.measureEntries(); err != nil {
		return f, err
	}
	fmt.Fprintf(os.Stderr, "%s, %s: one learner %.4f, entries %+v\n", m.Data, m.Preset, f.OneLoss, f.Entries)
	own := len(chosen) > 0
	if !own {
		chosen = trials(f.Entries)
	}
	for _, t := range chosen {
		o, err := m.outcome(t, one)
		if err != nil {
			return f, err
		}
		f.Trials = append(f.Trials, o)
	}
	if own {
		return f, nil
	}
	for _, learners := range []int{2, 4, mostLearners} {
		share, err := m.breaks(learners, one)
		if err != nil {
			return f, err
		}
		f.Breaks = append(f.Breaks, breaking{learners, share})
		fmt.Fprintf(os.Stderr, "%s, %s: %d learners break at share %g\n", m.Data, m.Preset, learners, share)
	}
	return f, nil
}

// chunkRows is the number of rows of a chunk where its size is not the question.
const chunkRows = 100

const mostLearners = 8

// trials lists the ways to share a pass. -1 is a share without bound.
func trials(e entries) (all []trial) {
	for _, learners := range []int{2, 4, mostLearners} {
		adding := trial{Learners: learners, Chunk: chunkRows, Rule: sum}
		for _, share := range []float64{-1, 1 / (e.Touched - 1), 1 / (e.Spectral - 1), 1 / (e.Participation - 1)} {
			adding.Share = share
			all = append(all, adding)
		}
		for _, chunk := range []int{25, 100, 400} {
			t := trial{Learners: learners, Chunk: chunk, Share: -1}
			all = append(all, t.with(scaled), trial{Learners: learners, Chunk: chunk, Ideal: true})
			if learners < mostLearners {
				continue
			}
			all = append(all, t.with(average), t.with(weighted))
			if chunk == 400 {
				continue
			}
			t.Share = 0.25
			all = append(all, t.with(scaled))
			t.Share, t.Delayed = -1, true
			all = append(all, t.with(scaled), t.with(weighted))
		}
	}
	return all
}

func (t trial) with(r rule) trial {
	t.Rule = r
	return t
}

func (m *model) outcome(t trial, one []float64) (outcome, error) {
	start := time.Now()
	losses, atWork, err := m.run(t)
	if err != nil {
		return outcome{}, err
	}
	last := 3 * m.rows / 4
	o := outcome{trial: t, Loss: mean(losses), Lost: mean(losses) - mean(one), AtWork: atWork, LostEnd: mean(losses[last:]) - mean(one[last:])}
	fmt.Fprintf(os.Stderr, "%s, %s: %+v in %s\n", m.Data, m.Preset, o, time.Since(start).Round(time.Millisecond))
	return o, nil
}

// breaks finds the share at which learners begin to lose. It tries larger and larger shares, because the loss does not grow steadily:
// a belief may diverge with one share and not with a slightly larger one.
func (m *model) breaks(learners int, one []float64) (float64, error) {
	ideal, err := m.outcome(trial{Learners: learners, Chunk: chunkRows, Ideal: true}, one)
	if err != nil {
		return 0, err
	}
	const least, step, most = 1. / 400, 1.5, 2.5
	held := 0.0
	for share := least; share < most; share *= step {
		o, err := m.outcome(trial{Learners: learners, Chunk: chunkRows, Share: share, Rule: sum}, one)
		if err != nil || o.Lost-ideal.Lost > mostLost {
			return held, err
		}
		held = share
	}
	return -1, nil
}

func mean(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total / float64(len(x))
}
