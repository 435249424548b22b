package main

import (
	"bufio"
	"cmp"
	"hash/fnv"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/rivals/onehot"
	"gophe/phe/records"
)

// adPredictor is Bayesian probit regression on hashed items.
type adPredictor struct {
	inputs, to string // files of the inputs and of the forecasts
	bytes      int    // of all beliefs, 8 each
	pairs      bool   // items of two columns together are items too
	seed       int64  // draws the hash function
	delay      int    // rows after which the label of a row comes
}

// adPredictorCommand is the command of a contender that is our own, so that its time is a process's like the others'.
func adPredictorCommand() *cobra.Command {
	var a adPredictor
	c := &cobra.Command{Use: "adpredictor", Short: "Learn a stream's inputs by AdPredictor and write its forecasts", Hidden: true,
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return errors.Wrap(a.run(), "AdPredictor") }}
	f := c.Flags()
	f.StringVar(&a.inputs, "inputs", "", "file of the target and the inputs")
	f.StringVar(&a.to, "to", "", "file for the forecasts")
	f.IntVar(&a.bytes, "bytes", 256<<10, "memory of the beliefs")
	f.Int64Var(&a.seed, "seed", 1, "draws the hash function")
	f.IntVar(&a.delay, "delay", 0, "number of rows after which the label of a row comes")
	f.BoolVar(&a.pairs, "pairs", false, "learn pairs of items too")
	return c
}

// run writes the forecast of each row of a file of inputs, made before the row was learned.
func (a *adPredictor) run() (err error) {
	rows, err := records.Open(a.inputs, records.Options{Format: records.CSV, Comma: ',', Header: records.HeaderYes})
	if err != nil {
		return err
	}
	defer rows.Close()
	to, err := os.Create(a.to)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(to)
	defer func() { err = cmp.Or(err, out.Flush(), to.Close()) }()
	beliefs := onehot.NewBeliefs[float32](a.bytes / 8)
	var active []int
	var waiting []labelled
	each := func(yield func(int, float64) bool) {
		for _, b := range active {
			if !yield(b, 1) {
				return
			}
		}
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		active = a.buckets(nil, rows.Columns(), row)
		_, p := beliefs.Predict(each)
		out.WriteString(strconv.FormatFloat(p, 'g', 9, 64) + "\n") // bufio keeps an error for Flush
		y := -1.0
		if row[0] == "1" {
			y = 1
		}
		if waiting = append(waiting, labelled{active, y}); len(waiting) > a.delay {
			active = waiting[0].active
			beliefs.Learn(each, waiting[0].y)
			waiting = waiting[1:]
		}
	}
}

// labelled is a row that was forecast.
type labelled struct {
	active []int
	y      float64
}

// item is an item of a row.
type item struct {
	column string
	key    uint64
}

// buckets appends the buckets of the bias, of a row's items, and of their pairs. Field 0 is the target.
func (a *adPredictor) buckets(active []int, names, fields []string) []int {
	active = append(active, a.bucket(uint64(a.seed)))
	items := make([]item, 0, 64)
	for i, field := range fields {
		if i == 0 || field == "" || strings.HasPrefix(names[i], number) {
			continue
		}
		h := fnv.New64a()
		io.WriteString(h, names[i]+"="+field) // it returns no error
		own := item{names[i][len(number):], mix(h.Sum64() + uint64(a.seed))}
		active = append(active, a.bucket(own.key))
		for _, other := range items {
			if a.pairs && other.column != own.column {
				active = append(active, a.bucket(own.key*3+other.key))
			}
		}
		items = append(items, own)
	}
	return active
}

func (a *adPredictor) bucket(key uint64) int { return int(mix(key) % uint64(a.bytes/8)) }

// mix is the end of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
