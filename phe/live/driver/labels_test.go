package driver

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// TestLabels compares labels from a second log with a program that sorts both logs and remembers all ids.
func TestLabels(t *testing.T) {
	t.Parallel()
	rows, labels := apart(generate(size(3_000, 100_000, 500), "number"))
	type entry struct {
		at     int
		fields []string
	}
	var list []entry
	for _, log := range [][]byte{rows, labels} {
		latest := 0
		for _, fields := range filetest.Must(csv.NewReader(bytes.NewReader(log)).ReadAll())(t)[1:] {
			latest = max(latest, filetest.Must(strconv.Atoi(fields[0]))(t))
			list = append(list, entry{latest, fields})
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return a.at - b.at })
	l := filetest.Must(stream.New(labelledOf("number"), stream.Options{Memory: 8 << 10, IDs: 500}))(t)
	var output, state bytes.Buffer
	told, n, want, first := Forecasts(&output, l.Schema), int64(0), source.Past{}, map[string]string{} // row or label of an id
	for _, e := range list {
		id, isRow := e.fields[1], len(e.fields) > 3
		fields := strings.Join(e.fields[2:], ",")
		key := id + map[bool]string{true: " row"}[isRow]
		before, known := first[key]
		if isRow {
			n++
		}
		switch {
		case known && isRow && before == fields:
			want.Repeated++
		case known && isRow:
			want.Labels.Reused++
		case known && before == fields:
			want.Labels.Repeated++
		case known:
			want.Labels.Corrected++
		case isRow:
			r := schema.Record(append(e.fields, ""))
			filetest.Check(t, told(n, r, filetest.Must(l.Ask(id, r))(t)))
			want.Rows++
			first[key] = fields
		case first[id+" row"] == "":
			want.Labels.Unmatched++
		default:
			filetest.Check(t, l.Label(id, fields))
			want.Labels.Learned++
			first[key] = fields
		}
	}
	filetest.Check(t, l.Write(&state))
	folder := t.TempDir()
	j := job{Input: write(t, folder, "rows.csv", rows), Labels: write(t, folder, "labels.csv", labels), Target: "number",
		Folder: filetest.Folder(t)}
	j.Rows, j.Follow = 400, true
	filetest.Want(t, j.mustRun(t).State.Records(), 400, "records up to row 400")
	j.Rows, j.Follow = 0, false
	got, result := j.mustRun(t).State, filetest.Must(j.result())(t)
	filetest.Want(t, []any{got.Rows, got.Repeated, got.Labels}, []any{want.Rows, want.Repeated, want.Labels},
		"rows, repeated rows and labels")
	filetest.True(t, min(want.Repeated, want.Labels.Reused, want.Labels.Repeated, want.Labels.Corrected, want.Labels.Unmatched) > 0,
		"%+v", want)
	sameBytes(t, "forecasts", result.output, output.Bytes())
	filetest.True(t, withoutState(result.payload) == state.String(), "another learner")
}
