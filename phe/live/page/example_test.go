package page_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"gophe/phe/live/page"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// table is a CSV file as a stream.Reader.
type table struct {
	*csv.Reader
	columns []string
}

func (t table) Columns() []string { return t.columns }

func read(text string) table {
	r := csv.NewReader(strings.NewReader(text))
	columns, err := r.Read()
	if err != nil {
		panic(err)
	}
	return table{r, columns}
}

// A page is mounted on any server. Here it is at /, and its first event comes at once.
func ExampleNew() {
	visits := read("customer,buys" + strings.Repeat("\nAda,no\nBen,yes", 20))
	learner, records, err := stream.Begin(visits, schema.Hints{Target: "buys"}, stream.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	live := page.New(learner.Moment, page.Options{Title: "visits"})
	defer live.Close()
	server := httptest.NewServer(live)
	defer server.Close()
	err = stream.Progressive(context.Background(), learner, records, 0, nil)
	live.Finish(true)
	answer, getErr := http.Get(server.URL + "/events")
	if err != nil || getErr != nil {
		fmt.Println(err, getErr)
		return
	}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data:") {
	}
	fmt.Println(strings.Contains(lines.Text(), `"rows":40,`), strings.Contains(lines.Text(), `"state":"ended"`))
	live.Close()
	// Output: true true
}
