package streaming

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// whyFlags ask for the reasons of forecasts.
type whyFlags struct {
	lines int // of a forecast; 0 for no reasons
	pairs bool
}

const mostTables = 100 // that people look at

// writer returns a function that writes the reasons of forecasts: lines of JSON, or tables for people.
func (y *whyFlags) writer(l *stream.Learner, columns schema.Schema, to io.Writer, asJSON bool) writeForecast {
	id, encode := columns.PlaceOf(schema.ID), json.NewEncoder(to)
	encode.SetEscapeHTML(false)
	return func(n int64, record schema.Record, _ stream.Forecast) error {
		if !asJSON && n > mostTables {
			return errors.Errorf("the reasons of %d rows are shown; --to FILE writes those of all rows, as lines of JSON", mostTables)
		}
		f, x, err := l.Explain(record[:len(l.Schema.Columns)], y.lines, -1)
		if err != nil {
			return err
		}
		if !y.pairs {
			x.Pairs = nil
		}
		name := ""
		if id >= 0 {
			name = record[id]
		}
		if !asJSON {
			_, err = io.WriteString(to, whyTable(fmt.Sprint(n, " ", name), &f, &x, l.Schema.Target))
		} else {
			err = encode.Encode(struct {
				Record   int64               `json:"record"`
				ID       string              `json:"id,omitempty"`
				Forecast float64             `json:"forecast"`
				Novelty  int64               `json:"novelty"`
				Why      *stream.Explanation `json:"why"`
			}{n, name, of(l.Schema.Target, x.Value), f.Novelty, &x})
		}
		if n == 1 && !asJSON && err == nil && l.Schema.Target.Kind == schema.Classes {
			_, err = io.WriteString(to, "The lines add up in log-odds. A usual row has the mean of them, which is not the log-odds of the base rate. "+
				"Half of what a\npair of columns adds is in the line of each. A reason of the model is no cause.\n\n")
		}
		return errors.Wrap(err, "writing reasons")
	}
}

// of returns the forecast of what lines add up to: a probability, or the number.
func of(t schema.Target, value float64) float64 {
	if t.Kind == schema.Classes {
		return 1 / (1 + math.Exp(-value))
	}
	return value
}

// whyTable returns the reasons of a forecast for people.
func whyTable(name string, f *stream.Forecast, x *stream.Explanation, t schema.Target) string {
	digits := max(0, 2-int(math.Log10(math.Abs(x.Value)+1e-6)))
	number := func(v float64) string { return fmt.Sprintf("%.*f", digits, v) }
	if t.Kind == schema.Classes {
		digits, number = 2, func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	}
	var b strings.Builder
	line := func(adds float64, spread, learned, because, usual string) {
		because = strings.TrimRight(fmt.Sprintf("%-44.44s %s", because, usual), " ")
		fmt.Fprintf(&b, "  %+9.*f  %-6s %7s  %s\n", digits, adds, spread, learned, because)
	}
	_, what, _ := strings.Cut(x.Of, " of ")
	fmt.Fprintf(&b, "Row %s: %s %s", strings.TrimSpace(name), what, number(of(t, x.Value)))
	head, count := "if usual", t.Kind == schema.Count
	if count {
		b.WriteString(". A count has no terms that add up: each line is what the mean loses if the field is empty\n")
		head = "if empty"
	} else {
		if t.Kind == schema.Amount {
			fmt.Fprintf(&b, " (nine in ten: %s to %s)", number(f.Low), number(f.High))
		}
		fmt.Fprintf(&b, "; a usual row %s, base rate %s\n", number(of(t, x.UsualRow)), number(of(t, x.BaseRate)))
	}
	fmt.Fprintf(&b, "  %9s  %-6s %7s  %-44s %s\n", "adds", "±", "learned", "because", head)
	if !count {
		line(x.UsualRow, "", "", "a usual row", "")
	}
	for _, one := range x.Lines {
		because := one.Column + " " + strings.Join(strings.Fields(one.Field), " ")
		if one.Field == "" {
			because = "no " + one.Column
		}
		if one.With != "" {
			because += fmt.Sprintf(", %+.*f of it with %s", digits, one.WithAdds, one.With)
		}
		if count {
			line(one.Adds, "", "", because, number(*one.IfEmpty))
		} else {
			line(one.Adds, fmt.Sprintf("%.*f", digits, one.Spread), fmt.Sprint(one.Learned), because, number(*one.IfUsual))
		}
	}
	if !count {
		line(x.Others, "", "", "all others", "")
		line(x.CameLast, "", "", "what came last", "")
		line(x.Value, "", "", "= "+x.Of, "")
	}
	for _, one := range x.Pairs {
		line(one.Adds, fmt.Sprintf("%.*f", digits, one.Spread), fmt.Sprint(one.Learned), "pair: "+one.Column+" × "+one.With, "")
	}
	return b.String() + "\n"
}
