package records

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestIsHeader(t *testing.T) {
	for _, test := range []struct {
		name, first, later string
		want               bool
	}{
		{"numbers below text", "name,age", "ann,5\nbob,7", true},
		{"numbers at once", "ann,5", "bob,7", false},
		{"text alone", "color,shape", "red,round\nblue,square", true},
		{"no later line", "a,b", "", true},
		{"a date", "2024-01-31,x", "2024-02-01,y", false},
		{"a time stamp", "2024-01-31T10:00:00Z,x", "", false},
		{"an amount", "12.50 €,x", "3 €,y", false},
		{"names with digits", "q1,2nd,x-3", "1,2,3", true},
		{"number and exponent", "1e3,x", "", false},
		{"infinity is a name", "inf,nan", "1,2", true},
		{"the index of a data frame", ",a,b", "0,x,1.5", true},
		{"equal fields above numbers", "a,a", "1,2", true},
		{"equal fields above text", "p,x,p", "e,b,q", false},
		{"half of the values come again", "p,x,s,n", "e,x,y,w\nb,f,s,w", false},
		{"one value comes again", "other,color,shape", "other,red,round", true},
		{"the header comes again", "color,shape", "red,round\ncolor,shape\nblue,square", true},
		{"a missing value is no text", "red,NA,yes", "blue,5,no\nred,3,yes", false},
		{"nothing but missing values", "NA,?", "1,2", true},
		{"lines of other lengths", "a,b", "1\n1,2,3", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var later [][]string
			for line := range strings.SplitSeq(test.later, "\n") {
				later = append(later, strings.Split(line, ","))
			}
			if got := isHeader(strings.Split(test.first, ","), later); got != test.want {
				t.Errorf("header: %v", got)
			}
		})
	}
}

// The names of the columns that are needed decide about the header of a stream. A stream that has them all is read no further.
func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		needed, text string
		columns      []string
	}{
		{"user,2019", "2019;user;x\n", []string{"2019", "user", "x"}}, // a number in it, and no line below
		{"c1,c2", "red,blue\n", []string{"c1", "c2"}},                 // else a header
		{"user", `{"x":1}` + "\n" + `{"user":2}` + "\n", []string{"x", "user"}},
	} {
		o := Options{Needed: strings.Split(c.needed, ",")}
		r, err := New(io.MultiReader(strings.NewReader(c.text), iotest.ErrReader(errors.New("it reads on"))), "pipe", o)
		if err != nil || !slices.Equal(r.Columns(), c.columns) {
			t.Errorf("%q: %v, %v", c.text, r, err)
		}
	}
}
