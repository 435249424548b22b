package records

import "testing"

func TestRecordError(t *testing.T) {
	for _, test := range []struct {
		err  RecordError
		want string
	}{
		{RecordError{File: "t", Line: 3, Record: 2, Column: "price", Problem: "bad", Remedy: "mend it"}, "t, line 3, column price: bad; mend it"},
		{RecordError{File: "t", Record: 2, Problem: "bad"}, "t, record 2: bad"},
		{RecordError{File: "t", Problem: "bad"}, "t: bad"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
