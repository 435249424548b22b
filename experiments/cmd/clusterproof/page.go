package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"
)

// The committed results.
var (
	//go:embed results/proof.json
	proofJSON []byte
	//go:embed results/accuracy.json
	accuracyJSON []byte
	//go:embed results/sizes.json
	sizesJSON []byte
)

// page writes the tables of docs/cluster.md from the committed results.
func page(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("page", flag.ExitOnError)
	path := flags.String("path", "docs/cluster.md", "`file` with the tables")
	_ = flags.Parse(args) // it exits after an error
	b, err := os.ReadFile(*path)
	if err != nil {
		return errors.WithStack(err)
	}
	text, err := fill(string(b))
	if err != nil {
		return err
	}
	return errors.WithStack(os.WriteFile(*path, []byte(text), 0o644))
}

// fill replaces the tables between the page's marks.
func fill(text string) (string, error) {
	var proof []Result
	var scores []Accuracy
	var sizes []sizeResult
	for _, part := range []struct {
		b  []byte
		to any
	}{{proofJSON, &proof}, {accuracyJSON, &scores}, {sizesJSON, &sizes}} {
		if err := json.Unmarshal(part.b, part.to); err != nil {
			return "", errors.Wrap(err, "the committed results")
		}
	}
	for name, table := range map[string]string{"proof": proofTable(proof), "accuracy": accuracyTable(scores), "sizes": sizesTable(sizes), "speed": speedTable(proof)} {
		mark := regexp.MustCompile(`(?s)(<!-- cluster ` + name + ` -->\n).*?(<!-- end -->)`)
		if !mark.MatchString(text) {
			return "", errors.Errorf("the page has no table %q", name)
		}
		text = mark.ReplaceAllString(text, "${1}"+table+"${2}")
	}
	return text, nil
}

// byName groups results by the name of their spec, in order.
func byName(all []Result) (names []string, groups map[string][]Result) {
	groups = map[string][]Result{}
	for _, r := range all {
		if groups[r.Spec.Name] == nil {
			names = append(names, r.Spec.Name)
		}
		groups[r.Spec.Name] = append(groups[r.Spec.Name], r)
	}
	return names, groups
}

func proofTable(all []Result) string {
	out := "| run | right | counted, repeated, stale | longest standstill, s | difference |\n|---|---:|---:|---:|---:|\n"
	names, groups := byName(all)
	for _, name := range names {
		s := groups[name][0].Spec
		if s.Kills+s.ServerKills+s.Pauses == 0 {
			continue
		}
		right, standstill, difference := 0, 0.0, math.NaN()
		least, most := [3]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64}, [3]uint64{}
		for _, r := range groups[name] {
			o := r.Outcome
			if o.Error == "" && o.RowsEqual && o.FingerprintEqual && o.SameBytes {
				right++
			}
			standstill = max(standstill, o.Standstill)
			if o.Difference != nil {
				difference = max(*o.Difference, zero(difference))
			}
			for i, n := range []uint64{o.Counted, o.Repeated, o.Stale} {
				least[i], most[i] = min(least[i], n), max(most[i], n)
			}
		}
		said := "–"
		if !math.IsNaN(difference) {
			said = fmt.Sprintf("%.1g", difference)
		}
		var verdicts []string
		for i := range least {
			verdicts = append(verdicts, between(least[i], most[i]))
		}
		out += fmt.Sprintf("| %s | %d of %d | %s | %.1f | %s |\n", title(s), right, len(groups[name]), strings.Join(verdicts, ", "), standstill, said)
	}
	return out
}

func zero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

func between(least, most uint64) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d–%d", least, most)
}

// title describes a spec.
func title(s Spec) string {
	words := map[string]string{"linear": "Linear", "adult": "Adult"}[s.Source]
	if s.Source == "adult" && s.Share > 0 {
		words += ", several"
	}
	switch {
	case s.Nodes > 1:
		words += ": the leader of three servers killed twice"
	case s.ServerKills > 0 && s.Sync:
		words += ": the server killed twice, disk synced"
	case s.ServerKills > 0:
		words += ": the server killed twice"
	case s.Forget:
		words += ": all acknowledgements forgotten half way"
	case s.Pauses > 0:
		words += fmt.Sprintf(": %d learners paused, and others get their chunks", s.Pauses)
	case s.Share > 0 && s.Source == "linear":
		words += fmt.Sprintf(": a bound of %g", s.Share)
	default:
		words += ": learners and keeper killed"
	}
	return words
}

