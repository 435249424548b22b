package stream

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// sold is a record of a column of times, numbers and text, and of its label.
func sold(r *rand.Rand, i int) schema.Record {
	gap := []string{"x", "", "y"}[r.IntN(3)]
	price := fmt.Sprint(r.IntN(90))
	if r.IntN(50) == 0 {
		price = "unknown"
	}
	return schema.Record{fmt.Sprintf("2026-03-%02d %02d:00:00", 1+i%28, i%24), price, gap, "", []string{"no", "yes"}[r.IntN(2)]}
}

// TestFewForecasts: fields of 49 forecasts are counted and not told; one more, and they are. A column that was empty says nothing more
// once it names the rows.
func TestFewForecasts(t *testing.T) {
	r, records := rand.New(rand.NewPCG(1, 2)), [][]string{}
	for i := range 600 {
		records = append(records, sold(r, i))
	}
	s := filetest.Must(schema.Infer([]string{"when", "price", "coupon", "later", "y"}, records, schema.Hints{Target: "y"}))(t)
	l := filetest.Must(New(s, Options{Memory: 16 << 10}))(t)
	for n := range 50 {
		filetest.Want(t, len(l.Fields(false)), 0, "fields after %d forecasts", n)
		filetest.Must(l.Predict(schema.Record{"2026-03-01 00:00:00", "EUR 7", "x", "", ""}))(t)
	}
	filetest.Want(t, len(l.Fields(true)) >= 1 && len(l.Fields(false)) >= 1, true, "fields of 50 forecasts are told")
	filetest.Check(t, l.NameRows("later", 9))
	for i := range 50 {
		if i == 25 {
			l = reread(t, l)
		}
		row := schema.Record{"2026-03-01 00:00:00", "7", "x", fmt.Sprint(i), "yes"}
		filetest.Must(l.Predict(row))(t)
		filetest.Check(t, l.Learn(row))
	}
	filetest.True(t, !slices.ContainsFunc(l.Fields(true), func(f score.Fields) bool { return f.Column == "later" }), "%v", l.Fields(true))
}

// TestJumps: a share of fields that jumps is one alarm within 500 rows, wherever the change begins, also in a learner that was saved in
// between. Shares that stay as they are, or swing, are none.
func TestJumps(t *testing.T) {
	const before, rows = 900, 1600
	for _, c := range []struct {
		name   string
		from   int
		change func(r *rand.Rand, i int, record schema.Record)
		want   string // begins the alarm; none if it is empty
	}{
		{"none", 0, func(*rand.Rand, int, schema.Record) {}, ""},
		{"currency", 949, func(_ *rand.Rand, _ int, f schema.Record) { f[1] = "EUR " + f[1] },
			`fields of "price" could not be read, such as "EUR `},
		{"some", 1000, func(r *rand.Rand, i int, f schema.Record) {
			if r.IntN(4) == 0 {
				f[1] = "EUR 7"
			}
		}, `fields of "price" could not be read`},
		{"layout", 901, func(_ *rand.Rand, i int, f schema.Record) { f[0] = fmt.Sprintf("%02d/03/2026", 1+i%28) },
			`70 of 70 fields of "when" could not be read`},
		{"empty", 999, func(_ *rand.Rand, _ int, f schema.Record) { f[1], f[2] = "NA", "" },
			`500 of 500 fields of "price" are empty, such as "NA"; 500 of 500 fields of "coupon" are empty; usually 3`},
		{"days", 999, func(_ *rand.Rand, i int, f schema.Record) { f[0] = f[0][:10] }, ""},
		{"swings", 0, func(_ *rand.Rand, i int, f schema.Record) {
			if i%800 > 200 {
				f[1] = ""
			}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			var records [][]string
			for i := range rows {
				record := sold(r, i)
				if i >= c.from {
					c.change(r, i, record)
				}
				records = append(records, record)
			}
			columns := []string{"when", "price", "coupon", "later", "y"}
			s := filetest.Must(schema.Infer(columns, records[:before], schema.Hints{Target: "y"}))(t)
			l := filetest.Must(New(s, Options{Memory: 16 << 10, Interactions: onepass.None}))(t)
			var alarms []string
			delay := 40 * (len(c.want) % 2) // for some
			for i, record := range records {
				if i == before+200 { // in a run
					var b bytes.Buffer
					filetest.Check(t, l.Write(&b))
					l = filetest.Must(Read(b.Bytes()))(t)
				}
				f := filetest.Must(l.StepLate(int64(i), record, delay))(t)
				if f.Reason != "" {
					alarms = append(alarms, fmt.Sprint(i-c.from < 500, " ", f.Reason))
				}
			}
			if want := min(len(c.want), 1); len(alarms) != want || want > 0 &&
				(!strings.HasPrefix(alarms[0], "true") || !strings.Contains(alarms[0], c.want)) {
				t.Errorf("the alarms %q, want one of %q within 500 rows", alarms, c.want)
			}
			filetest.Must(l.LearnWaiting(0))(t)
			if f := l.Report().Fields; c.name == "none" && len(f) > 0 || len(f) > 0 && f[len(f)-1].Of != score.Learned {
				t.Error(f)
			}
		})
	}
}
