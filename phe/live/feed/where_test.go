package feed

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/records"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// A condition compares values. One that no record meets names values of the column, and one that each record meets is warned of.
func TestConditionSays(t *testing.T) {
	table := "price;flag;y\n"
	for i := range 100 {
		table += fmt.Sprintf("%d,%03d;%s;%d\n", i%7, i%10, []string{"True", "False"}[i%2], i*i%3)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	filetest.Check(t, os.WriteFile(path, []byte(table+strings.Repeat("9,5;true;1\n", 30)), 0o600))
	for where, want := range map[string]struct {
		rows int
		says string
	}{
		"flag=true": {80, ""}, "flag=1": {80, ""}, "price=9.50": {30, ""}, "price<7.5": {100, ""}, "flag=yes": {0, `no record of `}, "price<=9999": {130, "each of the first"},
	} {
		in := filetest.Must(Open(path, where, records.Options{}))(t)
		s, err := in.Infer(schema.Hints{Target: "y", As: schema.Classes})
		if err == nil {
			in.Fit(s)
		}
		rows := 0
		for record, end := in.Read(); end == nil; record, end = in.Read() {
			if in.Keep(record) {
				rows++
			}
		}
		if says := fmt.Sprint(s.Target.Note, err); rows != want.rows || !strings.Contains(says, want.says) || (want.says != "") != strings.Contains(says, "the column holds") {
			t.Errorf("%s: %d rows, %s", where, rows, says)
		}
		in.Close()
	}
}

// A number of JSON is the same word of a column, and the same class, in a file and in the first rows of a pipe.
func TestNumbersAmongWords(t *testing.T) {
	text := strings.Repeat(`{"v":1.234,"y":"b"}`+"\n"+`{"v":"a","y":1.234}`+"\n", 30)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	filetest.Check(t, os.WriteFile(path, []byte(text), 0o600))
	piped := filetest.Must(records.New(struct{ io.Reader }{strings.NewReader(text)}, "pipe", records.Options{}))(t)
	for _, in := range []*Source{filetest.Must(Open(path, "", records.Options{}))(t), {Reader: piped}} {
		s := filetest.Must(in.Infer(schema.Hints{Target: "y"}))(t)
		in.Fit(s)
		if record := filetest.Must(in.Read())(t); record[0] != "1.234" || s.Target.Classes[0] != "1.234" {
			t.Errorf("%q, classes %q", record, s.Target.Classes)
		}
		in.Close()
	}
}
