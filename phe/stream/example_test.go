package stream_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
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

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// The loop that Progressive packages is to predict, to score and to learn. Written by hand it gives the same score.
func Example() {
	const visits = "customer,buys\nAda,no\nBen,yes\nAda,no\nBen,yes\nCem,yes\nAda,yes\nBen,yes\nCem,yes"
	begin := func() (*stream.Learner, stream.Reader) {
		learner, records, err := stream.Begin(table(visits), schema.Hints{Target: "buys"}, stream.Options{})
		check(err)
		return learner, records
	}
	learner, records := begin()
	var byHand score.Tally
	for {
		record, err := records.Read()
		if err == io.EOF {
			break
		}
		check(err)
		forecast, err := learner.Predict(record)
		check(err)
		class, _, err := learner.Schema.Target.Parse(record[1])
		check(err)
		byHand.AddClasses([]float64{1 - forecast.Probability, forecast.Probability}, int(class), 1)
		check(learner.Learn(record))
	}
	fmt.Printf("by hand:     log-loss %.6f of %d rows\n", byHand.Means().LogLoss, byHand.Rows)

	learner, records = begin()
	check(stream.Progressive(context.Background(), learner, records, 0, nil))
	packaged := learner.Report().Models[0].All
	fmt.Printf("Progressive: log-loss %.6f of %d rows\n", packaged.Means().LogLoss, packaged.Rows)
	fmt.Println("equal to the last bit:", byHand == packaged)
	// Output:
	// by hand:     log-loss 0.655924 of 8 rows
	// Progressive: log-loss 0.655924 of 8 rows
	// equal to the last bit: true
}

// Ben buys and Ada does not. Each forecast is made before its row is learned.
func ExampleProgressive() {
	visits := table("customer,buys" + strings.Repeat("\nAda,no\nBen,yes", 20) + "\nBen,yes\nAda,no\nCem,yes")
	learner, records, err := stream.Begin(visits, schema.Hints{Target: "buys"}, stream.Options{})
	check(err)
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
	// row 2: Ben buys with probability 0.36; learned 0 times before
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
	check(err)
	for i := range 200 {
		check(learner.Learn(schema.Record{[]string{"tea", "coffee"}[i%2], []string{"3.10", "5.90"}[i%2]}))
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
