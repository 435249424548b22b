package stream

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// twinRows is the number of rows of each table that the second implementation has learned.
const twinRows = 2000

// twinTables returns the tables that the second implementation has learned: columns, then records. Bank has numbers. The other table has
// missing fields, a growing vocabulary, and so many pairs that most are dropped. Its labels turn around in the end.
func twinTables(t *testing.T) map[string][][]string {
	t.Helper()
	bank := filetest.Must(csv.NewReader(bytes.NewReader(filetest.Unzip(t, "../../data/uci/bank.csv.gz"))).ReadAll())(t)

	random := rand.New(rand.NewPCG(5, 8))
	const columns = 30
	made := [][]string{nil}
	for c := range columns {
		made[0] = append(made[0], fmt.Sprint("c", c))
	}
	made[0] = append(made[0], "y")
	for row := range twinRows {
		r, odds := []string(nil), -1.
		for c := range columns {
			item := random.IntN(4 + c + row*c/2000)
			switch {
			case random.IntN(20) == 0:
				r = append(r, "")
			case c%5 == 0:
				x := 100 * random.NormFloat64()
				r = append(r, strconv.FormatFloat(x, 'f', 2, 64))
				odds += x / 200
			default:
				r = append(r, fmt.Sprint("item ", item))
				odds += float64(item%3-1) / 2
			}
		}
		if row >= twinRows*3/4 {
			odds = -odds
		}
		made = append(made, append(r, sample(random, odds)))
	}
	return map[string][][]string{"bank": bank[:twinRows+1], "made": made}
}

// twinForecasts runs the second implementation on a table.
func twinForecasts(t *testing.T, s schema.Schema, table [][]string) (forecasts []float64) {
	t.Helper()
	described, rows := filepath.Join(t.TempDir(), "schema.json"), filepath.Join(t.TempDir(), "rows.csv")
	filetest.Check(t, os.WriteFile(described, filetest.Must(json.Marshal(s))(t), 0o600))
	var content bytes.Buffer
	filetest.Check(t, csv.NewWriter(&content).WriteAll(table))
	filetest.Check(t, os.WriteFile(rows, content.Bytes(), 0o600))
	python := exec.Command("python3", "testdata/twin.py", described, rows)
	python.Stderr = os.Stderr
	for line := range strings.FieldsSeq(string(filetest.Must(python.Output())(t))) {
		forecasts = append(forecasts, filetest.Must(strconv.ParseFloat(line, 64))(t))
	}
	return forecasts
}

// Two implementations forecast two classes alike. testdata/twin.py is the other one, in numpy; with -update this test runs it (python3
// needs numpy).
func TestTwin(t *testing.T) {
	const path = "testdata/twin.json.gz"
	tables, want := twinTables(t), map[string][]float64{}
	schemas := map[string]schema.Schema{}
	for name, table := range tables {
		schemas[name] = filetest.Must(schema.Infer(table[0], table[1:], schema.Hints{Target: "y"}))(t)
	}
	if *update {
		for name, table := range tables {
			want[name] = twinForecasts(t, schemas[name], table)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		filetest.Check(t, json.NewEncoder(w).Encode(want))
		filetest.Check(t, w.Close())
		filetest.Check(t, os.WriteFile(path, packed.Bytes(), 0o644))
	}
	filetest.Check(t, json.Unmarshal(filetest.Unzip(t, path), &want))
	for name, table := range tables {
		l := filetest.Must(New(schemas[name], Options{Seed: 1, NoExactModel: true}))(t)
		filetest.Want(t, l.model.Design.Experts[0].Learner.Chooses(), name == "made", "%s: pairs are dropped", name)
		filetest.Want(t, len(want[name]), twinRows, "%s: forecasts", name)
		for i, r := range table[1:] {
			f, _, err := l.Step(r)
			filetest.Check(t, err)
			filetest.Near(t, f.Probability, want[name][i], 1e-9, "%s, row %d: the forecast, and the second implementation's", name, i+1)
		}
		c := l.model.State().Statistics.Change
		filetest.True(t, (len(c.Alarms) == 1 && c.Due > 0 && c.Due < twinRows-100) == (name == "made"), "%s: %+v", name, c)
	}
}
