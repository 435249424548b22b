package records

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gophe/phe/disk/filetest"
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
			filetest.Want(t, isHeader(strings.Split(test.first, ","), later), test.want, "header")
		})
	}
}

// The names of the columns decide about the first line of a pipe. A pipe whose first line fits them is read no further.
func TestFirstLine(t *testing.T) {
	for _, c := range []struct{ columns, text, ignored, record string }{
		{"user,2019", "2019;user;x\n", "[x]", ""}, // a number in it, and no line below
		{"c1,c2", "red,blue\n", "[]", "red/blue"}, // else a header
		{"c1,label", "red\n", "[]", "red/"},
		{"a,b,label", "1,2,3\n", "[]", "1/2/3"},
		{"user,label", `{"x":1}` + "\n", "[]", "/"},
		{"user,city", "Visitors of May\n+city,user\nRome,ann\n", "[]", "ann/Rome"}, // a title, perhaps
		{"user,city", "sep=;\n+city;user\nRome;ann\n", "[]", "ann/Rome"},
	} {
		o := Options{Columns: strings.Split(c.columns, ",")}
		o.Needed = slices.DeleteFunc(slices.Clone(o.Columns), func(name string) bool { return name == "label" })
		first, more, _ := strings.Cut(c.text, "+")
		end := iotest.ErrReader(errors.New("it reads on"))
		r, err := New(io.MultiReader(strings.NewReader(first), strings.NewReader(more), end), "pipe", o)
		if err != nil || more == "" && r.text.err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		ignored := fmt.Sprint(r.Aside().Ignored)
		record, _ := r.Read()
		filetest.Want(t, r.Columns(), o.Columns, "%q: columns", c.text)
		filetest.Want(t, ignored, c.ignored, "%q: ignored", c.text)
		filetest.Want(t, strings.Join(record, "/"), c.record, "%q: the record", c.text)
	}
}
