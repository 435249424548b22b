package experiments

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/data"
)

// needs of each protocol, beside its name and initial epochs; with may, what it is free to have. From the paper's
// protocols and the doc comments of Protocol, not from protocolFields.
var needs = map[string]string{
	Online: "initial_fraction chunk_rows", GroupWise: "groups cut", Adaptation: "cut test_every", Order: "initial_fraction chunk_rows",
	InOrder: "initial_fraction chunk_rows",
	ByGroup: "groups chunk_rows test_every", Growing: "chunk_rows test_every", Swapped: "initial_fraction chunk_rows test_every",
	TwoItems: "chunk_rows max_chunks", Daily: "first_day windows", Products: "groups windows", Recommend: "from_day first_day",
}

// fieldValues sets a field to something good, or to nothing.
var fieldValues = map[string]func(p *Protocol, good bool){
	"initial_fraction": func(p *Protocol, good bool) { p.InitialFraction = pick(good, 0.5, 0) },
	"chunk_rows":       func(p *Protocol, good bool) { p.ChunkRows = pick(good, 2, 0) },
	"max_chunks":       func(p *Protocol, good bool) { p.MaxChunks = pick(good, 1, 0) },
	"groups":           func(p *Protocol, good bool) { p.Groups = pick(good, 2, 0) },
	"cut":              func(p *Protocol, good bool) { p.Cut = pick(good, data.Stratified, "") },
	"test_every":       func(p *Protocol, good bool) { p.TestEvery = pick(good, 1, 0) },
	"max_test_rows":    func(p *Protocol, good bool) { p.MaxTestRows = pick(good, 1, 0) },
	"first_day":        func(p *Protocol, good bool) { p.FirstDay = pick(good, "2010-12-02", "") },
	"from_day":         func(p *Protocol, good bool) { p.FromDay = pick(good, "2009-11-30", "") },
	"windows":          func(p *Protocol, good bool) { p.Windows = pick(good, Separate, "") },
}

func TestProtocolFields(t *testing.T) {
	if !slices.Equal(slices.Sorted(maps.Keys(full)), slices.Sorted(maps.Keys(protocolFields))) {
		t.Fatalf("protocols %v", slices.Sorted(maps.Keys(protocolFields)))
	}
	for name, all := range full {
		if err := all.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		none := Protocol{Name: name, InitialEpochs: all.InitialEpochs}
		for field, set := range fieldValues {
			without, with := all, none
			set(&without, false)
			needed := slices.Contains(strings.Fields(needs[name]), field)
			if err := without.Validate(); needed {
				wantError(t, err, field+" is missing or 0", fmt.Sprintf("%q", name))
			} else if err != nil {
				t.Errorf("%s without %s: %v", name, field, err)
			}
			if has := all != without; has {
				continue
			}
			for need, set := range fieldValues { // all that it needs, and one that is not its own
				if slices.Contains(strings.Fields(needs[name]), need) {
					set(&with, true)
				}
			}
			set(&with, true)
			wantError(t, with.Validate(), field+" does not belong to protocol", fmt.Sprintf("%q", name), "leave it out")
		}
		none.InitialEpochs = 0
		if name != TwoItems {
			wantError(t, none.Validate(), "initial_epochs is 0", "at least 1")
		}
	}
}

func TestProtocolLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		of     string
		change func(*Protocol)
		want   []string
	}{
		{"unknown", Online, func(p *Protocol) { p.Name = "offline" },
			[]string{`"offline"`, "choose one of adaptation, by-group, daily, group, growing, in-order, online, order, products, recommend, swapped, two-items"}},
		{"no name", Online, func(p *Protocol) { p.Name = "" }, []string{`protocol is named ""`}},
		{"fraction of 1", Online, func(p *Protocol) { p.InitialFraction = 1 }, []string{"initial_fraction is 1", "between 0 and 1"}},
		{"fraction below 0", Swapped, func(p *Protocol) { p.InitialFraction = -0.1 }, []string{"initial_fraction is -0.1"}},
		{"fraction that is no number", Order, func(p *Protocol) { p.InitialFraction = math.NaN() }, []string{"initial_fraction is NaN"}},
		{"epochs", GroupWise, func(p *Protocol) { p.InitialEpochs = -1 }, []string{"initial_epochs is -1", "at least 1"}},
		{"chunks of one row", ByGroup, func(p *Protocol) { p.ChunkRows = 1 }, []string{"chunk_rows is 1", "at least 2"}},
		{"chunks below 0", ByGroup, func(p *Protocol) { p.ChunkRows = -2 }, []string{"chunk_rows is -2"}},
		{"one group", GroupWise, func(p *Protocol) { p.Groups = 1 }, []string{"groups is 1", "at least 2"}},
		{"cut", GroupWise, func(p *Protocol) { p.Cut = "half" }, []string{`"half"`, `"file-order"`, `"stratified"`}},
		{"chunks", Growing, func(p *Protocol) { p.MaxChunks = -1 }, []string{"max_chunks is -1", "0 or more"}},
		{"test every", Growing, func(p *Protocol) { p.TestEvery = -1 }, []string{"test_every is -1", "0 or more"}},
		{"test rows", Growing, func(p *Protocol) { p.MaxTestRows = -1 }, []string{"max_test_rows is -1", "0 or more"}},
		{"one group of products", Products, func(p *Protocol) { p.Groups = 1 }, []string{"groups is 1", "at least 2"}},
		{"the first day of all", Daily, func(p *Protocol) { p.FirstDay = "2010-12-01" }, []string{`first_day is "2010-12-01"`, "later than 2010-12-01"}},
		{"a day before all", Daily, func(p *Protocol) { p.FirstDay = "2009-02-01" }, []string{`first_day is "2009-02-01"`, "later than 2010-12-01"}},
		{"no day", Daily, func(p *Protocol) { p.FirstDay = "2011-02-30" }, []string{`first_day is "2011-02-30"`, "write it as 2011-02-01"}},
		{"a day as Britons write it", Daily, func(p *Protocol) { p.FirstDay = "01/02/2011" }, []string{`first_day is "01/02/2011"`, "write it as 2011-02-01"}},
		{"no day to begin with", Recommend, func(p *Protocol) { p.FromDay = "1996-02-30" }, []string{`from_day is "1996-02-30"`, "write it as 1996-01-01"}},
		{"no first day of ratings", Recommend, func(p *Protocol) { p.FirstDay = "2000" }, []string{`first_day is "2000"`, "write it as 2000-01-01"}},
		{"nothing initial", Recommend, func(p *Protocol) { p.FirstDay = "1996-01-01" }, []string{`first_day is "1996-01-01"`, "later than its initial data"}},
		{"days in the wrong order", Recommend, func(p *Protocol) { p.FromDay = "2001-01-01" }, []string{`first_day is "2000-01-01" and from_day "2001-01-01"`, "later than its initial data"}},
		{"windows", Daily, func(p *Protocol) { p.Windows = "sliding" }, []string{`windows is "sliding"`, `"overlapping"`, `"separate"`}},
	} {
		p := full[c.of]
		c.change(&p)
		err := p.Validate()
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		wantError(t, err, c.want...)
	}
}

func TestArrivalValidate(t *testing.T) {
	for _, a := range []Arrival{AsItComes, Shuffled, Reversed, ByItem, AtOnce} {
		if err := a.Validate(); err != nil {
			t.Errorf("%q: %v", a, err)
		}
	}
	for _, a := range []Arrival{"Shuffled", "by item", "as-it-comes"} {
		wantError(t, a.Validate(), fmt.Sprintf("arrival is %q", a), `"shuffled", "reversed", "by-item" or "at-once"`)
	}
}
