package protocol_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/data/labelled"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe/disk/filetest"
)

// needs lists the fields that each protocol needs besides its name and initial epochs. may lists its optional fields. They come
// from the paper's protocols and the doc comments of Protocol, not from fieldsOf.
var needs = map[string]string{
	protocol.Online: "initial_fraction chunk_rows", protocol.GroupWise: "groups cut", protocol.Adaptation: "cut test_every",
	protocol.Order: "initial_fraction chunk_rows", protocol.InOrder: "initial_fraction chunk_rows",
	protocol.ByGroup: "groups chunk_rows test_every", protocol.Growing: "chunk_rows test_every",
	protocol.Swapped: "initial_fraction chunk_rows test_every", protocol.TwoItems: "chunk_rows max_chunks",
	protocol.Daily: "first_day windows", protocol.Products: "groups windows", protocol.Recommend: "from_day first_day",
}

// fieldValues sets a field to something good, or to nothing.
var fieldValues = map[string]func(p *protocol.Spec, good bool){
	"initial_fraction": func(p *protocol.Spec, good bool) { p.InitialFraction = resulttest.Pick(good, 0.5, 0) },
	"chunk_rows":       func(p *protocol.Spec, good bool) { p.ChunkRows = resulttest.Pick(good, 2, 0) },
	"max_chunks":       func(p *protocol.Spec, good bool) { p.MaxChunks = resulttest.Pick(good, 1, 0) },
	"groups":           func(p *protocol.Spec, good bool) { p.Groups = resulttest.Pick(good, 2, 0) },
	"cut":              func(p *protocol.Spec, good bool) { p.Cut = resulttest.Pick(good, labelled.Stratified, "") },
	"test_every":       func(p *protocol.Spec, good bool) { p.TestEvery = resulttest.Pick(good, 1, 0) },
	"max_test_rows":    func(p *protocol.Spec, good bool) { p.MaxTestRows = resulttest.Pick(good, 1, 0) },
	"first_day":        func(p *protocol.Spec, good bool) { p.FirstDay = resulttest.Pick(good, "2010-12-02", "") },
	"from_day":         func(p *protocol.Spec, good bool) { p.FromDay = resulttest.Pick(good, "2009-11-30", "") },
	"windows":          func(p *protocol.Spec, good bool) { p.Windows = resulttest.Pick(good, protocol.Separate, "") },
}

func TestProtocolFields(t *testing.T) {
	if !slices.Equal(slices.Sorted(maps.Keys(protocoltest.Full)), protocol.Names()) {
		t.Fatalf("protocols %v", protocol.Names())
	}
	for name, all := range protocoltest.Full {
		if err := all.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		none := protocol.Spec{Name: name, InitialEpochs: all.InitialEpochs}
		for field, set := range fieldValues {
			without, with := all, none
			set(&without, false)
			needed := slices.Contains(strings.Fields(needs[name]), field)
			if err := without.Validate(); needed {
				filetest.WantError(t, err, field+" is missing or 0", fmt.Sprintf("%q", name))
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
			filetest.WantError(t, with.Validate(), field+" does not belong to protocol", fmt.Sprintf("%q", name), "leave it out")
		}
		none.InitialEpochs = 0
		if name != protocol.TwoItems {
			filetest.WantError(t, none.Validate(), "initial_epochs is 0", "at least 1")
		}
	}
}

func TestProtocolLimits(t *testing.T) {
	first := func(day string) func(*protocol.Spec) { return func(p *protocol.Spec) { p.FirstDay = day } }
	fraction := func(f float64) func(*protocol.Spec) { return func(p *protocol.Spec) { p.InitialFraction = f } }
	for _, c := range []struct {
		name   string
		of     string
		change func(*protocol.Spec)
		want   []string
	}{
		{"unknown", protocol.Online, func(p *protocol.Spec) { p.Name = "offline" },
			[]string{`"offline"`, "choose one of adaptation, by-group, daily, group, growing, in-order, online, order, products, " +
				"recommend, swapped, two-items"}},
		{"no name", protocol.Online, func(p *protocol.Spec) { p.Name = "" }, []string{`protocol is named ""`}},
		{"fraction of 1", protocol.Online, fraction(1), []string{"initial_fraction is 1", "between 0 and 1"}},
		{"fraction below 0", protocol.Swapped, fraction(-0.1), []string{"initial_fraction is -0.1"}},
		{"fraction that is no number", protocol.Order, fraction(math.NaN()), []string{"initial_fraction is NaN"}},
		{"epochs", protocol.GroupWise, func(p *protocol.Spec) { p.InitialEpochs = -1 }, []string{"initial_epochs is -1", "at least 1"}},
		{"chunks of one row", protocol.ByGroup, func(p *protocol.Spec) { p.ChunkRows = 1 }, []string{"chunk_rows is 1", "at least 2"}},
		{"chunks below 0", protocol.ByGroup, func(p *protocol.Spec) { p.ChunkRows = -2 }, []string{"chunk_rows is -2"}},
		{"one group", protocol.GroupWise, func(p *protocol.Spec) { p.Groups = 1 }, []string{"groups is 1", "at least 2"}},
		{"cut", protocol.GroupWise, func(p *protocol.Spec) { p.Cut = "half" }, []string{`"half"`, `"file-order"`, `"stratified"`}},
		{"chunks", protocol.Growing, func(p *protocol.Spec) { p.MaxChunks = -1 }, []string{"max_chunks is -1", "0 or more"}},
		{"test every", protocol.Growing, func(p *protocol.Spec) { p.TestEvery = -1 }, []string{"test_every is -1", "0 or more"}},
		{"test rows", protocol.Growing, func(p *protocol.Spec) { p.MaxTestRows = -1 }, []string{"max_test_rows is -1", "0 or more"}},
		{"one group of products", protocol.Products, func(p *protocol.Spec) { p.Groups = 1 }, []string{"groups is 1", "at least 2"}},
		{"the first day of all", protocol.Daily, first("2010-12-01"), []string{`first_day is "2010-12-01"`, "later than 2010-12-01"}},
		{"a day before all", protocol.Daily, first("2009-02-01"), []string{`first_day is "2009-02-01"`, "later than 2010-12-01"}},
		{"no day", protocol.Daily, first("2011-02-30"), []string{`first_day is "2011-02-30"`, "write it as 2011-02-01"}},
		{"a day as Britons write it", protocol.Daily, first("01/02/2011"), []string{`first_day is "01/02/2011"`, "write it as 2011-02-01"}},
		{"no day to begin with", protocol.Recommend, func(p *protocol.Spec) { p.FromDay = "1996-02-30" },
			[]string{`from_day is "1996-02-30"`, "write it as 1996-01-01"}},
		{"no first day of ratings", protocol.Recommend, first("2000"), []string{`first_day is "2000"`, "write it as 2000-01-01"}},
		{"nothing initial", protocol.Recommend, first("1996-01-01"), []string{`first_day is "1996-01-01"`, "later than its initial data"}},
		{"days in the wrong order", protocol.Recommend, func(p *protocol.Spec) { p.FromDay = "2001-01-01" },
			[]string{`first_day is "2000-01-01" and from_day "2001-01-01"`, "later than its initial data"}},
		{"windows", protocol.Daily, func(p *protocol.Spec) { p.Windows = "sliding" },
			[]string{`windows is "sliding"`, `"overlapping"`, `"separate"`}},
	} {
		p := protocoltest.Full[c.of]
		c.change(&p)
		t.Log(c.name)
		filetest.WantError(t, p.Validate(), c.want...)
	}
}
