package source

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

// A model reads objects as its schema says, and a new one takes them apart. Its lists are several items of one cell.
func TestNestedSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	rows := strings.Repeat(`{"a":{"b":{"c":1}},"l":["x","z"],"y":0}`+"\n"+`{"a":{"b":{"c":2}},"l":["x"],"y":1}`+"\n", 50)
	filetest.Check(t, os.WriteFile(path, []byte(rows), 0o600))
	first := func(in *Files) string {
		defer in.Close()
		return strings.Join(filetest.Must(in.Reader.Read())(t), " ")
	}
	in := filetest.Must(Open(t.Context(), Options{}, path))(t)
	of := filetest.Must(in.Infer(schema.Hints{Target: "y"}))(t)
	filetest.Check(t, in.Close())
	filetest.Want(t, strings.Join(of.Names(), " ")+of.Columns[0].Separator+of.Columns[1].Separator, "a.b.c l y|", "names and separators")
	filetest.Want(t, first(filetest.Must(Open(t.Context(), Options{Schema: &of}, path))(t)), "1 x|z 0", "by the schema")
	old := schema.Schema{Target: of.Target, Columns: slices.Clone(of.Columns)}
	old.Columns[0].Name = "a.b"
	filetest.Want(t, first(filetest.Must(Open(t.Context(), Options{Schema: &old}, path))(t)), `{"c":1} x|z 0`, "by a schema of before")
}

// A partitioned table comes in the order of its folders' values, with their columns, as a folder and as a pattern.
func TestPartition(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run=1", "sales")
	for name, text := range map[string]string{"_SUCCESS": "", "year=2024/month=10/a.csv": "x,y\n10,1\n",
		"year=2024/month=2/b.csv": "y,x\n1,2\n", "year=2024/month=9/_x.csv": "no\n",
		"year=2024/month=__HIVE_DEFAULT_PARTITION__/a.csv": "x,y\n0,1\n", "year=999/month=%C3%A4/a.csv": "x,y\nu,0\n",
		"year=2024/_temporary/a.csv": "no\n"} {
		filetest.Check(t, os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o700))
		filetest.Check(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	rows := func(arg string, o records.Options) (all []string) {
		in := filetest.Must(Open(t.Context(), Options{Options: o}, arg))(t)
		defer in.Close()
		for e, err := range in.Read(context.Background(), nil) {
			filetest.Check(t, err)
			all = append(all, strings.Join(e.Record, " "))
		}
		return append(all, strings.Join(in.Reader.Columns(), " "))
	}
	want := []string{"u 0 999 ä", "2 1 2024 2", "10 1 2024 10", "0 1 2024 ", "x y year month"}
	filetest.Want(t, rows(folder, records.Options{}), want, "the folder")
	filetest.Want(t, rows(filepath.Join(folder, "*", "month=*", "[ab].csv"), records.Options{}), want, "the pattern")
	one := filepath.Join(folder, "year=2024/month=2/b.csv")
	filetest.Want(t, rows(one, records.Options{}), []string{"1 2", "y x"}, "one file")
	filetest.Want(t, rows(one, records.Options{Columns: []string{"month", "x"}}), []string{"2 2", "month x"}, "one file for a model")
	_, err := Open(t.Context(), Options{}, folder, filepath.Join(folder, "year=2024", "month=2", "*"))
	filetest.WantError(t, err, "is given twice")
}

// A number of JSON is the same word of a column, and the same class, in a file and in the first rows of a pipe.
func TestNumbersAmongWords(t *testing.T) {
	text := strings.Repeat(`{"v":1.234,"y":"b"}`+"\n"+`{"v":"a","y":1.234}`+"\n", 30)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	filetest.Check(t, os.WriteFile(path, []byte(text), 0o600))
	for _, path := range []string{path, "-"} {
		in := filetest.Must(Open(t.Context(), Options{Options: records.Options{Input: strings.NewReader(text)}}, path))(t)
		s := filetest.Must(in.Infer(schema.Hints{Target: "y"}))(t)
		in.Fit(s)
		word, _ := s.Columns[0].Value(filetest.Must(First(context.Background(), in, nil))(t)[0][0])
		filetest.Want(t, word, "1.234", "the word")
		filetest.Want(t, s.Target.Classes[0], "1.234", "the class")
		in.Close()
	}
}
