package figures

import (
	"testing"
	"time"
)

func TestCalendarTicks(t *testing.T) {
	first := time.Date(2000, 1, 30, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		days int
		want string
	}{
		{3, "30 Jan|31|1 Feb|2"},
		{20, "30 Jan|1 Feb|3|5|7|9|11|13|15|17|19"},
		{28, "30 Jan|6 Feb|13|20|27"},
		{365, "30 Jan|30 Apr|30 Jul|29 Oct|28 Jan"},
	} {
		if got := labelled(calendarTicks(first, first.AddDate(0, 0, test.days)), "|"); got != test.want {
			t.Errorf("%d days: %s, want %s", test.days, got, test.want)
		}
	}
}
