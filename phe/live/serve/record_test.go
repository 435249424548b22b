package serve

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// orders is a schema with a column of each reading. Decimal commas are in price, in the target, and in a column of a model of before.
var orders = schema.Schema{
	Target: schema.Target{Column: "paid", Kind: schema.Amount, Reading: schema.Numbers, DecimalComma: true},
	Columns: []schema.Column{{Name: "item.id", Kind: schema.Category, Reading: schema.Numbers},
		{Name: "tags", Kind: schema.Category, Reading: schema.Text},
		{Name: "price", Kind: schema.Both, Reading: schema.Numbers, DecimalComma: true},
		{Name: "time", Kind: schema.Time, Reading: schema.Times, Layout: "any", Derived: []string{"hour", "weekday"}},
		{Name: "flag", Kind: schema.Category, Reading: schema.Truth}, {Name: "deep.in", Kind: schema.Category, Reading: schema.Text},
		{Name: "row", Kind: schema.Dropped}, {Name: "before", Kind: schema.Both, DecimalComma: true},
		{Name: "paid", Kind: schema.Label}},
}

// TestRecordsAsLines: a record of a request is read as a line of JSON lines, and the answer names what was not read and what was left out.
// The records of a group say the same, so they have one forecast. A group with a problem is refused.
func TestRecordsAsLines(t *testing.T) {
	t.Parallel()
	begin := func() (*stream.Learner, error) { return stream.New(orders, stream.Options{Memory: 16 << 10}) }
	s, twin := filetest.Must(Open(filepath.Join(filetest.Folder(t), "model"), begin, Options{}))(t), filetest.Must(begin())(t)
	defer mustClose(t, s)
	line := func(record string) schema.Record {
		r := filetest.Must(records.New(strings.NewReader(record+"\n"), "t",
			records.Options{Format: records.JSONLines, Columns: orders.Names(), OneLevel: true}))(t)
		r.Typed(orders.Commas())
		return filetest.Must(r.Read())(t)
	}
	rows := []string{`{"item":{"id":123456789012345678901},"price":1e5,"paid":-0}`, `{"item":{"id":1E400},"price":66.125,"paid":1E5}`}
	for n := range 200 {
		rows = append(rows, fmt.Sprintf(`{"item":{"id":%d},"tags":["red",%d],"price":%d.5,"time":"2026-03-25 %d:00","flag":%t,`+
			`"deep":{"in":{"a":[1]}},"row":%d,"before":%d.5,"paid":%d.125}`,
			n%4, n%3, n%7, n%24, n%2 == 0, n, n%9, n%7*1000+n%4))
	}
	ok[learned](t, s, "POST", "/v1/learn", `{"records":[`+strings.Join(rows, ",")+`]}`)
	for _, row := range rows {
		filetest.Check(t, twin.Learn(line(row)))
	}
	const rest = `,"tags":["red","1"],"time":"2026-03-25 12:00:00","flag":true,"deep":{"in":{"a":[1]}},"before":5.5}`
	long, umlauts, many := strings.Repeat("y", 9000), strings.Repeat("ö", 60), make([]string, 10_000)
	for n := range many {
		many[n] = fmt.Sprintf(`,"a%d":%d`, n, n)
	}
	for _, g := range []struct {
		unread, ignored, problem string
		records                  []string
	}{
		{"", "", "", []string{`{"item":{"id":3},"price":5.5` + rest, `{"item.id":"3.0","price":"5,5","tags":"red|1",` +
			`"time":"2026-03-25T12:00:00Z","before":"5.5","flag":"TRUE","deep.in":"{\"a\":[1]}"}`,
			`{"item.id":3e0,"price":"5.50","tags":" red|1 ","time":1774440000,"before":[5.5],"flag":1,"deep":{"in":{"a":[1]}},` +
				`"row":[[7]],"paid":"x"}`,
			`{"item":{"id":"3"},"price":"$ 5,50","tags":["red",1],"time":"25.03.2026 12:00","before":5.5,"flag":"True",` +
				`"deep":{"in":{"a":[1]}}}`}},
		{"", "", "", []string{`{"item":{"id":123456789012345678901},"price":66.125` + rest,
			`{"item.id":"123456789012345678901","price":"66,125"` + rest,
			`{"item.id":["123456789012345678901"],"price":["66,125"]` + rest}},
		{"", "", "", []string{`{"item":{"id":-0},"price":1E5` + rest, `{"item":{"id":"0"},"price":"100.000"` + rest,
			`{"item":{"id":0},"price":1e+5` + rest}},
		{"item.id", "", "", []string{`{"item":{"id":1E400},"price":null` + rest, `{"item":{"id":"1E400"},"price":"NA"` + rest,
			`{"item.id":null,"item":{"id":1E400}` + rest}},
		{"item.id price time", "", "", []string{`{"item":{"id":"x"},"price":"cheap","time":"soon","flag":true,"deep":{}}`}},
		{"", "item.shop|Price || price", "",
			[]string{`{"item":{"id":3,"shop":{"x":1}},"price":5.5,"Price ":[{}],"":null," price":"x"` + rest}},
		{"", "a0|a1|a2|a3|a4|a5|a6|a7|a8|a9|…", "", []string{`{"item":{"id":3},"price":5.5` + strings.Join(many, "") + rest}},
		{"", umlauts, "", []string{`{"item":{"id":3},"price":5.5,"` + umlauts + umlauts + `":1` + rest}},
		{"", "", `\"item\" is no column of this model; did you mean \"item.id\"?; the record lacks [\"item.id\"]`,
			[]string{`{"item":[{"id":3}],"price":5.5` + rest}},
		{"", "", `\"item.id\" comes twice`, []string{`{"item.id":3,"item":{"id":3},"price":5.5` + rest}},
		{"", "", `\"zzz\" comes twice`, []string{`{"item":{"id":3},"price":5.5,"new":{"a":[{"zzz":1,"zzz":1}]}` + rest,
			`{"zzz":1,"price":5.5,"item":{"id":3},"zzz":1` + rest}},
		{"", "", `\"` + long[:60] + `\" comes twice`, []string{`{"item":{"id":3},"` + long + `":1,"` + long + `":1` + rest}},
	} {
		var first []forecast
		for _, record := range g.records {
			for _, body := range []string{`{"record":` + record + `}`, `{"record":` + strings.ReplaceAll(record, `,"`, ",\n \"") + `}`} {
				if g.problem != "" {
					refused(t, s, 422, g.problem, "POST", "/v1/predict", body)
					continue
				}
				got, want := ok[forecasts](t, s, "POST", "/v1/predict", body), filetest.Must(twin.Predict(line(record)))(t)
				if first == nil {
					first = got.Forecasts
				}
				if f := got.Forecasts[0]; *f.Value != want.Value || f.Spread != want.Spread || !reflect.DeepEqual(got.Forecasts, first) ||
					strings.Join(f.Unread, " ") != g.unread || strings.Join(got.Ignored, "|") != g.ignored {
					t.Errorf("%.300s: %+v, ignored %q; want %+v as the line, and as the first record", body, f, got.Ignored, want)
				}
			}
		}
	}
	for i, target := range []string{`1.125`, `"1,125"`, `["1,125"]`} { // a number without quotes has a point
		record, id := `{"item.id":"x","price":1.125,"time":"soon"}`, fmt.Sprint(i)
		filetest.WantWords(t, call(t, s, "POST", "/v1/predict", `{"record":`+record+`,"id":"`+id+`"}`).body, `"unread":["item.id","time"]`)
		ok[learned](t, s, "POST", "/v1/label", `{"labels":[{"id":"`+id+`","target":`+target+`}]}`)
		filetest.Must(twin.Ask(id, line(record)))(t)
		filetest.Check(t, twin.Label(id, "1,125"))
	}
	filetest.WantWords(t, call(t, s, "GET", "/metrics", "").body, `gophe_unread_total{column="item.id",of="learn"} 4`,
		`gophe_unread_total{column="time",of="learn"} 3`)
	wantSame(t, s.own.learner, twin, "the model of the requests")
}

