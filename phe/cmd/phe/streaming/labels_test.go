package streaming

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
	"gophe/phe/live/broker/brokertest"
)

// TestLabels: labels from a file of their own are joined in the order of the time, and what does not fit is said. Without a time, and when
// labels come late, the report says from which row on bits may differ.
func TestLabels(t *testing.T) {
	folder, rows, labels := filetest.Folder(t), "at,id,page\n", "at,id,bought\n"
	for i := range 300 {
		rows += fmt.Sprintf("2026-03-01 %02d:%02d:00,v%d,p%d\n", i/60, i%60, i, i%7)
		labels += fmt.Sprintf("2026-03-01 %02d:%02d:30,v%d,%s\n", 1+i/60, i%60, i, []string{"no", "yes"}[i%7%2])
	}
	shown, model := write(t, folder, "rows.csv", rows), filepath.Join(folder, "m.phe")
	command := func(labels string, more ...string) []string {
		return append([]string{"stream", shown, "--labels", labels, "--target", "bought", "--id", "id", "--model", model}, more...)
	}
	brought := write(t, folder, "labels.csv", labels)
	out, told := mustPhe(t, command(brought)...)
	filetest.WantWords(t, told, "learned in the order of at", "rows wait for their labels in 256M, which hold about")
	filetest.WantWords(t, out, "300 rows learned")
	filetest.WantNone(t, out, "equal bits", "label")
	out, _ = mustPhe(t, "stream", shown, "--target", "bought", "--model", model) // the model knows its labels
	filetest.WantWords(t, out, "none is new")
	write(t, folder, "labels.csv", labels+"2026-03-02 01:00:00,v7,yes\n2026-03-02 01:00:00,v8,yes\n2026-03-02 01:00:00,v999,no\n")
	out, _ = mustPhe(t, command(brought)...)
	filetest.WantWords(t, out, "1 label matched no row that waits", "1 label came again: not learned",
		"1 label came again with another value")
	out, _ = mustPhe(t, "inspect", model)
	filetest.WantWords(t, out, " --labels "+brought)
	bare := write(t, folder, "bare.csv", strings.ReplaceAll(labels, "2026-03-01 ", "day ")[3:]) // its first column is another one
	out, told = mustPhe(t, command(bare, "--force", "--waiting-memory", "100K")...)
	filetest.WantWords(t, told, "have no time in common", "in 100K, which hold about")
	filetest.WantWords(t, out, "waiting records dropped before a label came", "equal bits end at row 300: ")
	out, _ = mustPhe(t, command(bare, "--force", "--json")...)
	filetest.WantWords(t, out, `"end": 300`)
	cut := write(t, folder, "cut.csv", labels[:strings.Index(labels, "2026-03-01 02")])
	mustPhe(t, command(cut, "--force")...)
	write(t, folder, "cut.csv", labels)
	out, _ = mustPhe(t, command(cut)...)
	filetest.WantWords(t, out, "300 rows learned", "equal bits end at row 121: ") // behind the last label, of 1:59:30
	write(t, folder, "cut.csv", labels+"soon,v9,no\n")
	fails(t, command(cut), "cut.csv, record 301 (line 302), column at: \"soon\" is no time")
	out, _ = mustPhe(t, command(cut, "--bad", "skip")...)
	filetest.WantWords(t, out, "1 label could not be read: left out")
	fails(t, command(brought, "--delay", "2h"), "give one of both")
	fails(t, []string{"stream", shown, "--labels", brought, "--target", "bought"}, "no column says to which row a label belongs", "--id")
	fails(t, command(shown), `it needs "id" and "bought"`)
	fails(t, command(brought, "--delay", "2 h"), "a time such as 2h")
}

// TestLabelsOfBareRows: rows that name no columns have those of their log at each start, though the model has one more, which its labels
// bring. A model that is stopped at rows 100 and 149 has the bits of one that learns a table with a header, without a stop.
func TestLabelsOfBareRows(t *testing.T) {
	folder, url := filetest.Folder(t), server(t)
	conn := brokertest.Dial(t, broker.Options{URLs: url})
	publish := func(name, text string) string {
		brokertest.Stream(t, conn, jetstream.StreamConfig{Name: name, Subjects: []string{name}})
		for lines := range slices.Chunk(strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"), 7) {
			filetest.Must(conn.JS().Publish(t.Context(), name, []byte(strings.Join(lines, ""))))(t)
		}
		return url + "/" + name
	}
	rows, labels := "", "at,id,bought\n"
	for i := range 300 {
		rows += fmt.Sprintf("2026-03-01T%02d:%02d:00,v%d,p%d\n", i/60, i%60, i, i%7)
		labels += fmt.Sprintf("2026-03-01T%02d:%02d:00,v%d,%s\n", i/60, i%60, i, []string{"no", "yes"}[i%7%2])
	}
	const names, given = "at,id,page\n", "--columns=at,id,page"
	labelled, table, bare := publish("labels", labels), write(t, folder, "rows.csv", names+rows), write(t, folder, "bare.csv", rows)
	command := func(input string, more ...string) []string {
		return append([]string{"stream", input, "--labels", labelled, "--target", "bought", "--id", "id"}, more...)
	}
	mustPhe(t, command(table, "--model", table+".phe")...)
	want, _ := bits(t, table+".phe")
	for name, input := range map[string][]string{
		"header":  {publish("header", names+rows)},
		"given":   {publish("given", rows), given},
		"objects": {publish("objects", strings.Join(objects(t, names+rows), "\n"))},
		"tabs":    {publish("tabs", strings.ReplaceAll(names+rows, ",", "\t"))},
		"blank":   {publish("blank", "at,id,page,bought\n"+strings.ReplaceAll(rows, "\n", ",\n"))},
		"odd":     {publish("odd", strings.Replace(rows, "2026-03-01T02:29", "x,x,x,x\n2026-03-01T02:29", 1)), given, "--bad=skip"},
		"file":    {bare, given},
	} {
		model := filepath.Join(folder, name+".phe")
		for i, last := range []string{"100", "149", "0"} {
			flags := input[1:]
			if i == 1 { // the model goes on by itself
				flags = nil
			}
			mustPhe(t, append(command(input[0], "--model", model, "--rows", last), flags...)...)
		}
		wantBits(t, model, want, 300)
	}
	wanted, _ := mustPhe(t, "predict", table+".phe", table)
	prints(t, wanted, "predict", table+".phe", bare)
}
