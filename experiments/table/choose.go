package table

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// Choosing returns the functions that choose from tables in a template. They follow a table in a pipeline. A name may begin or end with
// "…", which matches any text. A name that the table does not have gives a note that begins with a mark: its results may be missing.
//
//	{{table "pays" | part 2}}                   the second table alone
//	{{grid "1" | columns "PHE" "EE"}}           the first column and these, in this order
//	{{grid "1" | rows "bank…"}}                 these rows
//	{{table "forecast" | without "…(frozen)"}}  all other rows
//	{{grid "buckets" | transpose}}              rows in place of columns
func Choosing(mark string) map[string]any {
	return map[string]any{
		"part": func(n int, p Page) (Page, error) { return p.part(n) }, "transpose": Page.transpose,
		"columns": named("column", mark, Page.columns),
		"rows":    named("row", mark, func(p Page, names []string) (Page, []string) { return p.rows(names, true) }),
		"without": named("row", mark, func(p Page, names []string) (Page, []string) { return p.rows(names, false) }),
	}
}

// named returns a function of names and of a page, which is the last argument.
func named(what, mark string, of func(Page, []string) (Page, []string)) func(...any) (Page, error) {
	return func(arguments ...any) (Page, error) {
		last := len(arguments) - 1
		page, ok := arguments[last].(Page)
		names := make([]string, last)
		for i := range names {
			name, text := arguments[i].(string)
			names[i], ok = name, ok && text
		}
		if !ok {
			return nil, errors.Errorf("names of a %s and a table are needed, not %v", what, arguments)
		}
		chosen, absent := of(page, names)
		if len(absent) > 0 {
			chosen = append(chosen, Table{Above: mark + "no " + what + " " + strings.Join(absent, ", ") + "; results are missing.*\n"})
		}
		return chosen, nil
	}
}

// matches reports whether a name fits a pattern.
func matches(pattern, name string) bool {
	if prefix, open := strings.CutSuffix(pattern, "…"); open {
		return strings.HasPrefix(name, prefix)
	}
	if suffix, open := strings.CutPrefix(pattern, "…"); open {
		return strings.HasSuffix(name, suffix)
	}
	return pattern == name
}

// change changes each table of a page, and keeps the texts.
func (p Page) change(change func(t Table) Table) (changed Page) {
	for _, t := range p {
		if len(t.Columns) > 0 {
			t = change(t).renumbered()
		}
		changed = append(changed, t)
	}
	return changed
}

// part returns one of the page's tables alone, counted from 1.
func (p Page) part(n int) (Page, error) {
	tables := slices.DeleteFunc(slices.Clone(p), func(t Table) bool { return len(t.Columns) == 0 })
	if n < 1 || n > len(tables) {
		return nil, errors.Errorf("no table %d; the text has %d tables", n, len(tables))
	}
	t := tables[n-1]
	t.Above, t.Below = "", ""
	return Page{t}, nil
}

// columns keeps each table's first column and the named ones, in the order of the names. It returns the names that a table does not have.
func (p Page) columns(patterns []string) (selected Page, absent []string) {
	selected = p.change(func(t Table) Table {
		chosen := []int{0}
		for _, pattern := range patterns {
			at := -1
			for k := range t.Columns { // a heading may occur twice
				if at < 0 && matches(pattern, t.Columns[k].Name) && !slices.Contains(chosen, k) {
					at = k
				}
			}
			if at < 0 {
				absent = append(absent, pattern)
				continue
			}
			chosen = append(chosen, at)
		}
		return t.part(chosen)
	})
	return selected, absent
}

// rows keeps or drops the named rows. It returns the names that no table has.
func (p Page) rows(patterns []string, keep bool) (picked Page, absent []string) {
	absent = slices.Clone(patterns)
	if len(p) > 0 && len(p[len(p)-1].Columns) == 0 { // the last table is a text about missing results
		absent = nil
	}
	picked = p.change(func(t Table) Table {
		t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(row []string) bool {
			fits := func(pattern string) bool { return matches(pattern, row[0]) }
			absent = slices.DeleteFunc(absent, fits)
			return slices.ContainsFunc(patterns, fits) != keep
		})
		return t
	})
	return picked, absent
}

// transpose makes rows of the columns.
func (p Page) transpose() Page {
	return p.change(func(t Table) Table {
		lines := t.lines()
		turned := make([][]string, len(lines[0]))
		for _, line := range lines {
			for k, cell := range line {
				turned[k] = append(turned[k], cell)
			}
		}
		t.Columns, t.Rows = New(1, turned[0]...).Columns, turned[1:]
		return t
	})
}

var mark = regexp.MustCompile(` \[(\d+)\]`)

// renumbered returns the table without the notes that no cell names. It counts the others from 1, in the order of the cells.
func (t Table) renumbered() Table {
	old := t.Notes
	t.Notes = nil
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		t.Rows[i] = slices.Clone(row)
		for k, cell := range row {
			t.Rows[i][k] = mark.ReplaceAllStringFunc(cell, func(m string) string {
				if n, err := strconv.Atoi(strings.Trim(m, " []")); err == nil && n >= 1 && n <= len(old) {
					return t.Note(old[n-1])
				}
				return m
			})
		}
	}
	return t
}

// part returns the table with some of its columns.
func (t Table) part(columns []int) Table {
	kept, rows := []Column{}, make([][]string, len(t.Rows))
	for _, k := range columns {
		kept = append(kept, t.Columns[k])
		for i, row := range t.Rows {
			rows[i] = append(rows[i], row[k])
		}
	}
	t.Columns, t.Rows = kept, rows
	return t
}
