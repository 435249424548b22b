package report

import (
	"flag"
	"os"
	"testing"

	"gophe/experiments/fixture"
	"gophe/experiments/result"
)

var update = flag.Bool("update", false, "rewrite README.md's tables and REPRODUCTION.md from the committed results")

func TestMain(m *testing.M) { os.Exit(fixture.Main(m)) }

// committedResults are the results that REPRODUCTION.md shows.
func committedResults() *result.Folder { return result.OpenFolder("../out") }

// markdown returns a table as `phe table` prints it into a file.
func markdown(name string, folder *result.Folder) (string, error) {
	page, err := Table(name, folder)
	return page.String(), err
}
