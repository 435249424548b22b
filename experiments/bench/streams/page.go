package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/table"
)

// fill returns a page with its blocks made anew: <!-- streams NAME --> to <!-- end -->. NAME is summary 256K, summary 4M, intervals,
// setup, or a stream.
func (r *results) fill(page string) (filled string, err error) {
	const prefix = "streams "
	filled, _, err = table.Blocks(page, prefix, func(call string) (string, error) {
		text, err := r.block(strings.TrimPrefix(call, prefix))
		return text, errors.WithMessagef(err, "the block %q", strings.TrimPrefix(call, prefix))
	})
	return filled, err
}

func (r *results) block(name string) (string, error) {
	if len(r.Runs) == 0 {
		return "Not measured yet: `make bench-streams`.\n", nil
	}
	switch name {
	case "summary 256K":
		return r.summary(small, "AdPredictor, better of 2"), nil
	case "summary 4M":
		return r.summary(large, "best of the others"), nil
	case "intervals":
		return r.intervals(), nil
	case "setup":
		return r.setup(), nil
	}
	for _, m := range r.Streams {
		if m.Name == name {
			return r.scores(m), nil
		}
	}
	return "", errors.New("no block and no stream that was measured has this name")
}

// entry is a row of a stream's table: one setting of a contender, or its best one.
type entry struct {
	name   string
	memory int
	runs   []run // by seed
}

func (e entry) each(of func(run) float64) []float64 {
	values := make([]float64, len(e.runs))
	for i, r := range e.runs {
		values[i] = of(r)
	}
	return values
}

// late returns the score of late rows of each seed.
func (e entry) late() []float64 { return e.each(func(r run) float64 { return r.Score.Late }) }

// entry collects the runs of a setting.
func (r *results) entry(stream, contender, setting string, memory int) entry {
	e := entry{name: entryName(contender, setting, memory), memory: memory}
	for _, own := range r.Runs {
		if own.Stream == stream && own.Contender == contender && own.Setting == setting && own.Memory == memory {
			e.runs = append(e.runs, own)
		}
	}
	slices.SortFunc(e.runs, func(a, b run) int { return a.Seed - b.Seed })
	return e
}

// best returns the setting of a contender with the least late score, among those whose names begin with a word. Settings are compared
// by their first seed.
func (r *results) best(stream, contender string, memory int, beginning string) (e entry) {
	settings, least, best := 0, math.Inf(1), ""
	for _, own := range r.Runs {
		same := own.Stream == stream && own.Contender == contender && own.Memory == memory
		if same && own.Seed <= 1 && strings.HasPrefix(own.Setting, beginning) {
			settings++
			if own.Score.Late < least {
				least, best = own.Score.Late, own.Setting
			}
		}
	}
	if settings > 0 {
		e = r.entry(stream, contender, best, memory)
		e.name = entryName(contender, fmt.Sprintf("best of %d: %s", settings, cmp.Or(best, "plain")), memory)
	}
	return e
}

// entries lists the rows of a stream's table. What was not run is left out.
func (r *results) entries(stream string) (all []entry) {
	of := func(contender, setting string, memories ...int) {
		for _, memory := range memories {
			all = append(all, r.entry(stream, contender, setting, memory))
		}
	}
	best := func(contender, beginning string, memory int) {
		all = append(all, r.best(stream, contender, memory, beginning))
	}
	of(gophe, "", small, middle, large)
	of(gophe, forgetless, large)
	for _, memory := range []int{small, large} {
		of(wabbit, wabbitDefault, memory)
		best(wabbit, "", memory)
	}
	for _, memory := range []int{small, large} {
		of(ad, "", memory)
		of(ad, pairs, memory)
	}
	best(river, riverLinear+", rate", 0)
	best(river, riverPairs, 0)
	best(river, riverFactors, 0)
	of(forest, "", 0)
	of(boosting, categories, 0)
	of(boosting, runningMeans, 0)
	of(baseRate, "", 0)
	of(noChange, "", 0)
	return slices.DeleteFunc(all, func(e entry) bool { return len(e.runs) == 0 })
}

// scores is the table of one stream.
func (r *results) scores(m measured) string {
	t := table.New(1, "program", m.metric(), "more than gophe", "processor time, s", "peak memory, MB")
	for _, e := range r.entries(m.Name) {
		time, peak := "–", "–"
		if e.runs[0].CPU > 0 {
			time = fmt.Sprintf("%.1f", stat.Mean(e.each(func(r run) float64 { return r.CPU }), nil))
			peak = fmt.Sprintf("%.0f", slices.Max(e.each(func(r run) float64 { return r.Peak }))/1e6)
		}
		t.Add(e.name, spread("%.4f", e.late()), r.more(m.Name, e), time, peak)
	}
	return t.String()
}

func (m measured) metric() string {
	if m.Numeric {
		return "RMSE"
	}
	return "log-loss"
}

