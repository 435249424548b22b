package schema

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// profile describes the fields of a column in the sample.
type profile struct {
	name string
	look
	spellings []spelling // different fields, in the order of their first rows
	rows      []int32    // the spelling of each record of the sample

	given  int      // fields that are not empty
	filled int      // fields that are not missing
	items  []string // first spelling of each item
	marks  []string // marks of a missing value
	gap    int      // longest run of rows without a value, before one that has one

	numbers []float64 // values of the fields that are numbers
	whole   bool      // all numbers are whole
	pointed bool      // most numbers have a decimal point: stars of 4.0 may have halves later
}

// look describes the fields of a column.
type look struct {
	as      Column // how they are read
	numeric bool   // they are numbers
}

// spelling describes the sample's fields of one spelling.
type spelling struct {
	text     string
	x        float64
	n        int32 // fields
	item     int32 // place among the items, from 1 on; 0 if it is missing
	isNumber bool
}

func newProfile(name string, fields []string) *profile {
	p, known := &profile{name: name, rows: make([]int32, len(fields))}, map[string]int32{}
	for i, f := range fields {
		at, is := known[f]
		if !is {
			at = int32(len(known))
			known[f], p.spellings = at, append(p.spellings, spelling{text: f})
		}
		p.rows[i] = at
		p.spellings[at].n++
		if f != "" {
			p.given++
		}
	}
	p.decide()
	p.read()
	return p
}

func (p *profile) at(row int) *spelling { return &p.spellings[p.rows[row]] }

func (p *profile) read() {
	p.items, p.marks = nil, nil
	p.filled, p.gap = 0, 0
	items, numbers := map[string]int32{}, 0
	for i := range p.spellings {
		s := &p.spellings[i]
		value, _ := p.as.Value(s.text)
		if s.item = items[value]; s.item == 0 && value != "" {
			if p.items = append(p.items, value); p.as.Reading != Text {
				p.items[len(p.items)-1] = tidy(s.text)
			}
			s.item = int32(len(p.items))
			items[value] = s.item
		}
		if s.item > 0 {
			p.filled += int(s.n)
			if s.isNumber {
				numbers += int(s.n)
			}
		} else if s.text != "" {
			p.marks = append(p.marks, s.text)
		}
	}
	p.numbers = make([]float64, 0, numbers)
	next := 0 // after the last row that has a value
	for i := range p.rows {
		if s := p.at(i); s.item > 0 {
			p.gap, next = max(p.gap, i-next), i+1
			if s.isNumber {
				p.numbers = append(p.numbers, s.x)
			}
		}
	}
	p.whole = !slices.ContainsFunc(p.numbers, func(x float64) bool { return x != math.Trunc(x) })
}

// decide decides how the fields are read. Fields that are few among the others do not decide.
func (p *profile) decide() {
	p.as.DecimalComma = p.hasCommas()
	known, truths, numbers, names, zeros, small, pointed := 0, 0, 0, 0, 0, 0, 0
	for i := range p.spellings {
		s := &p.spellings[i]
		f := s.text
		value, ok := Numbers.value(f, p.as.DecimalComma)
		if value != "" && ok {
			s.x, s.isNumber = Numbers.number(f, p.as.DecimalComma)
		}
		count := func(of *int, is bool) {
			if is {
				*of += int(s.n)
			}
		}
		count(&known, value != "")
		count(&numbers, value != "" && ok)
		count(&truths, (value == "0" || value == "1") && truthsAndMarks[strings.ToLower(tidy(f))] != "")
		count(&names, isName(value))
		count(&small, s.isNumber && s.x >= 0 && s.x < 10)
		count(&pointed, strings.Contains(f, "."))
		count(&zeros, strings.HasSuffix(f, "0") && strings.Contains(f, ".") && !strings.HasSuffix(f, ".0")) // such as the version 1.10
	}
	decides := func(n int) bool { return n > 1 && float64(n) >= enough*float64(p.given) }
	are := func(n int) bool { return n > 0 && float64(n) >= max(mostly*float64(known), enough*float64(p.given)) }
	p.numeric, p.pointed = are(numbers) && !are(truths) && !decides(names), 2*pointed > numbers
	if p.as.Reading = Text; are(truths) {
		p.as.Reading = Truth
		return
	}
	p.findLayout(!are(numbers) || ofTime.MatchString(p.name))
	switch {
	case p.as.Layout != "":
		p.as.Reading = Times
	case p.numeric && decides(zeros) && 2*small > numbers && ofVersion.MatchString(p.name):
		p.as.Reading = Versions
	case p.numeric || known == 0:
		p.as.Reading = Numbers
	}
}

// hasCommas reports whether a comma parts decimals where three digits leave it open: more fields say so than say the opposite.
func (p *profile) hasCommas() bool {
	maybe := func(s spelling) bool { return strings.Contains(s.text, ",") || strings.Count(s.text, ".") > 1 }
	if !slices.ContainsFunc(p.spellings, maybe) { // most columns
		return false
	}
	fields := map[byte]int{} // by their decimal mark
	for _, s := range p.spellings {
		_, mark, _ := shortest(s.text, true)
		fields[mark] += int(s.n)
	}
	return fields[','] > fields['.'] && float64(fields[',']) >= (1-mostly)*float64(fields['?'])
}

// repeats returns the number of fields whose value had come before.
func (p *profile) repeats() int { return p.filled - len(p.items) }

