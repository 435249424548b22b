package streaming

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/broker"
)

// stdin makes a pipe the standard input until the test ends, and returns its other end.
func stdin(t *testing.T) (to *os.File) {
	t.Helper()
	from, to, err := os.Pipe()
	filetest.Check(t, err)
	before := os.Stdin
	os.Stdin = from
	t.Cleanup(func() { os.Stdin = before; from.Close() })
	return to
}

// send sends a text to standard input.
func send(t *testing.T, text string) {
	t.Helper()
	to := stdin(t)
	go func() {
		defer to.Close()
		_, _ = to.WriteString(text) // the learner tells an error
	}()
}

// Rows that come again are learned once, from a file, a pipe or a stream. The model and the forecasts equal a run over the table without
// them, except for the numbers of rows. The first rows, which describe the columns, have repeats too.
func TestRepeatsAtAllDoors(t *testing.T) {
	folder, url, table := filetest.Folder(t), server(t), "visit,customer,seconds,bought\n"
	for i := range 2500 { // the bins of the numbers depend on each row
		table += fmt.Sprintf("v%d,c%d,%d,%s\n", i, i*7%40, i*i%1009, []string{"yes", "no", "no"}[i*7%40%3])
	}
	again := twice(table)
	published(t, broker.Options{URLs: url}, again, 700)
	lines, parts := strings.SplitAfter(again, "\n"), filepath.Join(folder, "parts")
	filetest.Check(t, os.Mkdir(parts, 0o700))
	for i := range 3 {
		write(t, parts, fmt.Sprint(i), lines[0]+strings.Join(lines[1+i*1000:min(len(lines), 1001+i*1000)], ""))
	}
	once, file := write(t, folder, "once.csv", table), write(t, folder, "twice.csv", again)
	model, forecasts, number := filepath.Join(folder, "m.phe"), filepath.Join(folder, "m.csv"), regexp.MustCompile(`(?m)^\d+,`)
	learn := func(in, piped string, settings []string) (learned []byte, told, last string) {
		defer func(stdin *os.File) { os.Stdin = stdin }(os.Stdin)
		os.Stdin = filetest.Must(os.Open(piped))(t)
		defer os.Stdin.Close()
		mustPhe(t, append([]string{"stream", in, "--target", "bought", "--id", "visit", "--ids", "100", "--model", model, "--force",
			"--predictions", forecasts, "--overwrite"}, settings...)...)
		learned, state := bits(t, model)
		filetest.True(t, state.Ended, "%s has not ended", in)
		told = content(t, forecasts)
		numbers := number.FindAllString(told, -1)
		return learned, number.ReplaceAllString(told, ""), numbers[len(numbers)-1]
	}
	for i, settings := range [][]string{{}, {"--delay", "30"}, {"--threads", "1"}, {"--where", "seconds>11"}} {
		for door, in := range map[string]string{"pipe": "-", "file": file, "files": parts, "jsonl": write(t, folder, "twice.jsonl",
			strings.Join(objects(t, again), "\n")+"\n"), "one": url + "/one", "many": url + "/many"} {
			if i > 0 && !filetest.Long() && door != []string{"", "files", "many", "jsonl"}[i] {
				continue
			}
			alone := once
			if in == "-" { // its first 1,000 rows tell the columns
				alone = in
			}
			want, wanted, _ := learn(alone, once, settings)
			got, told, last := learn(in, file, settings)
			filetest.True(t, bytes.Equal(got, want), "%s %q has other bits", door, settings)
			filetest.True(t, told == wanted, "%s %q has other forecasts", door, settings)
			filetest.True(t, last > "26", "%s: the last number is %s not the input's", door, last)
		}
	}
}

