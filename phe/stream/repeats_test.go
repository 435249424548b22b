package stream

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// named returns a stream whose rows have an id, and the same stream with a share of the rows again, each before a number of other rows.
func named(target string, share float64, delay int) (once, twice *made) {
	m, rng := makeStream(400, target), rand.New(rand.NewPCG(1, 2))
	once, twice = &made{columns: append([]string{"order"}, m.columns...)}, &made{columns: append([]string{"order"}, m.columns...)}
	due := map[int][]string{}
	for i, r := range m.records {
		r = append([]string{fmt.Sprint("order ", i)}, r...)
		if once.records, twice.records = append(once.records, r), append(twice.records, r); rng.Float64() < share {
			due[i+delay] = r
		}
		if r, again := due[i]; again {
			twice.records = append(twice.records, r)
		}
	}
	return once, twice
}

// namedIDs is the number of ids that learners of named streams keep.
const namedIDs = 50

// learnNamed learns a named stream in one of some ways, and returns the learner and its forecasts.
func learnNamed(t *testing.T, m *made, target, way string) (l *Learner, forecasts []Forecast) {
	t.Helper()
	m.next = 0
	h := hintsOf(target)
	h.Kinds = map[string]schema.Kind{"order": schema.ID}
	l, _, err := Begin(m, h, Options{IDs: namedIDs, Memory: 32 << 10})
	filetest.Check(t, err)
	var p *Pipeline
	for i, record := range m.records {
		var f Forecast
		id, row := fmt.Sprint("ask ", i), &Prepared{}
		switch {
		case way == "late":
			f, err = l.StepLate(int64(len(forecasts)), record, 30)
		case way == "by labels":
			asked := slices.Clone(record)
			asked[len(asked)-1] = ""
			f = filetest.Must(l.Ask(id, asked))(t)
			if errors.As(l.Label(id, record[len(record)-1]), &f.Again) {
				filetest.Want(t, f.Again, repeats.Repeated, "what row %d is", i)
			}
		case way == "in threads" && p != nil && p.Prepare(record, row):
			p.Step([]*Prepared{row})
			p.Step(nil)
			f = row.Forecast
		default:
			if f, _, err = l.Step(record); way == "from files" && i%40 == 0 {
				l = reread(t, l)
			}
		}
		if filetest.Check(t, err); f.Again.Learned() {
			forecasts = append(forecasts, f)
		}
		if way == "in threads" && p == nil {
			p = l.Pipeline()
		}
	}
	return l, forecasts
}

// A stream in which rows come again gives the bits and the forecasts of the stream without them, in all ways of learning. Its first rows,
// which tell the columns, have repeats too.
func TestRepeats(t *testing.T) {
	for i := range 3 * 3 * len(targets) {
		target, share, delay := targets[i/9], []float64{0.01, 0.1, 0.3}[i/3%3], []int{0, 7, namedIDs - 1}[i%3]
		if !filetest.Long() && i%9 != []int{8, 4, 6, 5}[i/9] {
			continue
		}
		once, twice := named(target, share, delay)
		filetest.True(t, len(twice.records) > 400, "no row comes again")
		for _, way := range []string{"row by row", "late", "in threads", "by labels", "from files"} {
			want, wanted := learnNamed(t, once, target, way)
			got, forecasts := learnNamed(t, twice, target, way)
			filetest.True(t, bytes.Equal(bytesOf(t, got), bytesOf(t, want)), "%s, %s: other bits, %g after %d", target, way, share, delay)
			filetest.True(t, slices.EqualFunc(forecasts, wanted, same), "%s, %s: other forecasts, %g after %d", target, way, share, delay)
		}
	}
}

// A row comes again if each column reads the value of before, whatever its spelling, and also if a column is no input.
func TestValuesThatComeAgain(t *testing.T) {
	once, _ := named("two", 0, 0)
	const repeated, reused = repeats.Repeated, repeats.Reused
	base := once.records[0]
	for _, price := range []schema.Kind{schema.Number, schema.Both, schema.Weight} {
		h := schema.Hints{Target: "y", Multi: map[string]string{"tags": "|"}, Kinds: map[string]schema.Kind{"order": schema.ID,
			"price": price, "at": schema.Time, "item": schema.Dropped}}
		l, _, err := Begin(&made{columns: once.columns, records: once.records}, h, Options{IDs: namedIDs, Memory: 32 << 10})
		filetest.Check(t, err)
		for _, c := range []struct {
			place int
			field string
			want  repeats.Kind
		}{{0, base[0], 0}, {0, " " + base[0], repeated}, {1, base[1] + " ", repeated}, {1, "u x", reused}, {1, "", reused}, {2, "i x",
			repeated},
			{3, base[3] + "0", repeated}, {3, "1" + base[3], reused}, {3, "0", reused}, {3, "-0", repeated},
			{4, "2026-03-01T00:30:00", reused}, {4, "2026-03-08 00:30:00", reused}, {5, base[5] + "|x", reused}, {6, "", repeated}, {0,
				"", 0}} {
			record := slices.Clone(base)
			record[c.place] = c.field
			f, _, err := l.Step(record)
			filetest.Check(t, err)
			filetest.Want(t, f.Again, c.want, "what a row is with %q in place of %q, the price a %s", c.field, base[c.place], price)
		}
	}
}
