package streaming

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/terminal"
)

// snapshot returns the content of every file in a folder.
func snapshot(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	filetest.Check(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = content(t, path)
		}
		return err
	}))
	return files
}

// No slip destroys a file: neither the input, nor the model, nor a stranger's. Files are compared by identity.
func TestNoOutputOverAnotherFile(t *testing.T) {
	t.Parallel()
	folder, visits, model := learned(t, 200, "--memory", "16K") // two generations
	in := func(name string) string { return filepath.Join(folder, name) }
	notes := write(t, folder, "notes.txt", "years of work\n")
	printed, _ := mustPhe(t, "stream", visits, "--target", "bought", "--show-schema")
	schema := write(t, folder, "schema.json", printed)
	filetest.Check(t, os.Link(visits, in("hard.csv")))
	if err := os.Symlink(visits, in("soft.csv")); err != nil {
		t.Skip("no symbolic links here")
	}
	filetest.Check(t, os.Mkdir(model+".journal", 0o755))
	write(t, model+".journal", "1.journal", "acknowledged rows")
	write(t, folder, "data.saving", content(t, visits))
	before := snapshot(t, folder)
	over, exists, foreign := "the output would be written over", "already exists", "is no model"
	overwriting := []string{"predict", model, visits, "--overwrite", "--to"}
	calls := []struct {
		word string
		args []string
	}{
		{exists, []string{"predict", model, visits, "--to", notes}},
		{"- is standard output", []string{"stream", visits, "--target", "bought", "--model", in("n.phe"), "--predictions", "-"}},
		{foreign, []string{"inspect", visits}},
		{foreign, []string{"eval", notes}},
		{foreign, []string{"predict", notes, visits}},
		{foreign, []string{"serve", notes, "--schema", schema, "--address", "127.0.0.1:0"}},
		{over, []string{"stream", in("data.saving"), "--target", "bought", "--model", in("data")}},
		{over, []string{"stream", visits, "--target", "bought", "--model", visits, "--force"}},
		{exists, []string{"stream", visits, "--target", "bought", "--model", model, "--force", "--predictions", notes}},
		{exists, []string{"stream", visits, "--target", "bought", "--model", in("n.phe"), "--predictions", notes}},
		{over, []string{"stream", visits, "--schema", schema, "--model", in("n.phe"), "--predictions", schema, "--overwrite"}},
		{foreign, []string{"stream", visits, "--target", "bought", "--model", notes, "--force"}},
		{foreign, []string{"stream", visits, "--target", "bought", "--model", notes, "--again"}},
		{over, append(overwriting, visits)}, {over, append(overwriting, in("hard.csv"))}, {over, append(overwriting, in("soft.csv"))},
		{over, append(overwriting, model)}, {over, append(overwriting, model+".old")}, {over, append(overwriting, model+".spare")},
		{over, append(overwriting, filepath.Join(model+".journal", "1.journal"))},
		{over, []string{"stream", visits, "--target", "bought", "--model", model, "--again", "--overwrite",
			"--predictions", in("hard.csv")}},
		{over, []string{"stream", visits, "--target", "bought", "--model", model, "--again", "--overwrite",
			"--predictions", model + ".old"}},
	}
	for _, c := range calls {
		_, _, err := phe(t, c.args...)
		filetest.WantError(t, err, c.word)
		filetest.WantNone(t, err.Error(), "remove")
		if after := snapshot(t, folder); !maps.Equal(after, before) {
			t.Fatalf("phe %s changed %v to %v", strings.Join(c.args, " "), slices.Sorted(maps.Keys(before)),
				slices.Sorted(maps.Keys(after)))
		}
	}
}

// Forecasts to a file replace it whole, or not at all.
func TestPredictWhole(t *testing.T) {
	t.Parallel()
	folder, visits, model := learned(t, 1500, "--memory", "16K")
	want, _ := mustPhe(t, "predict", model, visits)
	to := write(t, folder, "forecasts.csv", "record,p(yes),novelty\nyesterday's\n")
	before := snapshot(t, folder)
	predict := []string{"predict", model, visits, "--to", to, "--overwrite"}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // it is noticed after 1,000 rows
	err := command(io.Discard, io.Discard, predict...).ExecuteContext(ctx)
	filetest.True(t, errors.Is(err, context.Canceled), "an interrupted forecast ends with %v", err)
	filetest.Want(t, snapshot(t, folder), before, "files after an interrupted forecast")
	mustPhe(t, predict...)
	filetest.Want(t, content(t, to), want, "forecasts")
	mustPhe(t, "predict", model, visits, "--to", os.DevNull)
}