// A record of a nested model is the row of JSON lines: objects at any depth and in texts, lists of objects, and null in place of an object.
func TestNestedRecords(t *testing.T) {
	t.Parallel()
	target := schema.Target{Column: "y", Kind: schema.Classes, Classes: []string{"no", "yes"}}
	of := schema.Schema{Target: target, Nested: true, Columns: []schema.Column{
		{Name: "user.geo.country", Kind: schema.Category}, {Name: "user.geo.zip", Kind: schema.Category},
		{Name: "items.sku", Kind: schema.Category, Separator: "|"}, {Name: "y", Kind: schema.Label}}}
	s := mustBegin(t, of, Options{})
	filetest.WantWords(t, call(t, s, "GET", "/v1/schema", "").body, `"nested":true`) // as /openapi.json describes it
	for _, test := range []struct{ body, want string }{
		{`{"user":{"geo":{"country":"DE","zip":7}},"items":[{"sku":"A"},{"sku":"B"}],"other":{"in":1}}`, "DE 7 A|B  [other.in]"},
		{`{"user":"{\"geo\":{\"country\":\"DE\"}}","items":{"sku":["A","B"]}}`, "DE  A|B  []"},
		{`{"user":null,"items":[],"other":1}`, "    [other]"},
		{`{"user":{"geo":null},"items":[],"other":1}`, "    [other]"},
		{`{"user":{"geo":"DE"},"items":[]}`, `"user.geo" is no column of this model; the record lacks ["user.geo.country" "user.geo.zip"]`},
		{`{"user":{"geo":{"zip":1}},"user.geo.zip":2}`, `the column "user.geo.zip" comes twice`},
	} {
		op, p := s.layout.list([]byte(`{"record":`+test.body+`}`), false)
		if p != nil {
			filetest.WantWords(t, p.Message, test.want)
			continue
		}
		filetest.Want(t, fmt.Sprint(strings.Join(op.Ask[0], " "), " ", op.Ignored), test.want, "%s", test.body)
	}
}

// TestWaitingRoom: records that wait take a bounded memory. Requests of a journal of 0.2.0 have no bound, and a replay drops the same ones.
func TestWaitingRoom(t *testing.T) {
	folder := filetest.Folder(t)
	s := mustOpen(t, folder, Options{})
	filetest.True(t, s.own.room > 100_000*800, "100,000 short records have %d bytes", s.own.room)
	for n, c := range []struct{ room, dropped int64 }{{0, 0}, {0, 0}, {0, 0}, {25_000, 2}, {25_000, 1}} { // a record takes 9,000 and some
		s.own.room = c.room
		body := fmt.Sprintf(`{"id":"v%d","record":{"customer":%q}}`, n, strings.Repeat("x", 9000))
		filetest.Want(t, ok[forecasts](t, s, "POST", "/v1/predict", body).Dropped, c.dropped, "records dropped for v%d", n)
		filetest.Want(t, s.own.learner.Waits("v0"), n < 3, "the first one waits beside v%d", n)
	}
	again := mustOpen(t, copyModel(t, folder), Options{})
	wantSame(t, again.own.learner, s.own.learner, "the model after a kill")
}
