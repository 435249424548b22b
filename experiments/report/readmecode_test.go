package report_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"gophe/data/records"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// The README's first Go code runs. The test adds only the checks of errors.
func Example_yourOwnStream() {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	here, err := os.Getwd()
	check(err)
	check(os.Chdir(os.TempDir())) // the README's path is relative
	defer os.Chdir(here)
	check(os.WriteFile("visits.csv", []byte("customer,buys\n"+strings.Repeat("Ada,no\nBen,yes\n", 20)), 0o644))
	defer os.Remove("visits.csv")

	table, err := records.Open("visits.csv", records.Options{})
	check(err)
	learner, rows, err := stream.Begin(table, schema.Hints{Target: "buys"}, stream.Options{})
	check(err)
	err = stream.Progressive(ctx, learner, rows, 0, func(r schema.Record, f stream.Forecast) error {
		if f.Rows < 2 || f.Rows > 37 {
			fmt.Printf("%v %.2f %d\n", r, f.Probability, f.Novelty) // said before the row was learned
		}
		return nil
	})
	fmt.Println(learner.Report().Rows, "rows learned,", err)
	// Output:
	// [Ada no] 0.50 0
	// [Ben yes] 0.36 0
	// [Ada no] 0.01 19
	// [Ben yes] 0.99 19
	// 40 rows learned, <nil>
}

// The lines of the README's first Go code are in the example above.
func TestReadmeCode(t *testing.T) {
	page := filetest.Must(os.ReadFile("../../README.md"))(t)
	_, after, found := bytes.Cut(page, []byte("```go\n"))
	code, _, closed := bytes.Cut(after, []byte("```"))
	if !found || !closed {
		t.Fatal("the README has no Go code")
	}
	example := filetest.Must(os.ReadFile("readmecode_test.go"))(t)
	lines := strings.Split(strings.TrimSpace(string(code)), "\n")
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "fmt.Println") && !bytes.Contains(example, []byte(line)) {
			t.Errorf("the example lacks the line %s", line)
		}
	}
}