// accuracyTable shows each table's scores by the number of learners.
func accuracyTable(all []Accuracy) string {
	out := "| table, learners | bounded | at work, stale | free |\n|---|---:|---:|---:|\n"
	var names []string
	type group struct{ bounded, free []Accuracy }
	groups := map[string]*group{}
	for _, a := range all {
		name := fmt.Sprintf("%s, %d", a.Table.Name, a.Learners)
		if groups[name] == nil {
			names = append(names, name)
			groups[name] = &group{}
		}
		if g := groups[name]; a.Share > 0 {
			g.bounded = append(g.bounded, a)
		} else {
			g.free = append(g.free, a)
		}
	}
	for _, name := range names {
		g := groups[name]
		work, stale := 0.0, 0.0
		for _, a := range g.bounded {
			work += a.AtWork / float64(len(g.bounded))
			stale += a.Stale / float64(len(g.bounded))
		}
		out += fmt.Sprintf("| %s | %s | %.2f, %.0f %% | %s |\n", name, scores(g.bounded), work, 100*stale, scores(g.free))
	}
	return out
}

// scores returns the mean score of runs and its spread. Runs that diverged are counted.
func scores(all []Accuracy) string {
	var list []float64
	diverged := 0
	for _, a := range all {
		if a.Error != "" {
			diverged++
			continue
		}
		list = append(list, a.LogLoss+a.RMSE) // one of them is 0
	}
	switch {
	case len(all) == 0:
		return "–"
	case diverged > 0:
		return fmt.Sprintf("%d of %d diverged", diverged, len(all))
	case len(list) == 1:
		return fmt.Sprintf("%.4f", list[0])
	}
	mean, sd := stat.MeanStdDev(list, nil)
	return fmt.Sprintf("%.4f ± %.4f", mean, sd)
}

// sizeResult is an element of the results of size.
type sizeResult struct {
	Size    SizeSpec    `json:"size"`
	Outcome SizeOutcome `json:"outcome"`
}

func sizesTable(all []sizeResult) string {
	out := "| numbers of the belief, changed | size | chunk, ms | disk synced, ms | checkpoint, ms |\n|---|---:|---:|---:|---:|\n"
	for _, r := range all {
		if r.Size.Sync {
			continue
		}
		synced := "–"
		for _, other := range all {
			if other.Size.Sync && other.Size.Numbers == r.Size.Numbers && other.Size.Touched == r.Size.Touched {
				synced = fmt.Sprintf("%.2f", other.Outcome.Chunk)
			}
		}
		out += fmt.Sprintf("| %d, %d | %.1f kB | %.2f | %s | %.1f |\n", r.Size.Numbers, r.Size.Touched, float64(r.Outcome.Bytes)/1000, r.Outcome.Chunk, synced, r.Outcome.Checkpoint)
	}
	return out
}

func speedTable(all []Result) string {
	out := "| learners | cost of a row | rows/s | follower's lag, 99 %, ms |\n|---:|---|---:|---:|\n"
	names, groups := byName(all)
	for _, name := range names {
		s := groups[name][0].Spec
		if s.Kills+s.ServerKills+s.Pauses > 0 {
			continue
		}
		var rates, lags []float64
		for _, r := range groups[name] {
			rates, lags = append(rates, r.Outcome.RowsASecond), append(lags, r.Outcome.LagP99MS)
		}
		cost := "none"
		if s.CostMicros > 0 {
			cost = fmt.Sprintf("%g µs elsewhere", s.CostMicros)
		}
		if s.Sync {
			cost += ", disk synced"
		}
		if s.Source == "adult" {
			cost = "phe stream's model of Adult, in turn"
			if s.Share > 0 {
				cost = "phe stream's model of Adult, several"
			}
		}
		out += fmt.Sprintf("| %d | %s | %.0f | %.1f |\n", s.Learners, cost, stat.Mean(rates, nil), stat.Mean(lags, nil))
	}
	return out
}
