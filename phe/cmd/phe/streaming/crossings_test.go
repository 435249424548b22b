package streaming

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"github.com/parquet-go/parquet-go"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// TestCrossings: a model forecasts the same, to the last digit, whatever door has taught it, and at whatever door it is asked. Each writer
// spells values in its own ways and rounds nothing.
func TestCrossings(t *testing.T) {
	tables := uint64(3) // have all kinds of columns
	if os.Getenv("GOPHE_TEST") == "long" {
		tables = 200
	}
	for seed := range tables {
		newCrossing(seed).check(t, seed)
	}
}

var crossingDoors = []string{"CSV", "JSON lines", "DataFrame", "Parquet"}

// cell is a value in the spelling of CSV and JSON, and as Parquet has it; nil if it is missing.
type cell struct {
	csv, json string
	typed     any
}

// crossed is a kind of column.
type crossed struct {
	name string
	leaf parquet.Node
	as   series.Type
	draw func(*rand.Rand) cell
}

var (
	double, clock, letters = parquet.Leaf(parquet.DoubleType), parquet.Timestamp(parquet.Millisecond), parquet.String()

	crossedKinds = []crossed{
		{"amount", double, series.Float, numbers(14, "gef", "gef", func(n int) float64 { return math.Pow(-7.3, float64(n-4)) / 3 })},
		{"price", double, series.Float, numbers(40, "g2", "g2", func(n int) float64 { return float64(n*35) / 100 })},
		{"pieces", double, series.Float, numbers(12, "g1", "g1", func(n int) float64 { return float64(n - 3) })},
		{"preis", double, series.Float, func(r *rand.Rand) cell {
			x := float64(35*r.IntN(40)) / 100
			return cell{strings.Replace(number(r, x, "2"), ".", ",", 1), number(r, x, "g3"), x}
		}},
		{"cents", parquet.Decimal(2, 18, parquet.Int64Type), series.Float, func(r *rand.Rand) cell {
			n := 35 * r.Int64N(40)
			return cell{number(r, float64(n)/100, "2"), number(r, float64(n)/100, "g2"), n}
		}},
		{"big", parquet.Int(64), series.Int, func(r *rand.Rand) cell {
			n := 1<<53 + r.Int64N(9)
			return cell{fmt.Sprint(n), fmt.Sprint(n), n}
		}},
		{"flag", parquet.Leaf(parquet.BooleanType), series.Bool, func(r *rand.Rand) cell {
			b := r.IntN(2) > 0
			return cell{pick(r, map[bool]string{false: "false|False|FALSE", true: "true|True|TRUE"}[b]), fmt.Sprint(b), b}
		}},
		{"code", letters, series.String, texts("007|07|7|012|0|00|120")},
		{"release", letters, series.String, texts("1.1|1.10|1.2|2.0|2.10|2.1")},
		{"word", letters, series.String, texts("n| n|n\t|gr\u00fcn|gru\u0308n|NA|None|-|?|1.0|1|true|a b|1,5")},
		{"date", parquet.Date(), series.String, func(r *rand.Rand) cell {
			at := time.Unix(86_400*(20_000+r.Int64N(40)), 0).UTC()
			return cell{at.Format(time.DateOnly), instant(r, at, time.DateOnly), int32(at.Unix() / 86_400)}
		}},
		{"time", clock, series.String, times(time.UTC, "2006-01-02 15:04:05-07:00|2006-01-02T15:04:05Z")},
		{"naive", clock, series.String, times(time.UTC, "2006-01-02 15:04:05|2006-01-02T15:04:05.000")},
		{"zoned", clock, series.String, times(time.FixedZone("", 7200), "2006-01-02 15:04:05-07:00|2006-01-02T15:04:05.000-0700")},
	}
)

func pick(r *rand.Rand, list string) string {
	all := strings.Split(list, "|")
	return all[r.IntN(len(all))]
}

func texts(list string) func(*rand.Rand) cell {
	return func(r *rand.Rand) cell { s := pick(r, list); return cell{s, fmt.Sprintf("%q", s), s} }
}

// number writes a number in one of some ways: by a letter of strconv, or with a number of decimals.
func number(r *rand.Rand, x float64, ways string) string {
	way, decimals := ways[r.IntN(len(ways))], -1
	if way < 'a' {
		way, decimals = 'f', int(way-'0')
	}
	return strconv.FormatFloat(x, way, decimals, 64)
}

func numbers(n int, csv, json string, of func(int) float64) func(*rand.Rand) cell {
	return func(r *rand.Rand) cell { x := of(r.IntN(n)); return cell{number(r, x, csv), number(r, x, json), x} }
}

func times(zone *time.Location, layouts string) func(*rand.Rand) cell {
	return func(r *rand.Rand) cell {
		at := time.Unix(1_770_000_000+3000*r.Int64N(60), 0).In(zone)
		return cell{at.Format(pick(r, layouts)), instant(r, at, "2006-01-02T15:04:05.000Z07:00"), at.UnixMilli()}
	}
}

