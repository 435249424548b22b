package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
)

// A condition compares instants in any layout, and numbers as the column's first rows tell, before a schema is known and after.
func TestConditionComparesValues(t *testing.T) {
	when := func(layout string) func(i int) string {
		return func(i int) string {
			return time.Date(2024, 1, 1, 4*i, 0, 0, 0, time.FixedZone("", 3600)).Format(layout)
		}
	}
	commas := func(i int) string { return fmt.Sprintf("%d,%03d", i/10, i%10*100) }
	for _, test := range []struct {
		condition string
		field     func(i int) string
		want      int // of 200
	}{
		{"x<2024-01-02", when(time.DateTime), 6}, {"x<=2.1.2024", when(time.RFC3339), 7}, {"x>2024-01-02T00:00Z", when(time.RFC3339), 193},
		{"x<2/1/2024", when("02/01/2006 15:04"), 6}, {"x<02/01/24 3:00 PM", when("2.1.2006 15:04"), 0},
		{"x>=02-Jan-2024", when("Jan 2, 2006 15:04"), 194},
		{"x=2024-01-02", when(time.RFC1123Z), 1}, {"x<1704150000", when(time.RFC3339), 6},
		{"x=2024-01-02T01:00+02:00", when("2006-01-02 15:04Z07:00"), 1},
		{"x<3", commas, 30}, {"x=1.5", commas, 1}, {"x>=1,500", commas, 185},
	} {
		sample := [][]string{{"zero", "0,5"}}[:0]
		for i := range 200 {
			sample = append(sample, []string{test.field(i), fmt.Sprint("a", i%7), fmt.Sprint(i % 2)})
		}
		columns := []string{"x", "a", "y"}
		for _, target := range []string{"y", test.condition} {
			c := filetest.Must(Where(test.condition, columns))(t)
			c.Look(sample)
			count := func() (n int) {
				for _, record := range sample {
					if c.Holds(record) {
						n++
					}
				}
				return n
			}
			looked := count()
			hints := Hints{Target: target, Where: c, Kinds: map[string]Kind{"x": Dropped}}
			if target == test.condition {
				hints.Kinds = nil
			}
			s, err := Infer(columns, sample, hints)
			if err != nil && strings.Contains(test.condition, "PM") {
				continue
			}
			filetest.Check(t, err)
			yes := 0.
			for i := 0; target != "y" && i < len(sample); i++ {
				y, _, err := s.Target.Parse(sample[i][0])
				filetest.Check(t, err)
				yes += y
			}
			if c.Fit(s); looked != test.want || count() != test.want || target != "y" && int(yes) != test.want {
				t.Errorf("%s on %q: %d rows, then %d, and %g targets, want %d", test.condition, test.field(0), looked, count(), yes,
					test.want)
			}
		}
	}
}
