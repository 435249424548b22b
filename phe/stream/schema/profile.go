package schema

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// profile describes a column by a sample of its fields.
type profile struct {
	name   string
	as     Column            // how the fields are read
	raw    []string          // fields of all records of the sample
	rows   []*spelling       // the same
	filled int               // fields that are not missing
	items  map[string]int    // number of fields of each item
	spelt  map[string]string // most frequent spelling of each item
	marks  []string          // marks of a missing value

	spellings map[string]*spelling

	numeric bool      // the fields are numbers
	numbers []float64 // values of the fields that are numbers
	whole   bool      // all numbers are whole
	rising  bool      // no number is below the one before
}

// Shares of a column's fields.
const (
	mostly = 0.95 // must be of one type; others, such as "unknown", are items of their own
	odd    = 0.01 // must be unlike the others before they decide about the column
)

// spelling is what the sample's fields of one spelling have in common.
type spelling struct {
	text     string
	n        int    // fields
	value    string // as the column reads it
	x        float64
	isNumber bool
}

func newProfile(name string, fields []string) *profile {
	p := &profile{name: name, raw: fields, spellings: map[string]*spelling{}}
	p.rows = make([]*spelling, len(fields))
	for i, f := range fields {
		s := p.spellings[f]
		if s == nil {
			s = &spelling{text: f}
			p.spellings[f] = s
		}
		s.n++
		p.rows[i] = s
	}
	p.decide()
	p.read()
	return p
}

// read reads the fields as the column does.
func (p *profile) read() {
	p.items, p.spelt = map[string]int{}, map[string]string{}
	p.filled, p.numbers, p.whole, p.rising = 0, nil, true, true
	for _, s := range p.spellings {
		if s.value, _ = p.as.Value(s.text); s.value != "" {
			p.filled += s.n
			p.items[s.value] += s.n
			old, found := p.spelt[s.value]
			if n := p.count(old); !found || s.n > n || s.n == n && s.text < old {
				p.spelt[s.value] = s.text
			}
		}
	}
	before := math.Inf(-1)
	for _, s := range p.rows {
		if s.isNumber && s.value != "" {
			p.numbers = append(p.numbers, s.x)
			p.whole = p.whole && s.x == math.Trunc(s.x)
			p.rising = p.rising && s.x >= before
			before = s.x
		}
	}
}

// count returns the number of fields of a spelling.
func (p *profile) count(text string) int {
	if s := p.spellings[text]; s != nil {
		return s.n
	}
	return 0
}

// decide decides how the fields are read. Fields that are few among the others do not decide.
func (p *profile) decide() {
	commas, filled := 0, len(p.raw)-p.count("")
	for f, s := range p.spellings {
		switch decimalMark(f) {
		case ',':
			commas += s.n
		case '.':
			commas -= s.n
		}
	}
	p.as.DecimalComma = commas > 0
	numbers, truths, names, doubled := 0, 0, 0, 0
	known := filled
	for f, s := range p.spellings {
		s.x, s.isNumber = ParseNumber(f, p.as.DecimalComma)
		switch {
		case f == "":
		case s.isNumber:
			numbers += s.n
			if isName(f) {
				names += s.n
			} else if short, _ := shortest(f, p.as.DecimalComma); short != f && f != short+".0" && strings.Trim(f, ".0123456789") == "" {
				doubled += min(s.n, p.count(short)) // such as the version 1.10 beside 1.1
			}
		case missing(tidy(f)):
			known -= s.n
			p.marks = append(p.marks, f)
		case strings.EqualFold(tidy(f), "true") || strings.EqualFold(tidy(f), "false"):
			truths += s.n
		}
	}
	decides := func(n int) bool { return n > 1 && float64(n) >= odd*float64(filled) }
	most := func(n int) bool {
		return float64(n) >= mostly*float64(known) && float64(n) >= (1-mostly)*float64(filled) && n > 0
	}
	p.numeric = most(numbers) && !decides(names)
	p.as.Reading = Text
	switch {
	case most(truths):
		p.as.Reading = Truth
	default:
		if p.findLayout(!p.numeric || ofTime.MatchString(p.name)); p.as.Layout != "" {
			p.as.Reading = Times
		}
	}
	if p.as.Reading == Text && p.numeric && !decides(doubled) {
		p.as.Reading = Numbers
	}
	if p.as.Reading == Text {
		p.marks = nil
	}
	slices.Sort(p.marks)
}

// decimalMark returns the comma or point that surely parts the decimals of a number, such as "3,25" or "1.234,5"; 0 if there is none.
func decimalMark(field string) byte {
	at := strings.LastIndexAny(field, ".,")
	if at < 0 {
		return 0
	}
	x, ok := ParseNumber(field, false)
	if y, also := ParseNumber(field, true); !ok || !also || x != y || x == math.Trunc(x) && len(field)-at == 4 {
		return 0
	}
	return field[at]
}

// repeats returns the number of fields whose value had come before.
func (p *profile) repeats() int { return p.filled - len(p.items) }