// instant writes a time for JSON.
func instant(r *rand.Rand, at time.Time, layout string) string {
	return pick(r, fmt.Sprintf(`%d|"%s"|"%s"`, at.UnixMilli(), at.Format(time.RFC3339), at.Format(layout)))
}

// crossing is a table whose last column is the target.
type crossing struct {
	columns []crossed
	rows    [][]cell
}

func newCrossing(seed uint64) (x crossing) {
	r, order, from := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed/3, 2)).Perm(len(crossedKinds)), int(seed%3)*5
	for i, at := range order[from:min(from+5, len(order))] {
		x.columns = append(x.columns, crossedKinds[at])
		x.columns[i].name = string(rune('a'+i)) + " " + x.columns[i].name // Parquet sorts them
	}
	target := []int{0, 2, 6}[r.IntN(3)] // a number, several classes, two
	x.columns = append(x.columns, crossedKinds[target])
	x.columns[len(x.columns)-1].name = "y"
	x.rows = make([][]cell, 168)
	for _, k := range x.columns {
		share, mark := []float64{0, 0.02, 0.2}[r.IntN(3)], pick(r, "|NA|?|None|null|NaN|<NA>|-|N/A|--")
		if k.leaf == letters || k.name == "y" && target > 0 { // a mark is an item or a class
			mark = ""
		}
		for i := range x.rows {
			one := k.draw(r)
			if r.Float64() < share {
				one = cell{mark, pick(r, fmt.Sprintf("null|%q", mark)), nil}
			}
			x.rows[i] = append(x.rows[i], one)
		}
	}
	return x
}

// doors writes rows for each door, and returns what opens them for a schema. JSON has no keys of missing values in rows that are asked.
func (x crossing) doors(t *testing.T, rows [][]cell, asked bool) map[string]func(*schema.Schema) stream.Reader {
	var files [4]bytes.Buffer
	group, frame, table := parquet.Group{}, make([][]any, len(x.columns)), make([][]string, len(rows)+1)
	for _, k := range x.columns {
		group[k.name], table[0] = parquet.Optional(k.leaf), append(table[0], k.name)
	}
	w := parquet.NewWriter(&files[3], parquet.NewSchema("table", group))
	for i, row := range rows {
		object, values := "", parquet.Row{}
		for c, one := range row {
			v := map[bool]any{true: one.csv, false: one.json}[x.columns[c].as == series.String]
			if one.typed == nil {
				v = nil
			}
			if !asked || v != nil {
				object += fmt.Sprintf(",%q:%s", x.columns[c].name, one.json)
			}
			table[i+1], frame[c] = append(table[i+1], one.csv), append(frame[c], v)
			values = append(values, parquet.ValueOf(one.typed).Level(0, map[bool]int{true: 1}[v != nil], c))
		}
		files[1].WriteString("{" + strings.TrimPrefix(object, ",") + "}\n")
		filetest.Must(w.WriteRows([]parquet.Row{values}))(t)
	}
	filetest.Check(t, w.Close())
	filetest.Check(t, csv.NewWriter(&files[0]).WriteAll(table))
	open := map[string]func(*schema.Schema) stream.Reader{}
	for i, door := range crossingDoors {
		path := write(t, t.TempDir(), "table", files[i].String())
		open[door] = func(s *schema.Schema) stream.Reader {
			return filetest.Must(source.Open(context.Background(), source.Options{Schema: s, Learns: s == nil}, path))(t).Reader
		}
	}
	open["DataFrame"] = func(*schema.Schema) stream.Reader {
		all := make([]series.Series, len(x.columns))
		for c, k := range x.columns {
			all[c] = series.New(frame[c], k.as, k.name)
		}
		return filetest.Must(records.OfFrame(dataframe.New(all...)))(t)
	}
	return open
}

func (x crossing) check(t *testing.T, seed uint64) {
	learn, ask := x.doors(t, x.rows[8:], false), x.doors(t, x.rows[:8], true)
	var want []string
	for _, door := range crossingDoors {
		l, from, err := stream.Begin(learn[door](nil), schema.Hints{Target: "y"}, stream.Options{Memory: 4 << 10})
		filetest.Check(t, err)
		filetest.Check(t, stream.Progressive(context.Background(), l, from, 0, nil))
		if want == nil || door == "Parquet" && strings.Contains(fmt.Sprint(l.Schema.Names()), "zoned") { // Parquet has no zones
			want = forecasts(t, l, ask["CSV"](&l.Schema))
		}
		for _, at := range crossingDoors {
			if got := forecasts(t, l, ask[at](&l.Schema)); !slices.Equal(got, want) {
				t.Errorf("table %d, learned from %s and asked by %s: %q instead of %q by %+v", seed, door, at, got, want, l.Schema)
				break
			}
		}
	}
}

// forecasts returns the forecasts of a reader's records.
func forecasts(t *testing.T, l *stream.Learner, r stream.Reader) (list []string) {
	for record, err := r.Read(); err != io.EOF; record, err = r.Read() {
		filetest.Check(t, err)
		f := filetest.Must(l.Predict(record))(t)
		list = append(list, fmt.Sprint(f.Probability, f.Classes, f.Value, f.Low, f.High, f.Novelty, f.Spread))
	}
	return list
}
