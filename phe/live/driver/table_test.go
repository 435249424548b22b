package driver

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// targets are the kinds of target that the tests learn.
var targets = map[string]schema.Target{
	"two classes":     {Column: "label", Kind: schema.Classes, Classes: []string{"no", "yes"}},
	"several classes": {Column: "label", Kind: schema.Classes, Classes: []string{"low", `middle, "so-so"`, "high"}},
	"waking":          {Column: "label", Kind: schema.Classes, Classes: []string{"no", "yes"}},
	"number":          {Column: "label", Kind: schema.Amount},
	"count":           {Column: "label", Kind: schema.Count},
}

// schemaOf returns the schema of a generated table.
func schemaOf(target string) schema.Schema {
	s := schema.Schema{Target: targets[target], Columns: []schema.Column{
		{Name: "user", Kind: schema.Category}, {Name: "item", Kind: schema.Category}, {Name: "amount", Kind: schema.Number},
		{Name: "label", Kind: schema.Label},
	}}
	if target == "waking" {
		s.Columns[2].Kind, s.Columns[2].Constant = schema.Both, "0"
	}
	return s
}

// labelledOf returns the schema of a generated table whose labels are in another one.
func labelledOf(target string) schema.Schema {
	s := schemaOf(target)
	s.Columns = append([]schema.Column{{Name: "at", Kind: schema.Time, Layout: "any", Derived: []string{"hour"}},
		{Name: "n", Kind: schema.ID}}, s.Columns...)
	return s
}

// apart returns a generated table as rows and labels, which come a hundred seconds later. Times are out of order. Some rows and labels
// come again, some with other values, and some labels have no row.
func apart(table []byte) (rows, labels []byte) {
	r := rand.New(rand.NewPCG(8, 9))
	all := strings.Split(strings.TrimSpace(string(table)), "\n")
	line := func(to []byte, late, n int, fields, other string) []byte {
		next := fmt.Appendf(nil, "%d,r%d,", 1_700_000_000+late+n/2+r.IntN(20), n)
		to = append(append(append(to, next...), fields...), '\n')
		switch r.IntN(50) {
		case 0:
			to = append(append(append(to, next...), fields...), '\n')
		case 1:
			to = append(append(append(to, next...), other...), '\n')
		}
		return to
	}
	rows, labels = []byte("at,n,user,item,amount\n"), []byte("at,n,label\n")
	for n, fields := range all[1:] {
		at := strings.LastIndexByte(fields, ',')
		rows, labels = line(rows, 0, n, fields[:at], "u,i,1"), line(labels, 100, n, fields[at+1:], "77")
		if r.IntN(50) == 0 {
			labels = fmt.Appendf(labels, "%d,none %d,5\n", 1_700_000_000+n/2, n)
		}
	}
	return rows, labels
}

// learner returns a learner of a generated table. Its tables are small, so that items share buckets and the tests are fast.
func learner(target string) (*stream.Learner, error) {
	memory := 8 << 10
	if target == "count" {
		memory = 64 << 10
	}
	return stream.New(schemaOf(target), stream.Options{Memory: memory})
}

// row returns a line of a generated table. New users keep coming.
func row(r *rand.Rand, number int, target string) string {
	user := int(math.Sqrt(float64(number)) * 4 * r.Float64() * r.Float64())
	item := r.IntN(50)
	amount := math.Round(1000*r.ExpFloat64()) / 100
	if target == "waking" && number < wakes {
		amount = 0
	}
	score := math.Sin(float64(user)) + math.Cos(float64(item)) + amount/20 + r.NormFloat64()
	label := fmt.Sprintf("%.3f", score)
	switch t := targets[target]; {
	case t.Kind == schema.Count:
		label = fmt.Sprint(int(math.Exp(score)))
	case len(t.Classes) == 2:
		label = t.Classes[int(min(max(score, 0), 1))]
	case t.Kind == schema.Classes:
		label = `"` + strings.ReplaceAll(t.Classes[int(min(max(score+1, 0), 2))], `"`, `""`) + `"`
	}
	return fmt.Sprintf("u%d,\"item %d, red\",%g,%s\n", user, item, amount, label)
}

// wakes is the row of a table at which the column that is asleep begins to vary.
const wakes = 700

const header = "user,item,amount,label\n"

// generate returns a table with a header. Equal arguments give equal tables.
func generate(rows int, target string) []byte {
	r := rand.New(rand.NewPCG(7, uint64(len(target))))
	b := bytes.NewBufferString(header)
	for n := range rows {
		b.WriteString(row(r, n, target))
	}
	return b.Bytes()
}