// findLayout finds out whether the fields are times, and how they are written. Numbers since 1970 are times if epochs says so.
func (p *profile) findLayout(epochs bool) {
	as, wrong := p.asTimes(anyTime, epochs)
	if wrong == math.MaxInt {
		as, wrong = p.asTimes(dayFirst, epochs)
		if other, less := p.asTimes(monthFirst, epochs); less < wrong {
			as = other
		} else if less == wrong && less < math.MaxInt { // a month of 13 would tell days from months
			as = Column{Note: inDoubt}
		}
	}
	p.as.Layout, p.as.Zone, p.as.Derived, p.as.Note = as.Layout, as.Zone, as.Derived, as.Note
}

// inDoubt is the note of a column of dates whose order its rows do not tell.
const inDoubt = `its days, months and years cannot be told apart; make it a time in the schema, with a layout such as "` + dayFirst + `"`

// asTimes returns how the fields are read by a layout, and the number of those that are no times; the largest number if too many.
func (p *profile) asTimes(layout string, epochs bool) (c Column, wrong int) {
	var last lastTime
	filled, times, dated, local := len(p.raw)-p.count(""), 0, false, false
	hours, days, years, zones := map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]bool{}
	for text, s := range p.spellings {
		last.read(text, layout)
		if t, f := last.time, last.form; last.known && (f != sinceEpoch || epochs) {
			_, away := t.Zone()
			hours[t.Hour()], zones[away] = true, true
			times, dated, local = times+s.n, dated || f.year, local || !f.zone
			if f.short {
				days[t.Day()], years[t.Year()] = true, true
			}
		} else if !missing(tidy(text)) {
			wrong += s.n
		}
		if float64(wrong) > (1-mostly)*float64(filled) { // most columns are not times, and their loops end after a few fields
			return c, math.MaxInt
		}
	}
	switch {
	case times == 0 || float64(wrong) > (1-mostly)*float64(times+wrong) || float64(times) < (1-mostly)*float64(filled):
		return c, math.MaxInt
	case len(years) > 0 && len(years) >= len(days): // such as 18/01/07, which may be of 2018
		return Column{Note: inDoubt}, wrong
	}
	if c.Layout = layout; len(hours) > 1 || !dated {
		c.Derived = []string{hourOf}
	}
	if dated { // Jan 2 15:04:05 tells no weekday
		c.Derived = append(c.Derived, weekdayOf)
	}
	if len(zones) > 1 {
		c.Note = "its clocks have several distances from UTC, and times of UTC stay so: give the zone in the schema"
	} else if !local {
		for away := range zones {
			c.Zone = strings.Replace(time.Unix(0, 0).In(time.FixedZone("", away)).Format("-07:00"), "+00:00", "UTC", 1)
		}
	}
	return c, wrong
}

// Names of columns that tell what their numbers mean.
var (
	ofTime  = regexp.MustCompile(`(?i)time|date|stamp|_at|when|epoch|^(ts|t|day)$`)
	ofThing = regexp.MustCompile(`(?i)(^|[_ -])(ids?|code|key|sku|zip|zipcode|postcode|plz|number|no|nr|phone|user|item|product|customer|account|device|ip|hash)$|` +
		`(?-i)(?s:.)(Id|ID|Code|No|Key|Nr)$`) // customer_id, and userId
)

// Bins returns Column.Edges and Column.Quantiles from some numbers of a column. Quantiles bound bins that hold about equal numbers of the
// sample's fields. So do edges, of which there are none unless logarithmic bins are too coarse. They are too coarse for numbers far from
// 0, such as years or degrees of longitude.
func Bins(numbers []float64) (edges, quantiles []float64) {
	const most, fewest = 32, 8
	sorted := slices.Sorted(slices.Values(numbers))
	logarithmic, distinct := map[int]bool{}, 0
	for i, x := range sorted {
		logarithmic[logarithmicBin(x)] = true
		if i == 0 || x != sorted[i-1] {
			distinct++
		}
	}
	if distinct >= fewest && len(logarithmic) < fewest {
		edges = bounds(sorted, most)
	}
	return edges, bounds(sorted, maxQuantiles+1)
}

// maxQuantiles is the largest number of Column.Quantiles.
const maxQuantiles = 63

// bounds returns the bounds between bins that hold about equal numbers of sorted numbers. Equal bounds are one.
func bounds(sorted []float64, bins int) (list []float64) {
	for i := 1; i < bins && len(sorted) > 0; i++ {
		if x := sorted[i*len(sorted)/bins]; x > sorted[0] && (len(list) == 0 || x > list[len(list)-1]) {
			list = append(list, x)
		}
	}
	return list
}

// logarithmicBin returns the bin that onepass.Encoder.Number uses.
func logarithmicBin(x float64) int {
	return int(math.Copysign(math.Floor(4*math.Log2(1+math.Abs(x))), x))
}

// some lists some of a column's most frequent items, for people.
func (p *profile) some() string {
	items := slices.SortedFunc(maps.Keys(p.items), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.items[b], p.items[a]), cmp.Compare(a, b))
	})
	list := ""
	for i, item := range items[:min(3, len(items))] {
		if i > 0 {
			list += ", "
		}
		list += strconv.Quote(p.spelt[item])
	}
	if len(items) > 3 {
		list += ", …"
	}
	return list
}
