package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/experiments/measure"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/table"
	"gophe/phe/disk/filetest"
	"gophe/phe/terminal"
)

// fill returns a page with its blocks made anew: <!-- streams NAME --> to <!-- end -->. NAME is summary 256K, summary 4M, intervals,
// setup, late, glance, or a stream. The block late is made of other results, whose labels came late, and glance of both.
func (r *results) fill(page string, late *results) (filled string, err error) {
	blocks := map[string]func() string{
		"summary 256K": func() string { return r.summary(small, "AdPredictor, better of 2", false) },
		"summary 4M":   func() string { return r.summary(large, "best of the others", true) },
		"late":         func() string { return late.summary(small, "best of the others", true) },
		"glance":       func() string { return r.glance(late) },
		"intervals":    r.intervals, "setup": r.setup,
	}
	for _, m := range r.Streams {
		blocks[m.Name] = func() string { return r.scores(m) }
	}
	filled, _, err = resulttest.Blocks(page, "streams ", func(call string) (string, error) {
		block := blocks[strings.TrimPrefix(call, "streams ")]
		if block == nil {
			return "", errors.Errorf("no block and no measured stream is called %q", strings.TrimPrefix(call, "streams "))
		}
		return block(), nil
	})
	return filled, err
}

// entry is a row of a stream's table: one setting of a contender, or its best one.
type entry struct {
	name   string
	memory int
	runs   []run // by seed
}

func (e entry) over(of func(run) float64) measure.Estimate {
	var values []float64
	for _, r := range e.runs {
		values = append(values, of(r))
	}
	return measure.Over(values)
}

func late(r run) float64 { return r.Score.Late }

// mean returns the mean score of late rows. It is +Inf if the entry was not run.
func (e entry) mean() float64 {
	if m := e.over(late).Mean; m != nil {
		return *m
	}
	return math.Inf(1)
}

// least returns the entry with the least mean score.
func least(entries ...entry) entry {
	return slices.MinFunc(entries, func(a, b entry) int { return cmp.Compare(a.mean(), b.mean()) })
}

// entry returns the runs of a contender's setting. Settings that end in "…" are all that begin so: the entry is the one with the least
// late score of its first seed. It has no runs if there are none.
func (r *results) entry(stream, contender, settings string, memory int) (e entry) {
	prefix, open := strings.CutSuffix(settings, "…")
	bySetting := map[string][]run{}
	best, least := settings, math.Inf(1)
	for _, own := range r.Runs {
		asked := own.Setting == settings || open && strings.HasPrefix(own.Setting, prefix)
		if !asked || own.Stream != stream || own.Contender != contender || own.Memory != memory {
			continue
		}
		bySetting[own.Setting] = append(bySetting[own.Setting], own)
		if own.Seed <= 1 && own.Score.Late < least {
			best, least = own.Setting, own.Score.Late
		}
	}
	e = entry{entryName(contender, settings, memory), memory, bySetting[best]}
	if open {
		e.name = entryName(contender, fmt.Sprintf("best of %d: %s", len(bySetting), cmp.Or(best, "plain")), memory)
	}
	slices.SortFunc(e.runs, func(a, b run) int { return a.Seed - b.Seed })
	return e
}

// shown lists the rows of a stream's table. Rows that were not run are left out.
var shown = []struct {
	contender, settings string
	memory              int
}{
	{gophe, "", small}, {gophe, "", middle}, {gophe, "", large}, {gophe, forgetless, large},
	{wabbit, wabbitDefault, small}, {wabbit, "…", small}, {wabbit, wabbitDefault, large}, {wabbit, "…", large},
	{ad, "", small}, {ad, pairs, small}, {ad, "", large}, {ad, pairs, large},
	{river, riverLinear + ", rate…", 0}, {river, riverPairs + "…", 0}, {river, riverFactors + "…", 0}, {forest, "", 0},
	{boosting, categories, 0}, {boosting, runningMeans, 0}, {baseRate, "", 0}, {noChange, "", 0},
}

