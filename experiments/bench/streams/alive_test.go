package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result/resulttest"
	"gophe/experiments/table"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// parts are parts of the model of phe stream, and how to leave each out.
var parts = []struct {
	name  string
	leave func(*schema.Schema, *stream.Options)
}{
	{"pairs of columns", func(_ *schema.Schema, o *stream.Options) { o.Interactions = onepass.None }},
	{"tiles of numbers in pairs", func(s *schema.Schema, _ *stream.Options) {
		s.Columns = slices.Clone(s.Columns)
		for i := range s.Columns {
			s.Columns[i].Quantiles = nil
		}
	}},
	{"the regression", func(_ *schema.Schema, o *stream.Options) { o.Without.LastStep = true }},
	{"what came last, as its inputs", func(_ *schema.Schema, o *stream.Options) { o.Without.Recent = true }},
	{"the curve", func(_ *schema.Schema, o *stream.Options) { o.Without.Curve = true }},
}

const tiles, whatCameLast = 1, 3

// A part that is worth nothing on the stream that it was built for has died.
func TestPartsAreAlive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stream string
		part   int
		least  float64 // relative loss without the part
	}{{"ml_4", whatCameLast, 0.01}, {"covertype", tiles, 0.02}} {
		t.Run(c.stream, func(t *testing.T) {
			t.Parallel()
			rows := 15_000
			if filetest.Long() {
				rows = 0 // all
			}
			p := stored(t, c.stream, rows)
			whole, part := lateLoss(t, p, nil), lateLoss(t, p, parts[c.part].leave)
			filetest.True(t, part >= (1+c.least)*whole, "late log-loss %.4f, and %.4f without %s; want at least %g %% more",
				whole, part, parts[c.part].name, 100*c.least)
		})
	}
}

// TestWorth measures the table of docs/stream-model.md anew.
func TestWorth(t *testing.T) {
	if !filetest.Long() {
		t.Skip("takes minutes")
	}
	const page = "../../../docs/stream-model.md"
	names := []string{"ml_4", "bank", "covertype", "retail_12"}
	worth := table.New(1, append([]string{"late log-loss without"}, names...)...)
	worth.Rows = make([][]string, 1+len(parts))
	worth.Rows[0] = []string{"nothing"}
	for i, part := range parts {
		worth.Rows[1+i] = []string{part.name}
	}
	for _, name := range names {
		p := stored(t, name, 0)
		whole := lateLoss(t, p, nil)
		worth.Rows[0] = append(worth.Rows[0], fmt.Sprintf("%.4f", whole))
		for i, part := range parts {
			worth.Rows[1+i] = append(worth.Rows[1+i], fmt.Sprintf("%+.1f %%", 100*(lateLoss(t, p, part.leave)/whole-1)))
		}
	}
	holds(t, page, func(content string) (string, error) {
		filled, blocks, err := resulttest.Blocks(content, "worth", func(string) (string, error) { return worth.String(), nil })
		filetest.Want(t, blocks, 1, "blocks")
		return filled, err
	})
}

// stored returns the first rows of a stream on disk; 0 are all. It skips the test without MovieLens, since the checkout lacks it.
func stored(t *testing.T, name string, rows int) *prepared {
	t.Helper()
	p := &prepared{known: filetest.Must(find([]string{name}))(t)[0], table: filepath.Join(t.TempDir(), "stream.csv")}
	_, err := p.write(p.table, rows)
	if err != nil && strings.HasPrefix(name, "ml_") {
		t.Skip("MovieLens' terms keep it out of the checkout: ", err)
	}
	filetest.Check(t, err)
	return p
}

// lateLoss returns the log-loss after the first tenth.
func lateLoss(t *testing.T, p *prepared, leave func(*schema.Schema, *stream.Options)) float64 {
	t.Helper()
	inferred, rows, end, err := p.open()
	filetest.Check(t, err)
	defer end()
	s, o := inferred.Schema, stream.Options{Seed: 1, NoExactModel: true}
	if leave != nil {
		leave(&s, &o)
	}
	l := filetest.Must(stream.New(s, o))(t)
	for {
		record, err := rows.Read()
		if err == io.EOF {
			return l.Report().Models[0].Late.Means().LogLoss
		}
		filetest.Check(t, err)
		filetest.Check(t, l.Learn(record))
	}
}
