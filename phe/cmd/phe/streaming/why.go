package streaming

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/terminal"
)

// whyFlags ask for the reasons of forecasts.
type whyFlags struct {
	lines int // of a forecast; 0 for no reasons
	pairs bool
	class string // that is explained; empty for the second of two or the likeliest of more
}

// explained is the reason of a forecast, as a line of JSON.
type explained struct {
	Record   int64              `json:"record"`
	ID       string             `json:"id,omitempty"`
	Forecast float64            `json:"forecast"` // a probability, or the number
	Novelty  int64              `json:"novelty"`
	Why      stream.Explanation `json:"why"`
}

const mostTables = 100 // more are for programs

// writer returns the counterpart of driver.Forecasts for reasons: lines of JSON, or tables for people.
func (y *whyFlags) writer(l *stream.Learner, asJSON bool) func(io.Writer, schema.Schema) func(int64, schema.Record, stream.Forecast) error {
	return func(to io.Writer, columns schema.Schema) func(int64, schema.Record, stream.Forecast) error {
		id, encode := columns.PlaceOf(schema.ID), json.NewEncoder(to)
		encode.SetEscapeHTML(false)
		class, err := l.Schema.Target.Class(y.class)
		return func(n int64, record schema.Record, _ stream.Forecast) error {
			if err != nil {
				return errors.WithMessage(err, "--class")
			}
			f, why, err := l.Explain(record[:len(l.Schema.Columns)], y.lines, class)
			if err != nil {
				return err
			}
			x := explained{Record: n, Forecast: stream.ForecastOf(&l.Schema.Target, why.Value), Novelty: f.Novelty, Why: why}
			if id >= 0 {
				x.ID = record[id]
			}
			if !y.pairs {
				x.Why.Pairs = nil
			}
			switch {
			case asJSON:
				err = encode.Encode(x)
			case n > mostTables:
				return errors.Errorf("the reasons of %d rows are shown; --to FILE writes the reasons of all rows, as lines of JSON",
					mostTables)
			default:
				_, err = io.WriteString(to, x.table(&f, &l.Schema.Target))
			}
			return errors.Wrap(err, "writing reasons")
		}
	}
}

// howOften writes how often an item was learned, as far as its evidence counts.
func howOften(learned int64) string {
	if learned == 255 {
		return "≥ 255"
	}
	return fmt.Sprint(learned)
}

// table returns the reason as a table.
func (x *explained) table(f *stream.Forecast, t *schema.Target) string {
	why, b := &x.Why, &strings.Builder{}
	digits := max(0, 2-int(math.Log10(math.Abs(why.Value)+1e-6)))
	number := func(v float64) string { return fmt.Sprintf("%.*f", digits, v) }
	if t.Kind == schema.Classes {
		digits, number = 2, func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	}
	line := func(adds float64, spread, learned, because, otherwise string) {
		because = strings.TrimRight(fmt.Sprintf("%-44s %s", because, otherwise), " ")
		fmt.Fprintf(b, "  %+9.*f  %-6s %7s  %s\n", digits, adds, spread, learned, because)
	}
	because := func(one *stream.Line) string {
		return fmt.Sprintf("%s %.30s", one.Column, cmp.Or(terminal.Visible(one.Field), "(empty)"))
	}
	_, what, _ := strings.Cut(why.Of, " of ")
	if t.Kind == schema.Count {
		what = "the mean of " + t.Column
	}
	fmt.Fprintf(b, "Row %s: %s %s", strings.TrimSpace(fmt.Sprint(x.Record, " ", terminal.Visible(x.ID))), what, number(x.Forecast))
	if t.Kind == schema.Count {
		fmt.Fprintf(b, ". A count has no terms that add up: each line is the loss of the mean if the field is empty\n"+
			"  %9s  %-6s %7s  %-44s if empty\n", "adds", "", "", "because")
		for i := range why.Lines {
			line(why.Lines[i].Adds, "", "", because(&why.Lines[i]), number(*why.Lines[i].IfEmpty))
		}
		return b.String() + "\n"
	}
	if t.Kind == schema.Amount {
		fmt.Fprintf(b, " (nine in ten: %s to %s)", number(f.Low), number(f.High))
	}
	fmt.Fprintf(b, "; a usual row %s, base rate %s\n  %9s  %-6s %7s  %-44s if usual\n", number(stream.ForecastOf(t, why.UsualRow)),
		number(stream.ForecastOf(t, why.BaseRate)), "adds", "±", "learned", "because")
	line(why.UsualRow, "", "", "a usual row", "")
	for i := range why.Lines {
		one, with := &why.Lines[i], ""
		if one.With != "" {
			with = fmt.Sprintf(", %+.*f of it with %s", digits, one.WithAdds, one.With)
		}
		line(one.Adds, fmt.Sprintf("%.*f", digits, one.Spread), howOften(one.Learned), because(one)+with, number(*one.IfUsual))
	}
	line(why.Others, "", "", "all others", "")
	line(why.CameLast, "", "", "what came last", "")
	line(why.Value, "", "", "= "+why.Of, "")
	for _, one := range why.Pairs {
		line(one.Adds, fmt.Sprintf("%.*f", digits, one.Spread), howOften(one.Learned), "pair: "+one.Column+" × "+one.With, "")
	}
	if x.Record == 1 {
		b.WriteString("Lines add up in log-odds, or in the number. " +
			"A usual row has the mean of each line, so it need not be the base rate. " +
			"Half of\na pair's contribution is in the line of each column. A reason of the model is no cause.\n")
	}
	return b.String() + "\n"
}