// scores is the table of one stream. A rule that is no process has no costs.
func (r *results) scores(m measured) string {
	t := table.New(1, "program", m.metric(), "more than gophe", "processor time, s", "peak memory, MB")
	for _, row := range shown {
		e := r.entry(m.Name, row.contender, row.settings, row.memory)
		if len(e.runs) == 0 {
			continue
		}
		cpu, peak := "–", "–"
		if e.runs[0].CPU > 0 {
			cpu = measure.Optional(e.over(func(r run) float64 { return r.CPU }).Mean, 1)
			peak = fmt.Sprintf("%.0f", slices.MaxFunc(e.runs, func(a, b run) int { return cmp.Compare(a.Peak, b.Peak) }).Peak/1e6)
		}
		t.Add(e.name, e.over(late).Text(4), r.more(m.Name, e), cpu, peak)
	}
	return t.String()
}

func (m measured) metric() string {
	if m.Numeric {
		return "RMSE"
	}
	return "log-loss"
}

// more writes how far an entry's score lies above gophe's, seed by seed. It compares with gophe in the same memory, or in 4M.
func (r *results) more(stream string, e entry) string {
	ours := r.entry(stream, gophe, "", cmp.Or(e.memory, large)).runs
	if first := e.runs[0]; first.Contender == gophe && first.Setting == "" || len(ours) == 0 {
		return "–"
	}
	differences := make([]float64, len(ours))
	for i, own := range ours {
		other := e.runs[0]
		if len(e.runs) == len(ours) {
			other = e.runs[i]
		}
		differences[i] = late(other) - late(own)
	}
	d := measure.Over(differences)
	if *d.Mean >= 0 {
		return "+" + d.Text(4)
	}
	return d.Text(4)
}

// summary is the table of all streams at one memory. The least score of a row is bold. The third entry is the best rival other than Vowpal
// Wabbit: AdPredictor, and with unbounded also the rivals without a budget.
func (r *results) summary(memory int, other string, unbounded bool) string {
	t := table.New(1, "stream", "gophe", "Vowpal Wabbit, best of 14", other, "base rate")
	for _, m := range r.Streams {
		of := func(contender, settings string, memory int) entry {
			return r.entry(m.Name, contender, settings, memory)
		}
		rest := of(ad, "…", memory)
		if unbounded {
			rest = least(rest, of(river, "…", 0), of(forest, "…", 0), of(boosting, "…", 0))
		}
		cells := []any{m.Name + ", " + m.metric()}
		entries := []entry{of(gophe, "", memory), of(wabbit, "…", memory), rest, of(baseRate, "", 0)}
		best := least(entries...).mean()
		for i, e := range entries {
			cell := measure.Optional(e.over(late).Mean, 4)
			if e.mean() == best {
				cell = "**" + cell + "**"
			}
			if i == 2 && unbounded && len(e.runs) > 0 {
				cell += " (" + e.runs[0].Contender + ")"
			}
			cells = append(cells, cell)
		}
		t.Add(cells...)
	}
	return t.String()
}

// questions are the streams as the README names them, in its order.
var questions = []struct{ stream, text string }{
	{"retail_12", "Shop: 12 pieces or more?"}, {"retail_qty", "Shop: how many pieces?"},
	{"ml_4", "MovieLens: 4 stars or more?"}, {"ml_reg", "MovieLens: how many stars?"},
	{"covertype_order", "Covertype, as filed: pine?"}, {"covertype", "Covertype, shuffled: pine?"},
	{"adult", "Adult, shuffled: rich?"}, {"bank", "Bank, shuffled: subscribes?"},
}

