package report

import (
	"flag"
	"os"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/table"
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

// refill fills the blocks of a page that a person edits, and counts them. The comment of a block calls functions:
//
//	<!-- {{table "speed"}} -->
//	<!-- end -->
func refill(page string, folder *result.Folder) (filled string, blocks int, err error) {
	return table.Blocks(page, "{{", newSource(page, folder).fill)
}
