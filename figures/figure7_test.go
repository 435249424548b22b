package figures

import (
	"slices"
	"testing"
	"time"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

// Days stand where they are in time.
func TestFigure7Calendar(t *testing.T) {
	fig := filetest.Must(Figure7([]*result.File{dailyFile(60, 2, "authors"), ratingsFile(60, 2, "paper")}))(t)
	retail, ratings := panels(fig)[0], panels(fig)[1]
	if want := []float64{0, 1, 2, 3, 5, 6, 7, 8, 9, 10}; !slices.Equal(retail.Curves[0].X, want) {
		t.Errorf("days without Saturdays at %v, want %v", retail.Curves[0].X, want)
	}
	if x := ratings.Curves[0].X; x[1] != 3 || x[9] != 27 {
		t.Errorf("every third day at %v", x)
	}
}

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
