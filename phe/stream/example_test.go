package stream_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// lines is a table in memory.
type lines struct {
	columns []string
	rows    [][]string
}

func table(text string) *lines {
	t := &lines{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		t.rows = append(t.rows, strings.Split(strings.TrimSpace(line), ","))
	}
	t.columns, t.rows = t.rows[0], t.rows[1:]
	return t
}

func (t *lines) Columns() []string { return t.columns }

func (t *lines) Read() ([]string, error) {
	if len(t.rows) == 0 {
		return nil, io.EOF
	}
	row := t.rows[0]
	t.rows = t.rows[1:]
	return row, nil
}

// Ben buys and Ada does not. Each forecast is made before its row is learned.
func ExampleProgressive() {
	visits := table("customer,buys" + strings.Repeat("\nAda,no\nBen,yes", 20) + "\nBen,yes\nAda,no\nCem,yes")
	learner, records, err := stream.Begin(visits, schema.Hints{Target: "buys"}, stream.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	row := 0
	err = stream.Progressive(context.Background(), learner, records, 0, func(r schema.Record, f stream.Forecast) error {
		if row++; row <= 2 || row > 40 {
			fmt.Printf("row %d: %s buys with probability %.2f; learned %d times before\n", row, r[0], f.Probability, f.Novelty)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// row 1: Ada buys with probability 0.50; learned 0 times before
	// row 2: Ben buys with probability 0.29; learned 0 times before
	// row 41: Ben buys with probability 0.99; learned 20 times before
	// row 42: Ada buys with probability 0.01; learned 20 times before
	// row 43: Cem buys with probability 0.49; learned 0 times before
	// <nil>
}

// A label that comes later is paired with its record by an id.
func ExampleLearner_Ask() {
	columns := schema.Schema{
		Target:  schema.Target{Column: "price", Kind: schema.Amount},
		Columns: []schema.Column{{Name: "product", Kind: schema.Category}, {Name: "price", Kind: schema.Label}},
	}
	learner, err := stream.New(columns, stream.Options{Memory: 16 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 200 {
		if err := learner.Learn(schema.Record{[]string{"tea", "coffee"}[i%2], []string{"3.10", "5.90"}[i%2]}); err != nil {
			fmt.Println(err)
			return
		}
	}
	f, err := learner.Ask("order 7", schema.Record{"tea", ""})
	fmt.Printf("tea for about %.1f, between %.1f and %.1f; %v\n", f.Value, f.Low, f.High, err)
	fmt.Println(learner.Label("order 7", "3.20"))
	fmt.Println(learner.Label("order 7", "3.20"))
	// Output:
	// tea for about 3.1, between 2.6 and 3.6; <nil>
	// <nil>
	// no record waits for a label under this id: it was never asked about, was labelled before, or waited too long
}