// A command says what became of rows that come again, and which column would have told. It stops at a column that names no rows.
func TestRepeatsAreSaid(t *testing.T) {
	folder, table := filetest.Folder(t), visits(2500)
	model := filepath.Join(folder, "m.phe")
	lines := strings.SplitAfter(table, "\n")
	other := strings.Replace(lines[1200], "yes", "no", 1)
	if other == lines[1200] {
		other = strings.Replace(lines[1200], "no", "yes", 1)
	}
	path := write(t, folder, "visits.csv", twice(table)+other+strings.Replace(lines[1200], ",c", ",d", 1))
	named := []string{"stream", path, "--target", "bought", "--id", "visit", "--model", model}
	out, _ := mustPhe(t, named...)
	filetest.WantWords(t, out, "2,501 rows learned", "\n250 rows came again, with the id and the values of an earlier one: not learned",
		"\n1 row came again with another label: not learned", "\n1 row had the id of an earlier one, and other values: learned")
	out, _ = mustPhe(t, append(named, "--json")...)
	filetest.WantWords(t, out, `"repeated": 250`, `"corrected": 1`, `"reused": 1`)
	out, _ = mustPhe(t, "inspect", model)
	filetest.WantWords(t, out, "to know one that comes again: 2,501 of 100,000, in hashes of 80,032 bytes")
	out, _ = mustPhe(t, append(named, "--ids", "2", "--force")...)
	filetest.WantWords(t, out, "2,728 rows learned", "\n24 rows came again") // those that come again at once
	out, _ = mustPhe(t, append(named, "--ids", "0", "--force")...)
	filetest.WantWords(t, out, "2,752 rows learned")
	filetest.WantNone(t, out, "again", " id ")
	fails(t, append(named, "--ids", "3"), "ids is 3 now, and it was 0")
	fails(t, []string{"stream", path, "--target", "bought", "--id", "customer", "--model", filepath.Join(folder, "x.phe")},
		"customer does not name rows: of the first 141 rows, 101 have the id", "--id", "--ids 0")
	fails(t, []string{"stream", path, "--target", "bought", "--ids", "5", "--model", filepath.Join(folder, "y.phe")}, "name one (--id)")
	text := lines[0]
	for _, letter := range "abcde" { // the first 10,000 rows tell that the column names them
		text += strings.ReplaceAll(strings.Join(lines[1:], ""), "v", string(letter))
	}
	for rows, said := range map[int]bool{25: false, 26: true} { // 1 % of 2,526 later rows is 25.26
		late := write(t, folder, "late.csv", text+strings.ReplaceAll(strings.Join(lines[2501-rows:], ""), "v", "e"))
		out, _ := mustPhe(t, "stream", late, "--target", "bought", "--model", filepath.Join(folder, "late.phe"), "--force")
		filetest.Want(t, strings.Contains(out, `the same command with --id "visit"`), said, "something is said of %d rows: %s", rows, out)
	}
}

// TestForecastsAreJoined: forecasts repeat the column of --id, as CSV and as JSON with the letters of its classes, also where a name comes
// again. A model that was begun without an id takes one along the stream: earlier rows are learned again, and later ones once.
func TestForecastsAreJoined(t *testing.T) {
	folder, table := filetest.Folder(t), "ref,item,y\n"
	row := func(i int) string { return fmt.Sprintf("r%d,i%d,%s\n", i, i%7, []string{"<=5", ">5"}[i*i%7%2]) }
	for i := range 600 {
		table += row(i)
	}
	path, model := write(t, folder, "t.csv", table), filepath.Join(folder, "m.phe")
	forecasts := filepath.Join(folder, "f.csv")
	args := []string{"stream", path, "--target", "y", "--model", model}
	mustPhe(t, append(args, "--predictions", forecasts)...)
	ask := write(t, folder, "ask.csv", "note,item,ref\nn1,i3,r1\n<b>,i3,r1\n")
	plain, _ := mustPhe(t, "predict", model, ask)
	var p, novelty string
	_, err := fmt.Sscanf(strings.Replace(strings.Split(plain, "\n")[1], ",", " ", 2), "1 %s %s", &p, &novelty)
	filetest.Check(t, err)
	for id, want := range map[string]string{"ref": "r1 r1", "note": "n1 <b>"} {
		names := strings.Fields(want)
		out, _ := mustPhe(t, "predict", model, ask, "--id", id)
		filetest.Want(t, out, fmt.Sprintf("record,%s,p(>5),novelty\n1,%s,%s,%s\n2,%s,%s,%s\n", id, names[0], p, novelty,
			names[1], p, novelty), "forecasts with the id")
		out, _ = mustPhe(t, "predict", model, ask, "--id", id, "--json")
		line := "{\"record\":%d,%q:%q,\"p(>5)\":%s,\"novelty\":%s}\n"
		filetest.Want(t, out, fmt.Sprintf(line+line, 1, id, names[0], p, novelty, 2, id, names[1], p, novelty), "forecasts as JSON")
	}
	fails(t, []string{"predict", model, ask, "--id", "rev"}, `no column "rev"; did you mean "ref"?`)
	fails(t, append(args, "--id", "item"), `"item" cannot name the rows: the model learns it`, "leave the flag out")
	write(t, folder, "t.csv", table+row(7)+row(8)) // known before ids were kept
	fails(t, append(args, "--id", "ref", "--predictions", forecasts), "forecasts without the rows' new id", "--overwrite")
	out, _ := mustPhe(t, append(args, "--id", "ref")...)
	filetest.WantWords(t, out, "602 rows learned", "ids are kept from row 601 on: ")
	out, _ = mustPhe(t, "inspect", model)
	filetest.WantNone(t, out, "learned again by")
	write(t, folder, "t.csv", table+row(7)+row(8)+row(8)+row(9)+row(7))
	out, _ = mustPhe(t, args...)
	filetest.WantWords(t, out, "603 rows learned", "\n2 rows came again, with the id and the values of an earlier one")
}
