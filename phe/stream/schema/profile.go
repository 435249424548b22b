package schema

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	known, low, high, whole := filled, math.Inf(1), math.Inf(-1), true
	for f, s := range p.spellings {
		s.x, s.isNumber = ParseNumber(f, p.as.DecimalComma)
		switch {
		case f == "":
		case s.isNumber:
			numbers += s.n
			low, high, whole = min(low, s.x), max(high, s.x), whole && s.x == math.Trunc(s.x)
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
	case !p.numeric || isTime(p.name, low, high, whole):
		if p.as.Layout = p.findLayout(); p.as.Layout != "" {
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

// findLayout returns the layout of the fields if they are times, and else "".
func (p *profile) findLayout() string {
	fields := slices.Sorted(maps.Keys(p.spellings)) // all different ones, since a month of 13 tells days from months
	most := (1 - mostly) * float64(len(fields))
	for _, layout := range []string{anyTime, dayFirst, monthFirst} {
		wrong, times := 0., 0
		for i := 0; i < len(fields) && wrong <= most; i++ { // most columns are not times, and their loops end after a few fields
			if _, ok := parseTime(fields[i], layout); ok {
				times++
			} else if !missing(tidy(fields[i])) {
				wrong++
			}
		}
		if wrong <= most && times > 0 {
			return layout
		}
	}
	return ""
}

// isTime tells whether numbers are times: days such as 20260325, perhaps with a clock, or units since 1970 in a column whose name says so.
func isTime(name string, low, high float64, whole bool) bool {
	const first, last, clock = 18000101, 22001231, 1e6
	if whole && (low >= first && high <= last || low >= first*clock && high <= last*clock) {
		return true
	}
	units := []float64{1, 1e3, 1e6, 1e9}
	return ofTime.MatchString(name) && slices.ContainsFunc(units, func(u float64) bool { return low >= since*u && high <= until*u })
}

// Names of columns that tell what their numbers mean.
var (
	ofTime  = regexp.MustCompile(`(?i)time|date|stamp|_at|when|epoch|^(ts|t|day)$`)
	ofThing = regexp.MustCompile(`(?i)(^|[^\pL\pN])((user|item|product|customer|account|device|order|session)?ids?|code|key|sku|zip|zipcode|postcode|plz|number|no|nr|phone|` +
		`user|item|product|customer|account|device|ip|hash|uuid|guid)[^\pL\pN]*$|(?-i)(?s:.)(Id|ID|Code|No|Key|Nr)[^\pL\pN]*$`) // customer_id, user.id, and userId#
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
