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
