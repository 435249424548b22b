package streaming

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// extremes are rows u, x, w and y. The logarithms of numbers and weights are uniform over all of float64.
func extremes(rows int, target string) (table [][]string) {
	rng := rand.New(rand.NewPCG(5, 6))
	number := func(sign int) string {
		return fmt.Sprint(math.Ldexp((1+rng.Float64())*float64(sign), rng.IntN(2098)-1074))
	}
	for range rows {
		sign, y := 2*rng.IntN(2)-1, []string{"a", "b"}[rng.IntN(2)]
		switch target {
		case "number":
			y = number(sign)
		case "count":
			y = fmt.Sprint(rng.Int64() >> rng.IntN(63))
		}
		table = append(table, []string{fmt.Sprint("u", rng.IntN(9)), number(sign), number(1), y})
	}
	return table
}

// Numbers and weights of any size come by a file, a server and a stream, with class weights of any size: the model opens again, and its
// forecasts are finite.
func TestExtremesAtAllDoors(t *testing.T) {
	rows, targets := 40, []string{"classes"}
	if filetest.Long() {
		rows, targets = 10_000, []string{"classes", "number", "count"}
	}
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			folder, text, table := t.TempDir(), "u,x,w,y\n", extremes(rows, target)
			for _, r := range table {
				text += strings.Join(r, ",") + "\n"
			}
			path, model, shared := write(t, folder, "d.csv", text), filepath.Join(folder, "d.phe"), filepath.Join(folder, "shared.phe")
			flags := []string{path, "--target", "y", "--as", target, "--weight", "w", "--number", "x", "--category", "u", "--bad", "skip"}
			if target == "classes" {
				flags = append(flags, "--classes", "a,b", "--class-weight", "a=5e-324", "--class-weight", "b=1e30")
			}
			finite := func(model string) {
				out, _ := mustPhe(t, "predict", model, path)
				filetest.WantNone(t, strings.ToLower(out), "nan", "inf")
			}
			mustPhe(t, slices.Concat([]string{"stream", "--delay", "3", "--model", model}, flags)...)
			finite(model)
			serveExtremes(t, model, table)
			finite(model)
			if !filetest.Long() {
				return
			}
			to := server(t) + "/d"
			mustPhe(t, slices.Insert(slices.Concat([]string{"feed"}, flags), 2, to)...)
			mustPhe(t, slices.Concat([]string{"stream", to, "--model", shared}, flags[1:])...)
			finite(shared)
		})
	}
}

// serveExtremes serves a model, which learns rows at once and, a few rows later, by their labels. The server may refuse a row.
func serveExtremes(t *testing.T, model string, table [][]string) {
	t.Helper()
	const late = 10
	url, _, stop := startServe(t, model)
	learned := 0
	do := func(path string, body any) {
		switch status, answer := ask(t, "POST", url+path, string(filetest.Must(json.Marshal(body))(t))); {
		case status == 200:
			learned++
		case status/100 != 4:
			t.Fatalf("%v: %d %s", body, status, answer)
		}
	}
	for i, r := range table {
		record := map[string]string{"u": r[0], "x": r[1], "w": r[2], "y": r[3]}
		if i%2 == 0 {
			do("/v1/learn", map[string]any{"record": record})
			continue
		}
		delete(record, "y")
		do("/v1/predict", map[string]any{"record": record, "id": fmt.Sprint(i)})
		if i >= late {
			do("/v1/label", map[string]any{"labels": []map[string]string{{"id": fmt.Sprint(i - late), "target": table[i-late][3]}}})
		}
	}
	filetest.True(t, learned >= len(table)/5, "%d of %d rows were learned", learned, len(table))
	filetest.Check(t, stop())
}
