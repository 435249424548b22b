package score

import (
	"fmt"
	"strings"

	"gophe/phe/internal/text"
	"gophe/phe/remedy"
	"gophe/phe/stream/schema"
)

// NewItem is an item that was learned for the first time.
type NewItem struct {
	Column string `json:"column"`
	Name   string `json:"name"`
	Row    int64  `json:"row"` // number of the row in which it came
}

// Fields counts the fields of a column that say nothing to the model, or something else than people think.
type Fields struct {
	Column text.String `json:"column"`
	What   string      `json:"what"` // "unread", "empty", "new", "other_label", "no_target", "left_out" or "again"
	// Learned for rows of the stream, or Predicted for rows that this process has only forecast
	Of       string   `json:"of"`
	Rows     int64    `json:"rows"`               // with such a field; of the stream, new items count from row 501 on
	All      int64    `json:"all"`                // rows that were looked at
	Usual    float64  `json:"usual,omitempty"`    // the share before
	Since    int64    `json:"since,omitempty"`    // the row at which the share last jumped
	Examples []string `json:"examples,omitempty"` // the last different ones
}

// Values of Fields.Of.
const Learned, Predicted = "learn", "predict"

// says has the sentence of each sort of fields.
var says = map[string]string{
	"unread":      "fields of %q could not be read",
	"empty":       "fields of %q are empty",
	"new":         "fields of %q had never been learned",
	"other_label": "rows had other labels in %q, which were learned as " + schema.Other,
	"no_target":   "rows had marks of a missing value in %q",
	"left_out":    "rows have a value of %q, which was empty in the first rows and is left out (start anew and give its kind to learn it)",
	"again":       "values of %q were among the last 1,000: a row that comes again is learned again",
}

// String tells of the fields in one line.
func (f Fields) String() string {
	s := fmt.Sprintf("%s of %s "+says[f.What], text.Grouped(f.Rows), text.Grouped(f.All), string(f.Column))
	if f.Of == Predicted {
		s = "in forecasts, " + s
	}
	if len(f.Examples) > 0 {
		s += ", such as " + strings.Trim(fmt.Sprintf("%q", f.Examples), "[]")
	}
	if f.Usual > 0 {
		s += fmt.Sprintf("; usually %.1f %%", 100*f.Usual)
	}
	if f.What == "unread" {
		s += "; " + remedy.HowRead
	}
	return s
}
