package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gophe/phe/cmd/phe/streaming"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// trial is a bench of gophe and the base rate on a few rows, with a Python that knows versions alone.
func trial(t *testing.T) *bench {
	t.Helper()
	folder := t.TempDir()
	python := filepath.Join(folder, "python")
	filetest.Check(t, os.WriteFile(python, []byte("#!/bin/sh\necho 1 2 3\n"), 0o755))
	adult := filetest.Must(find([]string{"adult"}))(t)
	return &bench{programs: programs{phe: phe, python: python, rivals: "rivals"}, streams: adult, only: []string{gophe, baseRate},
		maxRows: 600, work: filepath.Join(folder, "work"), to: filepath.Join(folder, "result.json")}
}

// A bench keeps its measurements and adds missing ones. It measures again where another version made the measurement.
func TestBenchGoesOn(t *testing.T) {
	b := trial(t)
	var out bytes.Buffer
	r, err := b.run(context.Background(), &out)
	filetest.Check(t, err)
	filetest.Want(t, len(r.Runs), 4*seeds+1, "runs")
	filetest.WantWords(t, out.String(), "13 runs to do, 0 in")
	for _, own := range r.Runs {
		filetest.True(t, own.Contender != gophe || own.CPU > 0 && own.Score.Late > 0.2 && own.Score.Late < 0.7, "%s", own)
	}
	r.Runs[1].Version, r.Runs[2].Score.Late = "older", 9
	r.Runs = r.Runs[:9]
	filetest.Check(t, r.write(b.to))
	out.Reset()
	again, err := b.run(context.Background(), &out)
	filetest.Check(t, err)
	filetest.WantWords(t, out.String(), "5 runs to do, 9 in")
	filetest.Want(t, len(again.Runs), 13, "runs")
	filetest.Want(t, again.Runs[2].Score.Late, 9, "score of a run that is kept")
	filetest.True(t, again.Runs[1].Version != "older", "a run of another version is kept")
	filetest.WantFiles(t, b.work, "adult.csv", "adult.inputs.csv", "adult.vw.txt")
}

// A bench that is stopped says so and keeps nothing that is not whole.
func TestBenchStops(t *testing.T) {
	b := trial(t)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	filetest.Want(t, filetest.Failure(b.run(ctx, &bytes.Buffer{})), context.Canceled, "error")
	_, err := os.Stat(b.to)
	filetest.True(t, os.IsNotExist(err), "there are results")
}

// A contender that fails ends the bench with its last words.
func TestBenchFails(t *testing.T) {
	b := trial(t)
	broken := filepath.Join(t.TempDir(), "phe")
	filetest.Check(t, os.WriteFile(broken, []byte("#!/bin/sh\necho no room >&2\nexit 1\n"), 0o755))
	b.phe = broken
	filetest.WantError(t, filetest.Failure(b.run(context.Background(), &bytes.Buffer{})), "no room")
}

func TestFindStreams(t *testing.T) {
	filetest.WantError(t, filetest.Failure(find([]string{"ml_4", "ml_5"})), `"ml_5"; choose from retail_12`)
}

// Columns of zeros and ones become one category; others stay.
func TestFold(t *testing.T) {
	header := []string{"elevation", "wilderness_area1", "wilderness_area2", "soil_type1", "soil_type2", "cover_type"}
	rows := [][]string{header, {"7", "0", "1", "1", "0", "2"}}
	fold(rows)
	want := [][]string{{"elevation", "wilderness_area", "soil_type", "cover_type"}, {"7", "wilderness_area2", "soil_type1", "2"}}
	filetest.Want(t, rows, want, "rows")
}

// The rivals get what phe stream takes the columns for, and Vowpal Wabbit a namespace for each column.
func TestInputs(t *testing.T) {
	s := schema.Schema{Target: schema.Target{Column: "n", Kind: schema.Amount, Transform: "log2"}, Columns: []schema.Column{
		{Name: "n", Kind: schema.Label}, {Name: "who", Kind: schema.Category}, {Name: "price", Kind: schema.Both},
		{Name: "size", Kind: schema.Number, Edges: []float64{1, 5}},
		{Name: "at", Kind: schema.Time, Layout: "2006-1-2 15:04:05", Derived: []string{"hour", "weekday"}},
		{Name: "note", Kind: schema.Dropped},
	}}
	all := inputs(s)
	var names, spaces []string
	for _, in := range all {
		names, spaces = append(names, in.name), append(spaces, in.space)
	}
	filetest.Want(t, strings.Join(names, " "), "c:who v:price b:price n:price b:size n:size c:at hour c:at weekday", "names")
	filetest.Want(t, strings.Join(spaces, "|"), "a|b|b|b|c|c|d|e", "namespaces")
	of := func(record ...string) (row []string) {
		for _, in := range all {
			row = append(row, in.of(record))
		}
		return row
	}
	row := of("8", "me and: you", "2.5", "5", "2010-12-01 08:26:00", "x")
	filetest.Want(t, strings.Join(row, "|"), "me and: you|2.5|7|2.5|2|5|8|3", "inputs of a row")
	filetest.Want(t, strings.Join(of("8", "", "", "?", "", ""), "|"), "||||?|||", "inputs of an empty row")
	filetest.Want(t, wabbitLine(3, all, row), "3 |a cme_and__you |b v2.5 b7 |c b2 |d c8 |e c3\n", "line")
}

// Settings are fourteen, with every pair of columns once.
func TestWabbitSettings(t *testing.T) {
	all := wabbitSettings(3)
	filetest.Want(t, all[0], [2]string{wabbitDefault, " -q ab -q ac -q bc"}, "first setting")
	names := map[string]bool{}
	for _, way := range all {
		names[way[0]] = true
	}
	filetest.Want(t, []int{len(all), len(names)}, []int{14, 14}, "settings and names")
}

// phe is the command that the harness measures: this test program, which acts as phe in its children.
var phe = os.Args[0]

// asPhe is the variable that makes this test program act as phe.
const asPhe = "GOPHE_TEST_STREAMS_PHE"

func TestMain(m *testing.M) {
	if os.Getenv(asPhe) == "" {
		os.Setenv(asPhe, "yes")
		os.Exit(m.Run())
	}
	root := &cobra.Command{Use: "phe", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(streaming.Commands()...)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
