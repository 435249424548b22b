package report

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/phe/disk/filetest"
)

// rowOfConcordance matches a row: item, pages, pictures, commands, notebooks.
var rowOfConcordance = regexp.MustCompile(`(?m)^\| ((?:Fig|Tab|Abl|Doub|Prop|Supp|Eq|Sec)[^:|\n]*): [^|]+ \| (.+) \| (.+) \| (.+) \| (.+) \|$`)

// The concordance has a row for each label of the paper (equations, figures, tables, sections), which testdata names once, and no other
// row. A figure has a page, a picture and the command that draws it, figures and tables have notebooks, and everything has a page or a
// notebook. The notebook of a figure or section says so. Each command is known. Package docs tests all links.
func TestConcordance(t *testing.T) {
	all := filetest.Must(committedPages())(t)
	page := all[index] + strings.ReplaceAll(all[topicFolder+"/sections.md"], "](../../", "](")
	var items []string
	for _, row := range rowOfConcordance.FindAllStringSubmatch(page, -1) {
		name, pages, pictures, commands, notebooks := row[1], row[2], row[3], row[4], row[5]
		if slices.Contains(items, name) {
			t.Errorf("%s has two rows", name)
		}
		items = append(items, name)
		for _, notebook := range regexp.MustCompile(`\]\((notebooks/[^)]*)\)`).FindAllStringSubmatch(notebooks, -1) {
			kind, number, _ := strings.Cut(strings.Split(name, ",")[0], " ")
			says := regexp.MustCompile(
				map[string]string{"Fig.": `Figs?\. (?:[\d, and]*\b)?`, "Sec.": `Section `}[kind] + regexp.QuoteMeta(number) + `\b`)
			if text := filetest.Must(os.ReadFile("../../" + notebook[1]))(t); (kind == "Fig." || kind == "Sec.") && !says.Match(text) {
				t.Errorf("%s is not in %s", name, notebook[1])
			}
		}
		number := regexp.MustCompile(`^Fig\. (\d+)`).FindStringSubmatch(name)
		switch {
		case number != nil && (!strings.Contains(pages, "](") || !strings.Contains(commands, "`phe figure "+number[1])):
			t.Errorf("%s lacks its page or the command that draws it: %s", name, row[0])
		case number != nil && !strings.Contains(pictures, fmt.Sprintf("/fig%02s-", number[1])):
			t.Errorf("%s lacks its picture: %s", name, row[0])
		case (number != nil || strings.HasPrefix(name, "Table")) && notebooks == "–", !strings.Contains(pages+notebooks, "]("):
			t.Errorf("%s is not to be found: %s", name, row[0])
		}
		for _, command := range regexp.MustCompile("`phe table ([^`]*)`").FindAllStringSubmatch(commands, -1) {
			if !slices.Contains(Tables(), command[1]) {
				t.Errorf("%s: there is no table %s", name, command[1])
			}
		}
	}
	labelled := map[string]bool{}
	for line := range strings.Lines(string(filetest.Must(os.ReadFile("testdata/paperlabels.txt"))(t))) {
		at := strings.LastIndex(line, ": ")
		label, item := line[:at], strings.TrimSpace(line[at+2:])
		labelled[item] = true
		filetest.True(t, slices.Contains(items, item), "%s of the paper has no row %s", label, item)
	}
	filetest.Want(t, len(labelled), len(items), "items that the paper has, of the rows")
	for _, file := range filetest.Some(t, filetest.Must(filepath.Glob("../../notebooks/[1-5A-Z]*.ipynb"))(t), "notebooks") {
		if name := filepath.Base(file); !strings.Contains(page, "](notebooks/"+name+")") && name != "5-your-variant.ipynb" {
			t.Errorf("no item of the paper is in %s", name)
		}
	}
}

// The book has the pages in the order of the index, which is the paper's. Those beyond the paper come last.
func TestBookOrder(t *testing.T) {
	var pages []string
	index := filetest.Must(committedPages())(t)[index]
	for _, row := range regexp.MustCompile(`(?m)^\| \[[^\]]+\]\((docs/reproduction/[^)]+)\.md\) \| `).FindAllStringSubmatch(index, -1) {
		pages = append(pages, row[1])
	}
	book := string(filetest.Must(os.ReadFile("../../notebooks/book/index.md"))(t))
	_, book, _ = strings.Cut(book, "\nREPRODUCTION\n")
	named, _, _ := strings.Cut(book, "```")
	if got := strings.Fields(named); !slices.Equal(got, pages) {
		t.Errorf("the book has %q, and the index %q", got, pages)
	}
	if files := filetest.Must(filepath.Glob("../../docs/reproduction/*.md"))(t); len(files) != len(pages) {
		t.Errorf("the index has %d of %d pages", len(pages), len(files))
	}
}

// A table of movielens.md, computed once more from the days: the errors around the paper's two jumps.
func TestJumps(t *testing.T) {
	page := filetest.Must(committedPages())(t)[topicFolder+"/movielens.md"]
	for _, years := range [][]string{{"2001", "2002"}, {"2004", "2005"}, {"2012", "2013"}, {"2015", "2016"}} {
		row := "| " + strings.Join(years, " and ") + " |"
		for _, spec := range []string{"movielens-small-wide", "movielens-50k-wide"} {
			f := filetest.Must(committedResults().Find(spec))(t)
			filetest.Check(t, f.LoadSeries())
			for _, method := range []string{"PHE", "Global mean"} {
				var seeds []float64
				for _, run := range f.Method(method, false).Runs {
					sum, days := 0.0, 0.0
					for step, error := range run.Series(measure.RatingError) {
						if slices.Contains(years, f.Stream.Days[step][:4]) {
							sum, days = sum+100*error, days+1
						}
					}
					seeds = append(seeds, sum/days)
				}
				row += " " + measure.Over(seeds).Text(2) + " |"
			}
		}
		if !strings.Contains(page, row) {
			t.Errorf("the page has no row %s", row)
		}
	}
}
