package run

import (
	"slices"
	"testing"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe/disk/filetest"
)

// planOf returns the plan of a spec whose protocol is changed.
func planOf(t *testing.T, s spec.Spec, change func(*protocol.Spec)) *protocol.Plan {
	t.Helper()
	change(&s.Protocol)
	filetest.Check(t, s.Validate())
	_, p := loaded(t, s)
	return p
}

// Sales and ratings are cut by the fields that name the days, their number and the windows. Days are counted in the generated ratings, and
// in a calendar.
func TestPlans(t *testing.T) {
	daily, products, ratings := tinyRetail(t, protocol.Daily), tinyRetail(t, protocol.Products), tinyRatings(t)
	for _, c := range []struct {
		spec        spec.Spec
		days, first int // of the whole stream, and of the spec's beginning of it
		later       string
	}{{daily, 16, 3, "2011-02-17"}, {ratings, 69, 6, "2010-01-01"}} {
		name := c.spec.Dataset
		all, short := planOf(t, c.spec, func(p *protocol.Spec) { p.MaxChunks = 0 }), planOf(t, c.spec, func(*protocol.Spec) {})
		filetest.Want(t, [2]int{len(all.Steps), len(all.Days)}, [2]int{c.days, c.days}, "%s: steps and days", name)
		filetest.Want(t, short.Initial, all.Initial, "%s, cut short: the list of initial rows", name)
		filetest.Want(t, short.Steps, all.Steps[:c.first], "%s, cut short: the list of steps", name)
		filetest.Want(t, short.Days, all.Days[:c.first], "%s, cut short: the list of days", name)
		filetest.True(t, short.Scored && !short.Untrained && len(short.Tests) == 0, "%s, cut short, is %+v", name, short)
		whole := planOf(t, c.spec, func(p *protocol.Spec) { p.MaxChunks = c.days })
		filetest.Want(t, whole.Days, all.Days, "%s, cut at its end: the list of days", name)
		later := planOf(t, c.spec, func(p *protocol.Spec) { p.FirstDay, p.MaxChunks = c.later, 0 })
		n := slices.IndexFunc(all.Days, func(day string) bool { return day >= c.later })
		filetest.Want(t, later.Days, all.Days[n:], "%s from %s on: the list of days", name, c.later)
		grows := n > 0 && len(later.Initial) > len(all.Initial)
		filetest.True(t, grows, "%s from %s on: %d initial rows", name, c.later, len(later.Initial))
		if users := short.Users; name == ratings.Dataset {
			filetest.Want(t, users, all.Users[:c.first], "cut short: the list of users")
			filetest.Want(t, len(all.Users), c.days, "counts of users")
		}
	}
	february := planOf(t, daily, func(p *protocol.Spec) { p.MaxChunks = 0 }).Days // its Saturdays are the 5th and the 12th
	some := []string{february[0], february[3], february[4], february[15]}
	filetest.Want(t, some, []string{"2011-02-01", "2011-02-04", "2011-02-06", "2011-02-18"}, "days of sales")
	filetest.True(t, !slices.Contains(february, "2011-02-12"), "a Saturday among %q", february)
	all, younger := planOf(t, ratings, func(*protocol.Spec) {}), planOf(t, ratings, func(p *protocol.Spec) { p.FromDay = "1998-01-01" })
	filetest.True(t, len(younger.Initial) < len(all.Initial), "ratings of 1998 on: %d", len(younger.Initial))
	filetest.Want(t, younger.Days, all.Days, "ratings of 1998 on: the list of days")
	separate := planOf(t, daily, func(p *protocol.Spec) { p.Windows = protocol.Separate })
	overlapping := planOf(t, daily, func(*protocol.Spec) {})
	filetest.True(t, len(separate.Initial) <= len(overlapping.Initial)/5, "%d separate windows", len(separate.Initial))
	few := planOf(t, products, func(p *protocol.Spec) { p.MaxTestRows = 0 })
	groups := planOf(t, products, func(p *protocol.Spec) { p.Windows, p.MaxTestRows = protocol.Overlapping, 0 })
	more := len(groups.Initial) >= 5*len(few.Initial) && len(groups.Tests[0].Rows) >= 5*len(few.Tests[0].Rows)
	filetest.True(t, more, "overlapping %s, separate %s", protocoltest.SizesOf(groups), protocoltest.SizesOf(few))
	filetest.True(t, !groups.Scored && !groups.Untrained, "groups are scored, or tested untrained: %+v", groups)
}