// spread writes a mean with its standard deviation, if there is one.
func spread(format string, values []float64) string {
	mean, sd := stat.MeanStdDev(values, nil)
	if math.IsNaN(sd) {
		return fmt.Sprintf(format, mean)
	}
	return fmt.Sprintf(format+" ± %.4f", mean, sd)
}

// more writes how far an entry's score lies above gophe's, seed by seed. It compares with gophe in the same memory, or in 4M.
func (r *results) more(stream string, e entry) string {
	ours, theirs := r.entry(stream, gophe, "", cmp.Or(e.memory, large)).late(), e.late()
	if first := e.runs[0]; first.Contender == gophe && first.Setting == "" || len(ours) == 0 {
		return "–"
	}
	differences := make([]float64, len(ours))
	for i, own := range ours {
		differences[i] = theirs[0] - own
		if len(theirs) == len(ours) {
			differences[i] = theirs[i] - own
		}
	}
	return spread("%+.4f", differences)
}

// summary is the table of all streams at one memory. The least score of a row is bold.
func (r *results) summary(memory int, other string) string {
	t := table.New(1, "stream", "gophe", "Vowpal Wabbit, best of 14", other, "base rate")
	for _, m := range r.Streams {
		cells := []any{m.Name + ", " + m.metric()}
		entries := []entry{r.entry(m.Name, gophe, "", memory), r.best(m.Name, wabbit, memory, ""), r.rest(m.Name, memory),
			r.entry(m.Name, baseRate, "", 0)}
		least := stat.Mean(entries[minOf(entries)].late(), nil)
		for i, e := range entries {
			text := "–"
			if len(e.runs) > 0 {
				mean := stat.Mean(e.late(), nil)
				text = fmt.Sprintf("%.4f", mean)
				if mean == least {
					text = "**" + text + "**"
				}
				if i == 2 && memory == large {
					text += " (" + e.runs[0].Contender + ")"
				}
			}
			cells = append(cells, text)
		}
		t.Add(cells...)
	}
	return t.String()
}

// minOf returns the place of the entry with the least score.
func minOf(entries []entry) (place int) {
	least := math.Inf(1)
	for i, e := range entries {
		if len(e.runs) == 0 {
			continue
		}
		if mean := stat.Mean(e.late(), nil); mean < least {
			least, place = mean, i
		}
	}
	return place
}

// rest returns the best rival other than Vowpal Wabbit. Below 4M only AdPredictor counts; at 4M the rivals without a budget
// count too.
func (r *results) rest(stream string, memory int) entry {
	candidates := []entry{r.best(stream, ad, memory, "")}
	if memory == large {
		for _, contender := range []string{river, forest, boosting} {
			candidates = append(candidates, r.best(stream, contender, 0, ""))
		}
	}
	return candidates[minOf(candidates)]
}

// intervals returns a table of the shares of numbers within gophe's 90 % intervals, by novelty.
func (r *results) intervals() string {
	t := table.New(2, "stream, memory", "rarest item seen before", "late rows", "inside the interval", "RMSE")
	for _, m := range r.Streams {
		for _, memory := range []int{small, large} {
			ours := r.entry(m.Name, gophe, "", memory)
			if !m.Numeric || len(ours.runs) == 0 {
				continue
			}
			for _, first := range ours.runs[0].Score.Novelty {
				rows, covered, loss := ours.tier(first.Name)
				t.Add(m.Name+", "+memoryText(memory), first.Name+" times", fmt.Sprintf("%.0f", rows),
					fmt.Sprintf("%.1f %%", 100*covered), fmt.Sprintf("%.4f", loss))
			}
		}
	}
	return t.String()
}

// tier averages a class of novelty over the seeds.
func (e entry) tier(name string) (rows, covered, loss float64) {
	n := 0.0
	for _, own := range e.runs {
		for _, t := range own.Score.Novelty {
			if t.Name == name {
				rows, covered, loss, n = rows+float64(t.Rows), covered+t.Covered, loss+t.Score, n+1
			}
		}
	}
	return rows / n, covered / n, loss / n
}

// setup names the versions and the machine of the measurements.
func (r *results) setup() string {
	programs := table.New(2, "program", "version")
	programs.Above = fmt.Sprintf("%s; %d programs at a time. gophe at commit %.12s.\n\n", r.Machine, r.Jobs, r.Commit)
	for _, name := range []string{gophe, wabbit, river, forest, boosting, ad} {
		programs.Add(name, r.Versions[name])
	}
	tables := table.New(1, "stream", "rows", "SHA-256 of the table")
	tables.Columns[2].Text = true
	for _, m := range r.Streams {
		tables.Add(m.Name, m.Rows, fmt.Sprintf("`%.16s…`", m.SHA256))
	}
	return programs.String() + "\n" + tables.String()
}
