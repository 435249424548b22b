package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/rivals/onehot"
	"gophe/phe/disk/output"
)

// adPredictor is Bayesian probit regression on hashed items.
type adPredictor struct {
	bytes int   // of all beliefs, 8 each
	pairs bool  // items of two columns together are items too
	seed  int64 // draws the hash function
}

// adPredictorCommand is the command of a contender that is our own, so that its time is a process's like the others'.
func adPredictorCommand() *cobra.Command {
	var a adPredictor
	var inputs, to string
	c := &cobra.Command{Use: "adpredictor", Short: "Learn a stream's inputs by AdPredictor and write its forecasts", Hidden: true,
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return a.run(inputs, to) }}
	f := c.Flags()
	f.StringVar(&inputs, "inputs", "", "file of the target and the inputs")
	f.StringVar(&to, "to", "", "file for the forecasts")
	f.IntVar(&a.bytes, "bytes", 256<<10, "memory of the beliefs")
	f.Int64Var(&a.seed, "seed", 1, "draws the hash function")
	f.BoolVar(&a.pairs, "pairs", false, "learn pairs of items too")
	return c
}

// run writes the forecast of each row of a file of inputs, made before the row was learned.
func (a *adPredictor) run(inputs, to string) error {
	in, err := os.Open(inputs)
	if err != nil {
		return errors.Wrap(err, "reading the inputs")
	}
	defer in.Close()
	return output.Place{Path: to, Flag: "--to", Overwrite: true}.Write(func(w io.Writer) error {
		out := bufio.NewWriter(w)
		err := a.learn(csv.NewReader(in), out)
		return cmp.Or(errors.Wrap(err, "reading the inputs"), out.Flush())
	})
}

func (a *adPredictor) learn(in *csv.Reader, out *bufio.Writer) error {
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return err
	}
	names := slices.Clone(header[1:])
	beliefs := onehot.NewBeliefs[float32](a.bytes / 8)
	var active []int
	each := func(yield func(int, float64) bool) {
		for _, b := range active {
			if !yield(b, 1) {
				return
			}
		}
	}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		active = a.buckets(active[:0], names, row[1:])
		_, p := beliefs.Predict(each)
		out.WriteString(strconv.FormatFloat(p, 'g', 9, 64))
		out.WriteByte('\n') // bufio keeps an error for Flush
		y := -1.0
		if row[0] == "1" {
			y = 1
		}
		beliefs.Learn(each, y)
	}
}

// buckets returns the buckets of the bias, of a row's items, and of their pairs.
func (a *adPredictor) buckets(active []int, names, fields []string) []int {
	active = append(active, a.bucket(uint64(a.seed)))
	type item struct {
		column string
		key    uint64
	}
	items := make([]item, 0, 64)
	for i, field := range fields {
		if field == "" || strings.HasPrefix(names[i], number) {
			continue
		}
		h := fnv.New64a()
		io.WriteString(h, names[i]+"="+field) // it returns no error
		items = append(items, item{names[i][len(number):], mix(h.Sum64() + uint64(a.seed))})
	}
	for i, one := range items {
		active = append(active, a.bucket(one.key))
		for _, other := range items[:i] {
			if a.pairs && other.column != one.column {
				active = append(active, a.bucket(one.key*3+other.key))
			}
		}
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
