package streaming

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// extremes is a table of numbers and weights whose logarithms are uniform over all of float64.
func extremes(rng *rand.Rand, rows int, target string) [][]string {
	number := func(sign float64) string {
		return strconv.FormatFloat(math.Ldexp((1+rng.Float64())*sign, rng.IntN(2098)-1074), 'g', -1, 64)
	}
	table := [][]string{{"u", "x", "w", "y"}}
	for range rows {
		either := float64(2*rng.IntN(2) - 1)
		y := map[string]string{"classes": []string{"a", "b"}[rng.IntN(2)], "number": number(either), "count": fmt.Sprint(rng.Int64() >> rng.IntN(63))}[target]
		table = append(table, []string{fmt.Sprint("u", rng.IntN(9)), number(either), number(1), y})
	}
	return table
}

// finiteForecasts checks that all forecasts of a model are finite, so that it can be read.
func finiteForecasts(t *testing.T, model, path string) {
	t.Helper()
	out, _ := mustPhe(t, "predict", model, path)
	if low := strings.ToLower(out); strings.Contains(low, "nan") || strings.Contains(low, "inf") {
		t.Errorf("%s forecasts %.300s", model, out)
	}
	mustPhe(t, "inspect", model)
}

// Numbers and weights of any size that a model takes, by a file, a server and a cluster, and class weights of any size: the model opens
// again, and its forecasts are finite.
func TestExtremesAtAllDoors(t *testing.T) {
	rows := 40
	if filetest.Long() {
		rows = 10_000
	}
	for _, target := range []string{"classes", "number", "count"} {
		t.Run(target, func(t *testing.T) {
			folder, table := t.TempDir(), extremes(rand.New(rand.NewPCG(5, 6)), rows, target)
			var text strings.Builder
			filetest.Check(t, csv.NewWriter(&text).WriteAll(table))
			path, model := write(t, folder, "d.csv", text.String()), filepath.Join(folder, "d.phe")
			flags := []string{path, "--target", "y", "--as", target, "--weight", "w", "--number", "x", "--category", "u", "--bad", "skip"}
			if target == "classes" {
				flags = append(flags, "--classes", "a,b", "--class-weight", "a=5e-324", "--class-weight", "b=1e30")
			}
			mustPhe(t, append([]string{"stream", "--delay", "3", "--model", model}, flags...)...)
			finiteForecasts(t, model, path)
			serveExtremes(t, model, table, 5)
			finiteForecasts(t, model, path)
			if !filetest.Long() {
				return
			}
			nats := []string{"--nats", server(t), "--name", "d"}
			stop := background(t, append([]string{"cluster", "learn"}, nats...)...)
			mustPhe(t, slices.Concat([]string{"cluster", "feed"}, flags, nats)...)
			out, _, _ := phe(t, append([]string{"cluster", "verify"}, nats...)...) // an error, until all is learned
			fed := regexp.MustCompile(`learned of (\d+) fed`).FindStringSubmatch(out)[1]
			eventually(t, fed+" learned of "+fed+" fed", append([]string{"cluster", "verify"}, nats...)...)
			stop()
			shared := filepath.Join(folder, "shared.phe")
			mustPhe(t, append([]string{"cluster", "replay", "--model", shared}, nats...)...)
			finiteForecasts(t, shared, path)
		})
	}
}

// serveExtremes serves a model, which learns rows at once and, a few rows later, by their labels. The server may refuse a row.
func serveExtremes(t *testing.T, model string, table [][]string, each int) {
	t.Helper()
	url, _, stop := startServe(t, model)
	learned, late := 0, []string(nil)
	do := func(path string, body any) {
		switch status, answer := ask(t, "POST", url+path, string(filetest.Must(json.Marshal(body))(t))); {
		case status == 200:
			learned++
		case status/100 != 4 || strings.Contains(answer, "fault"):
			t.Fatalf("%v: %d %s", body, status, answer)
		}
	}
	for i, fields := range table[1:] {
		record := map[string]string{}
		for c, name := range table[0] {
			record[name] = fields[c]
		}
		if i%2 == 0 {
			do("/v1/learn", map[string]any{"record": record})
			continue
		}
		late = append(late, fields[3])
		delete(record, "y")
		do("/v1/predict", map[string]any{"record": record, "id": fmt.Sprint(i)})
		if n := len(late); n > each {
			do("/v1/label", map[string]any{"labels": []map[string]string{{"id": fmt.Sprint(i - 2*each), "target": late[n-1-each]}}})
		}
	}
	if learned < len(table)/5 {
		t.Errorf("%d of %d rows were learned", learned, len(table))
	}
	filetest.Check(t, stop())
}
