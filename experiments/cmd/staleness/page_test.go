package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pkg/errors"
)

// committed holds the results that the page shows.
//
//go:embed results.json
var committed []byte

// fill replaces the tables between the marks of docs/cluster-staleness.md by the committed results.
func fill(text string) (string, error) {
	var all []finding
	if err := json.Unmarshal(committed, &all); err != nil {
		return "", errors.Wrap(err, "results.json")
	}
	for name, table := range map[string]string{"sums": sumsTable(all), "rules": rulesTable(all)} {
		mark := regexp.MustCompile(`(?s)(<!-- staleness ` + name + ` -->\n).*?(<!-- end -->)`)
		if !mark.MatchString(text) {
			return "", errors.Errorf("the page has no table %q", name)
		}
		text = mark.ReplaceAllString(text, "${1}"+table+"${2}")
	}
	return text, nil
}

// lost returns the loss of a trial, or a dash if it was not run.
func (f finding) lost(t trial) string {
	if o, ok := f.find(t); ok {
		return minus(fmt.Sprintf("%.4f", o.Lost))
	}
	return "–"
}

func (f finding) find(t trial) (outcome, bool) {
	for _, o := range f.Trials {
		same := o.trial
		if math.Abs(same.Share-t.Share) < 1e-9 {
			same.Share = t.Share
		}
		if same == t {
			return o, true
		}
	}
	return outcome{}, false
}

func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

func (f finding) title() string {
	return strings.ToUpper(f.Data[:1]) + f.Data[1:] + ", " + strings.ReplaceAll(f.Preset, "Tau", "τ")
}

func sumsTable(all []finding) string {
	out := "| `sum`, chunks of 100 | L: touched, participation, spectral | largest share that held with 2, 4, 8 learners | lost by 8, no bound | lost by 8 at 1/(touched − 1), and learners at work |\n|---|---|---|---:|---|\n"
	for _, f := range all {
		held := "not searched"
		if len(f.Breaks) > 0 {
			var shares []string
			for _, b := range f.Breaks {
				if b.Share < 0 {
					shares = append(shares, "all")
				} else {
					shares = append(shares, fmt.Sprintf("%.3f", b.Share))
				}
			}
			held = strings.Join(shares, ", ")
		}
		bounded, note := trial{Learners: 8, Chunk: 100, Share: 1 / (f.Entries.Touched - 1), Rule: sum}, ""
		o, ok := f.find(bounded)
		if !ok {
			bounded.Learners, note = 2, " (2 learners)"
			o, ok = f.find(bounded)
		}
		safe := "–"
		if ok {
			safe = fmt.Sprintf("%s, %.2f%s", f.lost(bounded), o.AtWork, note)
		}
		out += fmt.Sprintf("| %s | %.0f, %.0f, %.0f | %s | %s | %s |\n", f.title(), f.Entries.Touched, f.Entries.Participation, f.Entries.Spectral, held,
			f.lost(trial{Learners: 8, Chunk: 100, Share: -1, Rule: sum}), safe)
	}
	return out
}

func rulesTable(all []finding) string {
	out := "| 8 learners, no bound, chunks of 25 and 100 | stale forecasts alone | `weighted` | `scaled` | delayed, chunks of 25: `weighted`, `scaled` |\n|---|---|---|---|---|\n"
	for _, f := range all {
		both := func(t trial) string {
			small, large := t, t
			small.Chunk, large.Chunk = 25, 100
			return f.lost(small) + ", " + f.lost(large)
		}
		free := func(r rule, delayed bool) trial {
			return trial{Learners: 8, Chunk: 25, Share: -1, Rule: r, Delayed: delayed}
		}
		out += fmt.Sprintf("| %s | %s | %s | %s | %s, %s |\n", f.title(), both(trial{Learners: 8, Ideal: true}), both(free(weighted, false)),
			both(free(scaled, false)), f.lost(free(weighted, true)), f.lost(free(scaled, true)))
	}
	return out
}

const page = "../../../docs/cluster-staleness.md"

// The page shows the committed results. GOPHE_UPDATE=1 writes its tables anew.
func TestPageShowsResults(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fill(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("GOPHE_UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(b) {
		t.Error("the tables of the page are not those of results.json; run the test with GOPHE_UPDATE=1")
	}
}
