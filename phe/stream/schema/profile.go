package schema

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// profile describes a column by a sample of its fields.
type profile struct {
	name   string
	fields []string // fields of all records of the sample
	filled int      // fields that are not empty
	items  map[string]int

	numbers      []float64 // values of the fields that are numbers
	decimalComma bool
	whole        bool // all numbers are whole, and written so
	written      bool // a field has leading zeros: it is a name that looks like a number
	rising       bool // no number is below the one before

	layout string // how the fields are written as times; "" if they are not times
}

// mostly is the share of a column's fields that must be of one type. Others, such as "unknown", are items of their own.
const mostly = 0.95

func newProfile(name string, fields []string) *profile {
	p := &profile{name: name, fields: fields, items: map[string]int{}}
	commas := 0
	for _, f := range fields {
		if f == "" {
			continue
		}
		p.filled++
		p.items[f]++
		if decimalComma(f) {
			commas++
		}
		if len(f) > 1 && f[0] == '0' && f[1] != '.' && f[1] != ',' {
			p.written = true
		}
	}
	p.decimalComma = p.filled > 0 && float64(commas) >= 0.05*float64(p.filled)
	if p.readNumbers(p.decimalComma); p.decimalComma && !p.numeric() {
		p.decimalComma = false
		p.readNumbers(false)
	}
	p.layout = p.findLayout()
	return p
}

// decimalComma tells whether a field must be a number with a decimal comma, such as "3,25" or "1.234,5".
func decimalComma(field string) bool {
	whole, decimals, found := strings.Cut(field, ",")
	if !found || strings.Contains(decimals, ",") || strings.Contains(decimals, ".") || len(decimals) == 3 && !strings.Contains(whole, ".") {
		return false
	}
	_, ok := ParseNumber(field, true)
	return ok
}

func (p *profile) readNumbers(comma bool) {
	p.numbers, p.whole, p.rising = p.numbers[:0], true, true
	before := math.Inf(-1)
	for _, f := range p.fields {
		x, ok := ParseNumber(f, comma)
		if f == "" || !ok {
			continue
		}
		p.numbers = append(p.numbers, x)
		p.whole = p.whole && x == math.Trunc(x) && !strings.ContainsAny(f, ".eE")
		p.rising = p.rising && x >= before
		before = x
	}
}

// numeric tells whether the column's fields are numbers.
func (p *profile) numeric() bool {
	return p.filled > 0 && float64(len(p.numbers)) >= mostly*float64(p.filled) && !p.written
}

// repeats returns the number of fields whose value had come before.
func (p *profile) repeats() int { return p.filled - len(p.items) }

// findLayout returns the layout of the fields if they are times, and else "". Numbers are times only if the column's name says so.
func (p *profile) findLayout() string {
	if p.filled == 0 {
		return ""
	}
	sample := slices.Sorted(maps.Keys(p.items)) // all different fields, since a month of 13 tells days from months
	most := (1 - mostly) * float64(len(sample))
	for _, layout := range layouts {
		if (layout == unix || layout == unixMilli) && !(ofTime.MatchString(p.name) && p.numeric() && p.inRange(layout)) {
			continue
		}
		wrong := 0.
		for i := 0; i < len(sample) && wrong <= most; i++ { // most columns are not times, and their loops end after a few fields
			if _, ok := parseTime(sample[i], layout); !ok {
				wrong++
			}
		}
		if wrong <= most {
			return layout
		}
	}
	return ""
}

// inRange tells whether all numbers are between 1980 and 2100, as seconds or milliseconds since 1970.
func (p *profile) inRange(layout string) bool {
	const from, to = 315532800, 4102444800
	unit := 1.0
	if layout == unixMilli {
		unit = 1000
	}
	return len(p.numbers) > 0 && slices.Min(p.numbers) >= from*unit && slices.Max(p.numbers) <= to*unit
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
