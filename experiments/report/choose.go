package report

import (
	"fmt"
	"strings"

	"gophe/experiments/table"

	"github.com/pkg/errors"
)

// choosing returns the functions that choose from tables. They follow a table in a page's pipeline. A name may begin or end with "…",
// which matches any text. A name that the table does not have gives a note: its results may be missing.
//
//	{{table "pays" | part 2}}                  the second table alone
//	{{grid "1" | columns "PHE" "EE"}} the first column and these, in this order
//	{{grid "1" | rows "bank…"}}       these rows
//	{{table "forecast" | without "…(frozen)"}}  all other rows
//	{{grid "buckets" | transpose}}    rows in place of columns
func choosing() map[string]any {
	return map[string]any{
		"part":      func(n int, p table.Page) (table.Page, error) { return p.Part(n) },
		"transpose": table.Page.Transpose,
		"columns":   choose("column", table.Page.Select), "rows": choose("row", table.Page.Keep), "without": choose("row", table.Page.Drop),
	}
}

// choose returns a function of names and of a page, which is the last argument.
func choose(what string, of func(table.Page, ...string) (table.Page, []string)) func(...any) (table.Page, error) {
	return func(arguments ...any) (table.Page, error) {
		last := len(arguments) - 1
		page, ok := arguments[last].(table.Page)
		names := make([]string, last)
		for i := range names {
			name, text := arguments[i].(string)
			names[i], ok = name, ok && text
		}
		if !ok {
			return nil, errors.Errorf("names of a %s and a table are needed, not %v", what, arguments)
		}
		chosen, absent := of(page, names...)
		if len(absent) > 0 {
			note := fmt.Sprintf("\n%sno %s %s; results are missing.*\n", notHereMark, what, strings.Join(absent, ", "))
			chosen = append(chosen, table.Table{Above: note})
		}
		return chosen, nil
	}
}
