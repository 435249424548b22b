package nearest

import (
	"fmt"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	few := []string{"adult", "bank", "ml-32m"}
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf("experiment-%d", i))
	}
	for _, c := range []struct {
		typed string
		names []string
		want  string
	}{
		{"adlut", few, `did you mean "adult"? Else choose one of adult, bank, ml-32m`},
		{"ml32", few, `did you mean "ml-32m"? Else choose one of adult, bank, ml-32m`},
		{"zebra", few, "choose one of adult, bank, ml-32m"}, // four letters of "bank" differ, and three of four are too many anyway
		{"bnk", []string{"bk"}, "did you mean \"bk\"? Else choose one of bk"},
		{"rnu", []string{"run", "report"}, `did you mean "run"? Else choose one of run, report`}, // two letters in the wrong order
		{"x", []string{"y"}, "choose one of y"},                                                  // every letter differs
		{"experimnet-7", many, `did you mean "experiment-7"?`},
	} {
		if got := Choose(c.typed, c.names); got != c.want {
			t.Errorf("%q: %s, want %s", c.typed, got, c.want)
		}
	}
	for len(many) < 100 {
		many = append(many, many...)
	}
	if got, want := Choose("zebra", many), "choose one of "+strings.Join(many[:20], ", ")+", …"; got != want || len(many[20]) < 10 {
		t.Errorf("of many: %s, want %s, and the list as it was", got, want)
	}
	if got := Name("mushroms", []string{"mushroom", "mushroom-8124"}); got != "mushroom" {
		t.Errorf("mushroms: %q", got)
	}
}
