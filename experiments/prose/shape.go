package prose

import (
	"fmt"
	"gophe/experiments/markdown"
	"regexp"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// shaping returns the functions that choose from tables of Markdown. They stand behind a table in a page's pipeline. A name may
// begin or end with "…", which stands for any text. A name that the table does not have gives a note: its results may be missing.
//
//	{{table "pays" | part 2}}                  the second table alone
//	{{table "1" "--grid" | columns "PHE" "EE"}} the first column and these, in this order
//	{{table "1" "--grid" | rows "bank…"}}       these rows
//	{{table "forecast" | without "…(frozen)"}}  all other rows
//	{{table "buckets" "--grid" | transpose}}    rows in place of columns
func shaping() map[string]any {
	return map[string]any{"part": part, "columns": columns, "rows": rows, "without": without, "transpose": transpose}
}

// grid holds the cells of a table of Markdown: the heading and the rows.
type grid [][]string

func parseGrid(lines []string) (g grid) {
	for i, line := range lines {
		if i == 1 { // the rule below the heading
			continue
		}
		g = append(g, markdown.Cells(line))
	}
	return g
}

// String returns the table as Markdown. All columns but the first are numbers.
func (g grid) String() string {
	var b strings.Builder
	for i, row := range g {
		b.WriteString(markdown.Row(row) + "\n")
		if i == 0 {
			fmt.Fprintf(&b, "|---|%s\n", strings.Repeat("---:|", len(row)-1))
		}
	}
	return b.String()
}

// reshape applies a change to each table of a text, and keeps the notes that its tables name.
func reshape(text string, change func(g grid) (grid, error)) (string, error) {
	var b strings.Builder
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], "|") {
			end++
		}
		if end == i {
			b.WriteString(lines[i] + "\n")
			i++
			continue
		}
		g, err := change(parseGrid(lines[i:end]))
		if err != nil {
			return "", err
		}
		b.WriteString(g.String())
		i = end
	}
	return renumber(b.String()), nil
}

var (
	note = regexp.MustCompile(`(?m)^\n\[(\d+)\] .*\n`)
	mark = regexp.MustCompile(` \[(\d+)\]`)
)

// renumber drops the notes that no table names, and counts the others from 1.
func renumber(text string) string {
	var order []string
	body := mark.ReplaceAllStringFunc(note.ReplaceAllString(text, ""), func(m string) string {
		if !slices.Contains(order, m) {
			order = append(order, m)
		}
		return fmt.Sprintf(" [%d]", slices.Index(order, m)+1)
	})
	for i, m := range order {
		for _, n := range note.FindAllStringSubmatch(text, -1) {
			if m == " ["+n[1]+"]" {
				body += strings.Replace(n[0], "["+n[1]+"]", fmt.Sprintf("[%d]", i+1), 1)
			}
		}
	}
	return body
}

// matches tells whether a name fits a pattern.
func matches(pattern, name string) bool {
	if prefix, open := strings.CutSuffix(pattern, "…"); open {
		return strings.HasPrefix(name, prefix)
	}
	if suffix, open := strings.CutPrefix(pattern, "…"); open {
		return strings.HasSuffix(name, suffix)
	}
	return pattern == name
}

// part returns one of the tables of a text, counted from 1.
func part(n int, text string) (string, error) {
	var tables []string
	if _, err := reshape(text, func(g grid) (grid, error) {
		tables = append(tables, g.String())
		return g, nil
	}); err != nil {
		return "", err
	}
	if n < 1 || n > len(tables) {
		return "", errors.Errorf("no table %d; the text has %d tables", n, len(tables))
	}
	return tables[n-1], nil
}

// columns keeps a table's first column and the named ones. The table is the last argument.
func columns(arguments ...string) (string, error) {
	patterns, text := arguments[:len(arguments)-1], arguments[len(arguments)-1]
	var absent []string
	out, err := reshape(text, func(g grid) (grid, error) {
		chosen := []int{0}
		for _, pattern := range patterns {
			at := -1
			for k, name := range g[0] {
				if matches(pattern, name) && !slices.Contains(chosen, k) { // a heading may occur twice
					at = k
					break
				}
			}
			if at < 0 {
				absent = append(absent, pattern)
				continue
			}
			chosen = append(chosen, at)
		}
		var kept grid
		for _, row := range g {
			var cells []string
			for _, at := range chosen {
				cells = append(cells, row[at])
			}
			kept = append(kept, cells)
		}
		return kept, nil
	})
	return out + lacking("column", absent), err
}

// lacking returns the note about columns or rows that a table does not have.
func lacking(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("\n%sno %s %s; results are missing.*\n", NotHere, what, strings.Join(names, ", "))
}

// rows keeps the named rows. The table is the last argument.
func rows(arguments ...string) (string, error) { return pick(true, arguments) }

// without drops the named rows. The table is the last argument.
func without(arguments ...string) (string, error) { return pick(false, arguments) }

func pick(keep bool, arguments []string) (string, error) {
	patterns, text := arguments[:len(arguments)-1], arguments[len(arguments)-1]
	found := map[string]bool{}
	out, err := reshape(text, func(g grid) (grid, error) {
		kept := grid{g[0]}
		for _, row := range g[1:] {
			named := false
			for _, pattern := range patterns {
				if matches(pattern, row[0]) {
					named, found[pattern] = true, true
				}
			}
			if named == keep {
				kept = append(kept, row)
			}
		}
		return kept, nil
	})
	absent := slices.DeleteFunc(slices.Clone(patterns), func(pattern string) bool { return found[pattern] })
	return out + lacking("row", absent), err
}

// transpose makes rows of columns.
func transpose(text string) (string, error) {
	return reshape(text, func(g grid) (grid, error) {
		turned := make(grid, len(g[0]))
		for _, row := range g {
			for k, cell := range row {
				turned[k] = append(turned[k], cell)
			}
		}
		return turned, nil
	})
}