// The forecasts of phe stream go on in their file, and begin anew in it for another input or model, as long as it is as the model wrote it.
func TestForecastsFile(t *testing.T) {
	t.Parallel()
	folder := filetest.Folder(t)
	first, model := write(t, folder, "first.csv", visits(200)), filepath.Join(folder, "m.phe")
	second := write(t, folder, "second.csv", strings.ReplaceAll(visits(150), "c3,", "c999,"))
	to := filepath.Join(folder, "forecasts.csv")
	command := []string{"stream", first, "--target", "bought", "--drop", "visit", "--memory", "16K", "--model", model, "--predictions", to}
	refused := func(word string, args ...string) {
		t.Helper()
		before := snapshot(t, folder)
		fails(t, args, word, "--overwrite")
		filetest.True(t, maps.Equal(snapshot(t, folder), before), "phe %s changed a file", strings.Join(args, " "))
	}
	lines := func(want int, args ...string) {
		t.Helper()
		mustPhe(t, args...)
		filetest.Want(t, strings.Count(content(t, to), "\n"), want, "lines of forecasts after phe %s", strings.Join(args, " "))
	}
	lines(201, command...)
	whole := content(t, to)
	write(t, folder, "first.csv", visits(220))
	lines(221, command...)
	lines(221, append(command, "--overwrite")...) // nothing is new, and nothing else in the file
	lines(221, append(command, "--force")...)
	write(t, folder, "forecasts.csv", content(t, to)+"a person's note\n")
	refused("not as this model wrote it", append(command, "--force")...)
	refused("lines of another program", command...)
	onTop := []string{"stream", second, "--model", model, "--predictions", to}
	refused("not as this model wrote it", onTop...)
	write(t, folder, "forecasts.csv", strings.TrimSuffix(content(t, to), "a person's note\n"))
	lines(151, onTop...)

	write(t, folder, "forecasts.csv", whole)
	refused("was cut or replaced", onTop...)
	refused("already exists", append(command[:len(command)-3:len(command)-3], filepath.Join(folder, "n.phe"), "--predictions", to)...)
	filetest.Check(t, os.Remove(to)) // rotated away
	refused("is missing", onTop...)
	write(t, folder, "second.csv", strings.ReplaceAll(visits(180), "c3,", "c999,"))
	lines(31, append(onTop, "--overwrite")...)
	lines(31, onTop...)
}

// An alarm names the row at which it went off, whenever the screen is refreshed, and comes once.
func TestAlarm(t *testing.T) {
	t.Parallel()
	folder := filetest.Folder(t)
	var text strings.Builder
	text.WriteString("customer,page,bought\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 { // from row 2,500 on nothing can be forecast
		customer, noise := r.IntN(40), r.IntN(10)
		fmt.Fprintf(&text, "c%d,p%d,%t\n", customer, r.IntN(5), (customer%3 == 0) != (noise == 0) && i < 2500 || i >= 2500 && noise < 5)
	}
	path, model := write(t, folder, "visits.csv", text.String()), filepath.Join(folder, "m.phe")
	want := ""
	l, again, err := stream.Begin(filetest.Must(source.Open(t.Context(), source.Options{}, path))(t).Reader, schema.Hints{Target: "bought"},
		stream.Options{Memory: 64 << 10})
	filetest.Check(t, err)
	alarms, row := 0, int64(0)
	filetest.Check(t, stream.Progressive(context.Background(), l, again, 0, func(_ schema.Record, f stream.Forecast) error {
		if row++; f.Alarms > alarms {
			alarms = f.Alarms
			want += fmt.Sprintf("alarm at row %s: %s\n", terminal.Grouped(row), f.Reason)
		}
		return nil
	}))
	filetest.WantWords(t, want, "the forecasts did not hold")
	_, told := mustPhe(t, "stream", path, "--target", "bought", "--memory", "64K", "--model", model, "--checkpoint", "20ms")
	filetest.True(t, strings.HasSuffix(told, want), "%s, want %s", told, want)
	_, told = mustPhe(t, "stream", path, "--model", model)
	filetest.WantNone(t, told, "alarm") // nothing is new
	// Labels turn around, and come a row late. The alarm names the row of the label, also if that is the last to come.
	turned := []string{"customer,bought\n"}
	for i := range 1620 {
		customer := r.IntN(200)
		turned = append(turned, fmt.Sprintf("c%d,%t\n", customer, (customer%3 == 0) == (i < 1600)))
	}
	late := func(rows int) string {
		path := write(t, folder, "late.csv", strings.Join(turned[:rows+1], ""))
		_, told := mustPhe(t, "stream", path, "--target", "bought", "--memory", "64K", "--delay", "1", "--force",
			"--model", filepath.Join(folder, "late.phe"))
		_, told, _ = strings.Cut(told, "alarm at row ")
		return told
	}
	whole := late(1620)
	at := filetest.Must(strconv.Atoi(strings.ReplaceAll(strings.SplitN(whole, ":", 2)[0], ",", "")))(t)
	filetest.True(t, at >= 1600, "the alarm is at row %d", at)
	filetest.Want(t, late(at), whole, "alarm at the end")
	filetest.Want(t, late(at-1), "", "alarm before its label came")
}
