// Package table holds tables of results. It prints them as Markdown, as CSV and on a terminal, and chooses from them.
package table

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

// Table is a table with the texts around it.
type Table struct {
	Above   string   // the text above, with the ends of its lines
	Columns []Column // none where the text is all
	Rows    [][]string
	Notes   []string // below the table, numbered from 1
	Below   string   // the text below the notes, with the ends of its lines
}

// Column is the heading of a column.
type Column struct {
	Name string
	Text bool // aligned at the left
}

// New returns a table without rows. Its first columns hold text, and all others hold numbers.
func New(texts int, names ...string) *Table {
	t := &Table{}
	for i, name := range names {
		t.Columns = append(t.Columns, Column{name, i < texts})
	}
	return t
}

// Add adds a row.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	t.Rows = append(t.Rows, row)
}

// Note adds a note, unless the table has it, and returns the mark of the note for a cell. An empty note has no mark.
func (t *Table) Note(text string) string {
	if text == "" {
		return ""
	}
	if !slices.Contains(t.Notes, text) {
		t.Notes = append(t.Notes, text)
	}
	return fmt.Sprintf(" [%d]", slices.Index(t.Notes, text)+1)
}

// Page returns a page that shows the table.
func (t *Table) Page() Page { return Page{*t} }

// String returns the table as Markdown, with the texts around it.
func (t *Table) String() string {
	var b strings.Builder
	b.WriteString(t.Above)
	for i, row := range t.lines() {
		for _, cell := range row {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for _, c := range t.Columns {
			b.WriteString(map[bool]string{true: "|---", false: "|---:"}[c.Text])
		}
		b.WriteString("|\n")
	}
	return b.String() + t.below()
}

// below returns the notes and the text below them.
func (t *Table) below() string {
	var b strings.Builder
	for i, note := range t.Notes {
		fmt.Fprintf(&b, "\n[%d] %s\n", i+1, note)
	}
	return b.String() + t.Below
}

// lines returns the headings and the rows. A text without a table has none.
func (t *Table) lines() [][]string {
	if len(t.Columns) == 0 {
		return nil
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return append([][]string{names}, t.Rows...)
}

// CSV returns the headings and the rows as comma-separated values.
func (t *Table) CSV() string {
	var b strings.Builder
	_ = csv.NewWriter(&b).WriteAll(t.lines()) // into memory: cannot fail
	return b.String()
}

// Page holds tables, one below the other, with an empty line between them.
type Page []Table

// String returns the page as Markdown.
func (p Page) String() string { return p.joined((*Table).String) }

func (p Page) joined(show func(*Table) string) string {
	texts := make([]string, len(p))
	for i := range p {
		texts[i] = show(&p[i])
	}
	return strings.Join(texts, "\n")
}
