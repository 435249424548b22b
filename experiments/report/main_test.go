package report

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "rewrite the pages' tables and REPRODUCTION.md from the committed results")

func TestMain(m *testing.M) { os.Exit(resulttest.Main(m)) }

// committedResults are the results that REPRODUCTION.md shows, and committedPages the pages made of them. All tests share them.
var (
	committedResults = sync.OnceValue(func() *result.Folder { return result.OpenFolder("../out") })
	committedPages   = sync.OnceValues(func() (map[string]string, error) { return Report(committedResults()) })
)

// markdown returns a table as `phe table` prints it into a file.
func markdown(name string, folder *result.Folder) (string, error) {
	page, err := Table(name, folder)
	return page.String(), err
}

// refill fills the blocks of a page that a person edits, and counts them. The comment of a block calls functions:
//
//	<!-- {{table "speed"}} -->
//	<!-- end -->
func refill(page string, folder *result.Folder) (filled string, blocks int, err error) {
	return resulttest.Blocks(page, "{{", (&source{page: page, folder: folder}).fill)
}

// results are made-up methods by the names of their results.
type results map[string][]result.Method

// open returns a folder with the results, each of them complete, with the summaries that a run would write.
func (all results) open(t *testing.T) *result.Folder {
	t.Helper()
	folder := t.TempDir()
	for name, methods := range all {
		f := &result.File{Name: name, Status: result.Complete, Stream: result.Stream{Steps: 1}, Methods: methods,
			Manifest: result.Manifest{Spec: json.RawMessage("{}"), Backend: "synthetic"}}
		measure.Summarise(f)
		filetest.Check(t, f.Write(filepath.Join(folder, name+".json")))
	}
	return result.OpenFolder(folder)
}