// findLayout finds out whether the fields are times, and how they are written. Numbers since 1970 are times if epochs says so.
func (p *profile) findLayout(epochs bool) {
	p.as.Note = ""
	digits := epochs && slices.ContainsFunc(p.spellings, func(s spelling) bool { return s.isNumber })
	for i := 0; digits && i < len(inDigits); i++ {
		const fewest = 20 // different times
		name, layout := inDigits[i][0], inDigits[i][2]
		as, wrong := p.asTimes(inDigits[i][1], false)
		switch {
		case wrong > 0 || layout != anyTime && len(p.spellings) < fewest:
			continue
		case layout == "" || as.Layout == "":
			p.as.Note = unread
		default:
			p.as, p.as.Layout, p.as.Note = as, layout, "its digits are "+name
		}
		return
	}
	as, wrong := p.asTimes(anyTime, epochs)
	if wrong == math.MaxInt {
		as, wrong = p.asTimes(dayFirst, epochs)
		if other, less := p.asTimes(monthFirst, epochs); less < wrong {
			as = other
		} else if less == wrong && less < math.MaxInt { // a month of 13 would tell days from months
			as = p.as
			as.Note = inDoubt
		}
	}
	if p.as = as; !p.numeric && as.Layout+as.Note == "" {
		if _, wrong = p.asTimes(alike, false); wrong < math.MaxInt {
			p.as.Note = unread
		}
	}
}

// inDoubt is the note of a column of dates whose order its rows do not tell.
const inDoubt = `its days, months and years cannot be told apart; make it a time in the schema, with a layout such as "` + dayFirst + `"`

// asTimes returns how the fields are read by a layout, and the number of fields that are no times; the largest number if too many.
func (p *profile) asTimes(layout string, epochs bool) (c Column, wrong int) {
	c = p.as
	var last lastTime
	times, dated, local := 0, false, false
	hours, days, years, zones := map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, s := range p.spellings {
		last.read(s.text, layout)
		if t, f := last.time, last.form; last.known && (f != sinceEpoch || epochs) && f == cmp.Or(digitsOf[layout], f) {
			_, away := t.Zone()
			hours[t.Hour()] = true
			times, dated, local = times+int(s.n), dated || f.year, local || !f.zone
			if f.short {
				days[t.Day()], years[t.Year()] = true, true
			}
			if f == digitsOf[layout] { // a day of a year is enough
				days[0] = true
			}
			if f != sinceEpoch { // it gets the others' zone
				zones[away] = true
			}
		} else if !missing(s.text) {
			wrong += int(s.n)
		}
		if float64(wrong) > (1-mostly)*float64(p.given) { // most columns are not times, and their loops end after a few fields
			return c, math.MaxInt
		}
	}
	switch {
	case times == 0 || float64(wrong) > (1-mostly)*float64(times+wrong) || float64(times) < (1-mostly)*float64(p.given):
		return c, math.MaxInt
	case len(years) > 0 && len(years) >= len(days): // such as 18/01/07, which may be of 2018
		c.Note = inDoubt
		return c, wrong
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
		if c.Zone = "UTC"; len(zones) == 0 {
			c.Note = "its digits are a number since 1970"
		}
		for away := range zones {
			c.Zone = strings.Replace(time.Unix(0, 0).In(time.FixedZone("", away)).Format("-07:00"), "+00:00", "UTC", 1)
		}
	}
	return c, wrong
}

// Names of columns that tell what their numbers mean.
var (
	ofVersion = regexp.MustCompile(`(?i)(^|[^a-z])(version|release|section)|(?-i)[a-z](Version|Release|Section)`)
	ofTime    = regexp.MustCompile(`(?i)time|date|created|modified|stamp|_at|when|epoch|^(ts|t|day)$`)
	// customer_id, user.id, and userId#
	ofThing = regexp.MustCompile(`(?i)(^|[^\pL\pN])((user|item|product|customer|account|device|order|session)?ids?|code|key|sku|` +
		`zip|zipcode|postcode|plz|number|no|nr|phone|user|item|product|customer|account|device|ip|hash|uuid|guid)[^\pL\pN]*$|` +
		`(?-i)(?s:.)(Id|ID|Code|No|Key|Nr)[^\pL\pN]*$`)
)

// Bins returns Column.Edges and Column.Quantiles from some numbers of a column. Quantiles bound bins that hold about equal numbers of the
// sample's fields. So do edges, of which there are none unless logarithmic bins are too coarse. They are too coarse for numbers far from
// 0, such as years or degrees of longitude.
func Bins(numbers []float64) (edges, quantiles []float64) {
	const most, fewest = 32, 8
	sorted := slices.Sorted(slices.Values(numbers))
	logarithmic := map[int]bool{}
	for _, x := range sorted {
		logarithmic[int(math.Copysign(math.Floor(4*math.Log2(1+math.Abs(x))), x))] = true // as onepass.Encoder.Number has them
	}
	if distinct := slices.Compact(slices.Clone(sorted)); len(distinct) >= fewest && len(logarithmic) < fewest {
		edges = bounds(sorted, most)
	}
	return edges, bounds(sorted, maxQuantiles+1)
}

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

func (p *profile) some() string {
	var list []string
	for _, s := range slices.SortedStableFunc(slices.Values(p.spellings), func(a, b spelling) int { return int(b.n - a.n) }) {
		if s.item > 0 && len(list) < 3 {
			list = append(list, strconv.Quote(tidy(s.text)))
		}
	}
	return strings.Join(list, ", ") + map[bool]string{true: ", …"}[len(p.items) > 3]
}

// Look makes the condition read its column as the first records show, whether they meet it or not. It names some of the column's values.
func (c *Condition) Look(sample [][]string) (values string) {
	fields := make([]string, len(sample))
	for i, record := range sample {
		fields[i] = record[c.Place]
	}
	p := newProfile(c.compares.Column, fields)
	c.look = &look{p.as, p.numeric}
	c.compares.read(p.as)
	return p.some()
}
