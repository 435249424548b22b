package streams

import (
	"bytes"
	"context"
	"gophe/experiments/fixture"
	"gophe/phe/filetest"
	"gophe/phe/stream/schema"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// trial is a bench of gophe and the base rate on a few rows, with a Python that knows versions alone.
func trial(t *testing.T) *Bench {
	t.Helper()
	folder := t.TempDir()
	python := filepath.Join(folder, "python")
	filetest.Check(t, os.WriteFile(python, []byte("#!/bin/sh\necho 1 2 3\n"), 0o755))
	adult := filetest.Must(Find([]string{"adult"}))(t)
	return &Bench{Programs: Programs{Phe: phe, Python: python, Rivals: "rivals"}, Streams: adult, Only: []string{Gophe, BaseRate}, Most: 600, Jobs: 2,
		Work: filepath.Join(folder, "work"), To: filepath.Join(folder, "result.json")}
}

// A bench keeps its measurements and adds missing ones. It measures again where another version made the measurement.
func TestBenchGoesOn(t *testing.T) {
	b := trial(t)
	var out bytes.Buffer
	r, err := b.Run(context.Background(), &out)
	if err != nil || len(r.Runs) != 4*seeds+1 || !strings.Contains(out.String(), "13 runs to do, 0 in") {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, run := range r.Runs {
		if run.Contender == Gophe && !(run.CPU > 0 && run.Score.Late > 0.2 && run.Score.Late < 0.7) {
			t.Error(run)
		}
	}
	r.Runs[1].Version, r.Runs[2].Score.Late = "older", 9
	r.Runs = r.Runs[:9]
	filetest.Check(t, r.Write(b.To))
	out.Reset()
	again, err := b.Run(context.Background(), &out)
	if err != nil || !strings.Contains(out.String(), "5 runs to do, 9 in") || len(again.Runs) != 13 || again.Runs[2].Score.Late != 9 || again.Runs[1].Version == "older" {
		t.Errorf("%v\n%s", err, out.String())
	}
	if left, _ := filepath.Glob(filepath.Join(b.Work, "run*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A bench that is stopped says so and keeps nothing that is not whole.
func TestBenchStops(t *testing.T) {
	b := trial(t)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := b.Run(ctx, &bytes.Buffer{}); err != context.Canceled {
		t.Error(err)
	}
	if _, err := os.Stat(b.To); err == nil {
		t.Error("there are results")
	}
}

// A contender that fails ends the bench with its last words.
func TestBenchFails(t *testing.T) {
	b := trial(t)
	broken := filepath.Join(t.TempDir(), "phe")
	filetest.Check(t, os.WriteFile(broken, []byte("#!/bin/sh\necho no room >&2\nexit 1\n"), 0o755))
	b.Phe = broken
	fixture.WantError(t, fixture.Failure(b.Run(context.Background(), &bytes.Buffer{})), "no room")
}

func TestFindStreams(t *testing.T) {
	fixture.WantError(t, fixture.Failure(Find([]string{"ml_4", "ml_5"})), `"ml_5"; choose from retail_12`)
}

// Columns of zeros and ones become one category; others stay.
func TestFold(t *testing.T) {
	header := []string{"elevation", "wilderness_area1", "wilderness_area2", "soil_type1", "soil_type2", "cover_type"}
	if got := fold(header, header, true); !slices.Equal(got, []string{"elevation", "wilderness_area", "soil_type", "cover_type"}) {
		t.Errorf("%q", got)
	}
	if got := fold(header, []string{"7", "0", "1", "1", "0", "2"}, false); !slices.Equal(got, []string{"7", "wilderness_area2", "soil_type1", "2"}) {
		t.Errorf("%q", got)
	}
}

// The rivals get what phe stream takes the columns for, and Vowpal Wabbit a namespace for each column.
func TestInputs(t *testing.T) {
	in := newInputs(schema.Schema{Target: schema.Target{Column: "n", Kind: schema.Amount, Transform: "log2"}, Columns: []schema.Column{
		{Name: "n", Kind: schema.Label}, {Name: "who", Kind: schema.Category}, {Name: "price", Kind: schema.Both}, {Name: "size", Kind: schema.Number, Edges: []float64{1, 5}},
		{Name: "at", Kind: schema.Time, Layout: "2006-1-2 15:04:05", Derived: []string{"hour", "weekday"}}, {Name: "note", Kind: schema.Dropped},
	}})
	if got := strings.Join(in.names, " "); got != "c:who v:price b:price n:price b:size n:size c:at hour c:at weekday" {
		t.Error(got)
	}
	if got := strings.Join(in.namespaces(), "|"); got != "a|b|b||c||d|e" {
		t.Error(got)
	}
	record := []string{"8", "me and: you", "2.5", "5", "2010-12-01 08:26:00", "x"}
	row := in.read(nil, record)
	if got := strings.Join(row, "|"); got != "me and: you|2.5|7|2.5|2|5|8|3" || in.y(record) != 3 {
		t.Errorf("%s, %g", got, in.y(record))
	}
	if got := strings.Join(in.read(nil, []string{"8", "", "", "?", "", ""}), "|"); got != "||||?|||" {
		t.Error(got)
	}
	p := &Prepared{Numeric: true}
	var line bytes.Buffer
	if p.wabbitLine(&line, 3, row, in.namespaces(), in.names); line.String() != "3 |a cme_and__you |b v2.5 b7 |c b2 |d c8 |e c3\n" {
		t.Errorf("%q", line.String())
	}
}

// Settings are fourteen, with every pair of columns once.
func TestWabbitSettings(t *testing.T) {
	all := wabbitSettings(&Prepared{Columns: 3})
	if len(all) != 14 || strings.Join(all[0].args, " ") != "-q ab -q ac -q bc" || all[0].name != wabbitDefault {
		t.Errorf("%d settings, the first %+v", len(all), all[0])
	}
	names := map[string]bool{}
	for _, s := range all {
		names[s.name] = true
	}
	if len(names) != len(all) {
		t.Errorf("%v", names)
	}
}
