package source

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/records"
	"gophe/phe/stream/schema"
)

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
