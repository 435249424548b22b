package streams

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"
)

// block is a part of a page that is made from results.
var block = regexp.MustCompile(`(?s)(<!-- streams ([^\n]+?) -->\n).*?(<!-- end -->)`)

// Fill returns a page with its blocks made anew: <!-- streams NAME --> to <!-- end -->. NAME is summary 256K, summary 4M,
// intervals, setup, or a stream.
func (r *Result) Fill(page string) (filled string, err error) {
	filled = block.ReplaceAllStringFunc(page, func(found string) string {
		m := block.FindStringSubmatch(found)
		text, failed := r.block(m[2])
		if failed != nil && err == nil {
			err = errors.WithMessagef(failed, "the block %q", m[2])
		}
		return m[1] + text + m[3]
	})
	return filled, err
}

func (r *Result) block(name string) (string, error) {
	if len(r.Runs) == 0 {
		return "Not measured yet: `make bench-streams`.\n", nil
	}
	switch name {
	case "summary 256K":
		return r.summary(Memories()[0]), nil
	case "summary 4M":
		return r.summary(Memories()[1]), nil
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
	runs   []Run // by seed
}

// late returns the mean score of late rows over the seeds, and its standard deviation; NaN of one run.
func (e entry) late() (mean, sd float64) {
	return stat.MeanStdDev(e.each(func(r Run) float64 { return r.Score.Late }), nil)
}

func (e entry) each(of func(Run) float64) []float64 {
	values := make([]float64, len(e.runs))
	for i, r := range e.runs {
		values[i] = of(r)
	}
	return values
}

// entry collects the runs of a setting.
func (r *Result) entry(stream, contender, setting string, memory int) entry {
	name := contender
	if setting != "" {
		name += ", " + setting
	}
	if memory > 0 {
		name += ", " + memoryText(memory)
	}
	e := entry{name: name, memory: memory}
	for _, run := range r.Runs {
		if run.Stream == stream && run.Contender == contender && run.Setting == setting && run.Memory == memory {
			e.runs = append(e.runs, run)
		}
	}
	slices.SortFunc(e.runs, func(a, b Run) int { return a.Seed - b.Seed })
	return e
}

// best returns the setting of a contender with the least late score, among those whose names begin with one of some words. Settings
// are compared by their first seed.
func (r *Result) best(stream, contender string, memory int, beginnings ...string) (e entry, settings int) {
	least, best := math.Inf(1), ""
	for _, run := range r.Runs {
		begins := slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(run.Setting, b) })
		if run.Stream != stream || run.Contender != contender || run.Memory != memory || run.Seed > 1 || !begins && len(beginnings) > 0 {
			continue
		}
		settings++
		if run.Score.Late < least {
			least, best = run.Score.Late, run.Setting
		}
	}
	if settings == 0 {
		return entry{}, 0
	}
	e = r.entry(stream, contender, best, memory)
	e.name = strings.Replace(e.name, best, fmt.Sprintf("best of %d: %s", settings, best), 1)
	if best == "" {
		e.name = strings.Replace(e.name, contender, fmt.Sprintf("%s, best of %d: plain", contender, settings), 1)
	}
	return e, settings
}

// entries lists the rows of a stream's table. What was not run is left out.
func (r *Result) entries(stream string) (all []entry) {
	for _, memory := range budgets() {
		all = append(all, r.entry(stream, Gophe, "", memory))
	}
	all = append(all, r.entry(stream, Gophe, forgetless, Memories()[1]))
	for _, memory := range Memories() {
		all = append(all, r.entry(stream, Wabbit, wabbitDefault, memory))
		best, _ := r.best(stream, Wabbit, memory)
		all = append(all, best)
	}
	for _, memory := range Memories() {
		all = append(all, r.entry(stream, Ad, "", memory), r.entry(stream, Ad, pairs, memory))
	}
	for _, beginnings := range [][]string{{riverLinear + ", rate"}, {riverPairs}, {riverFactors}} {
		best, _ := r.best(stream, River, 0, beginnings...)
		all = append(all, best)
	}
	all = append(all, r.entry(stream, Forest, "", 0), r.entry(stream, Boosting, categories, 0), r.entry(stream, Boosting, runningMeans, 0), r.entry(stream, BaseRate, "", 0), r.entry(stream, NoChange, "", 0))
	return slices.DeleteFunc(all, func(e entry) bool { return len(e.runs) == 0 })
}

// scores is the table of one stream.
func (r *Result) scores(m Measured) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| program | %s | more than gophe | processor time, s | peak memory, MB |\n|---|---:|---:|---:|---:|\n", metric(m.Numeric))
	for _, e := range r.entries(m.Name) {
		time, peak := "–", "–"
		if e.runs[0].CPU > 0 {
			time = fmt.Sprintf("%.1f", stat.Mean(e.each(func(r Run) float64 { return r.CPU }), nil))
			peak = fmt.Sprintf("%.0f", slices.Max(e.each(func(r Run) float64 { return r.Peak }))/1e6)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", e.name, spread(e.late()), r.more(m.Name, e), time, peak)
	}
	return b.String()
}

func metric(numeric bool) string {
	if numeric {
		return "RMSE"
	}
	return "log-loss"
}