// glance is the README's table: gophe in 256 KB next to the strongest rival in as much memory or without a bound, with labels at once and
// with late labels. A score is its share of the base rate's, in percent.
func (r *results) glance(late *results) string {
	t := table.New(1, "stream", "labels at once: phe", "best rival", "200 rows late: phe", "best rival")
	var ahead [2]int
	for _, q := range questions {
		cells := []any{q.text}
		for i, of := range []*results{r, late} {
			base, ours := of.entry(q.stream, baseRate, "", 0).mean(), of.entry(q.stream, gophe, "", small).mean()
			var rivals []entry
			for _, name := range []string{wabbit, ad, river, forest, boosting, noChange} {
				rivals = append(rivals, of.entry(q.stream, name, "…", small), of.entry(q.stream, name, "…", 0))
			}
			best := least(rivals...)
			own, other := "", "**"
			if ours < best.mean() {
				own, other = "**", ""
				ahead[i]++
			}
			cells = append(cells, fmt.Sprintf("%s%.1f%[1]s", own, 100*ours/base), fmt.Sprintf("%s%.1f%[1]s (%[3]s)", other,
				100*best.mean()/base, strings.Replace(best.runs[0].Contender, wabbit, "VW", 1)))
		}
		t.Add(cells...)
	}
	t.Below = fmt.Sprintf("\n`phe stream` is ahead of every rival on %d of the %d streams with labels at once, and on %d with late ones.\n",
		ahead[0], len(questions), ahead[1])
	return t.String()
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
			for k, first := range ours.runs[0].Score.Novelty { // of the rows, so it is the same for all seeds
				covered := ours.over(func(r run) float64 { return 100 * r.Score.Novelty[k].Covered })
				loss := ours.over(func(r run) float64 { return r.Score.Novelty[k].Score })
				t.Add(m.Name+", "+terminal.Size(memory), first.Name+" times", first.Rows, measure.Optional(covered.Mean, 1)+" %",
					measure.Optional(loss.Mean, 4))
			}
		}
	}
	return t.String()
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

var update = flag.Bool("update", false, "rewrite the page's tables from the results")

const (
	page, readme             = "../../../docs/streams-compared.md", "../../../README.md"
	committed, committedLate = "results.json", "results-late.json"
)

// The tables of the page and of the README are made of the committed results, and have five columns at most.
func TestPage(t *testing.T) {
	r, late := filetest.Must(read(committed))(t), filetest.Must(read(committedLate))(t)
	for _, path := range []string{page, readme} {
		holds(t, path, func(page string) (string, error) { return r.fill(page, late) })
	}
	fresh := string(filetest.Must(os.ReadFile(page))(t))
	filetest.Want(t, strings.Count(fresh, "<!-- streams "), 5+len(streams()), "blocks")
	for line := range strings.Lines(fresh) {
		filetest.True(t, !strings.HasPrefix(line, "|") || strings.Count(line, "|") <= 6, "more than five columns: %s", line)
	}
}

// holds fails unless a page is as filled anew, or rewrites it.
func holds(t *testing.T, path string, fill func(page string) (string, error)) {
	t.Helper()
	content := string(filetest.Must(os.ReadFile(path))(t))
	fresh := filetest.Must(fill(content))(t)
	if *update {
		filetest.Check(t, os.WriteFile(path, []byte(fresh), 0o644))
	} else if fresh != content {
		t.Errorf("%s differs from the measurements; run `go test ./experiments/bench/streams -run %s -update`", path, t.Name())
	}
}

// Committed results are whole: every task of every stream, all of one measuring.
func TestResultsWhole(t *testing.T) {
	r := filetest.Must(read(committed))(t)
	filetest.Want(t, len(r.Streams), len(streams()), "streams")
	for _, m := range r.Streams {
		for _, job := range jobsOf(&prepared{known: known{name: m.Name}, numeric: m.Numeric}) {
			run := r.find(job.task)
			if run == nil {
				t.Errorf("%+v is missing", job.task)
			} else if run.Version != r.Versions[run.Contender] || !(run.Score.Late > 0) || math.IsInf(run.Score.Late, 0) {
				t.Errorf("%s: version %q, now %q", run, run.Version, r.Versions[run.Contender])
			}
		}
	}
}