// spread writes a mean with its standard deviation, if there is one.
func spread(mean, sd float64) string {
	if math.IsNaN(sd) {
		return fmt.Sprintf("%.4f", mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", mean, sd)
}

// more writes how far an entry's score lies above gophe's, seed by seed. It compares with gophe in the same memory, or in 4M.
func (r *Result) more(stream string, e entry) string {
	memory := e.memory
	if memory == 0 {
		memory = Memories()[1]
	}
	ours := r.entry(stream, Gophe, "", memory)
	if first := e.runs[0]; first.Contender == Gophe && first.Setting == "" || len(ours.runs) == 0 {
		return "–"
	}
	var differences []float64
	for i, own := range ours.runs {
		theirs := e.runs[0]
		if len(e.runs) == len(ours.runs) {
			theirs = e.runs[i]
		}
		differences = append(differences, theirs.Score.Late-own.Score.Late)
	}
	mean, sd := stat.MeanStdDev(differences, nil)
	if math.IsNaN(sd) {
		return fmt.Sprintf("%+.4f", mean)
	}
	return fmt.Sprintf("%+.4f ± %.4f", mean, sd)
}

// summary is the table of all streams at one memory. The least score of a row is bold.
func (r *Result) summary(memory int) string {
	var b strings.Builder
	other := "best of the others"
	if memory != Memories()[1] {
		other = "AdPredictor, better of 2"
	}
	fmt.Fprintf(&b, "| stream | gophe | Vowpal Wabbit, best of 14 | %s | base rate |\n|---|---:|---:|---:|---:|\n", other)
	for _, m := range r.Streams {
		wabbit, _ := r.best(m.Name, Wabbit, memory)
		cells := []entry{r.entry(m.Name, Gophe, "", memory), wabbit, r.rest(m.Name, memory), r.entry(m.Name, BaseRate, "", 0)}
		least := math.Inf(1)
		for _, e := range cells {
			if mean, _ := e.late(); len(e.runs) > 0 {
				least = min(least, mean)
			}
		}
		fmt.Fprintf(&b, "| %s, %s |", m.Name, metric(m.Numeric))
		for i, e := range cells {
			fmt.Fprintf(&b, " %s |", summaryCell(e, least, i == 2 && memory == Memories()[1]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func summaryCell(e entry, least float64, named bool) string {
	if len(e.runs) == 0 {
		return "–"
	}
	mean, _ := e.late()
	text := fmt.Sprintf("%.4f", mean)
	if mean == least {
		text = "**" + text + "**"
	}
	if c := e.runs[0].Contender; named {
		text += " (" + c + ")"
	}
	return text
}

// rest returns the best rival other than Vowpal Wabbit. Below 4M only AdPredictor counts; at 4M the rivals without a budget
// count too.
func (r *Result) rest(stream string, memory int) (best entry) {
	ad, _ := r.best(stream, Ad, memory)
	candidates := []entry{ad}
	if memory == Memories()[1] {
		river, _ := r.best(stream, River, 0)
		boosting, _ := r.best(stream, Boosting, 0)
		forest, _ := r.best(stream, Forest, 0)
		candidates = append(candidates, river, forest, boosting)
	}
	least := math.Inf(1)
	for _, e := range candidates {
		if len(e.runs) == 0 {
			continue
		}
		if mean, _ := e.late(); mean < least {
			least, best = mean, e
		}
	}
	return best
}

// intervals returns a table of the shares of numbers within gophe's 90 % intervals, by novelty.
func (r *Result) intervals() string {
	var b strings.Builder
	b.WriteString("| stream, memory | rarest item seen before | late rows | inside the interval | RMSE |\n|---|---|---:|---:|---:|\n")
	for _, m := range r.Streams {
		if !m.Numeric {
			continue
		}
		for _, memory := range Memories() {
			ours := r.entry(m.Name, Gophe, "", memory)
			if len(ours.runs) == 0 {
				continue
			}
			for _, first := range ours.runs[0].Score.Novelty {
				rows, covered, loss := ours.tier(first.Name)
				fmt.Fprintf(&b, "| %s, %s | %s times | %.0f | %.1f %% | %.4f |\n", m.Name, memoryText(memory), first.Name, rows, 100*covered, loss)
			}
		}
	}
	return b.String()
}

// tier averages a class of novelty over the seeds.
func (e entry) tier(name string) (rows, covered, loss float64) {
	n := 0.0
	for _, run := range e.runs {
		for _, t := range run.Score.Novelty {
			if t.Name == name {
				rows, covered, loss, n = rows+float64(t.Rows), covered+t.Covered, loss+t.Score, n+1
			}
		}
	}
	return rows / n, covered / n, loss / n
}

// setup names the versions and the machine of the measurements.
func (r *Result) setup() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %d programs at a time. gophe at commit %.12s.\n\n| program | version |\n|---|---|\n", r.Machine, r.Jobs, r.Commit)
	for _, name := range []string{Gophe, Wabbit, River, Forest, Boosting, Ad} {
		fmt.Fprintf(&b, "| %s | %s |\n", name, r.Versions[name])
	}
	b.WriteString("\n| stream | rows | SHA-256 of the table |\n|---|---:|---|\n")
	for _, m := range r.Streams {
		fmt.Fprintf(&b, "| %s | %d | `%.16s…` |\n", m.Name, m.Rows, m.SHA256)
	}
	return b.String()
}
