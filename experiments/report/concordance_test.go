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

// itemsOfPaper are the figures, tables, propositions and supplements of paper.tex, and three tables of Supp. G.6 without a number.
var itemsOfPaper = []string{
	"Fig. 1", "Fig. 2", "Fig. 3, left", "Fig. 3, right", "Fig. 4", "Fig. 5", "Fig. 6", "Fig. 7", "Fig. 8", "Fig. 9", "Fig. 10", "Fig. 11",
	"Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Ablation of B", "Ablation of K", "Double memory", "Prop. 3.1",
	"Supp. A", "Supp. B", "Supp. C", "Supp. D", "Supp. E", "Supp. F",
	"Supp. G.1", "Supp. G.2", "Supp. G.3", "Supp. G.4", "Supp. G.5", "Supp. G.6",
}

// rowOfConcordance matches a row: item, pages, pictures, commands, notebooks.
var rowOfConcordance = regexp.MustCompile(`(?m)^\| ((?:Fig|Tab|Abl|Doub|Prop|Supp)[^:|\n]*): [^|]+ \| (.+) \| (.+) \| (.+) \| (.+) \|$`)

// The concordance has every item of the paper once, in order. A figure has a page, a picture and the command that draws it, a table has a
// notebook, and everything has a page or a notebook. Each command is known. Package docs tests all links.
func TestConcordance(t *testing.T) {
	page := filetest.Must(committedPages())(t)[index]
	var items []string
	for _, row := range rowOfConcordance.FindAllStringSubmatch(page, -1) {
		name, pages, pictures, commands, notebooks := row[1], row[2], row[3], row[4], row[5]
		items = append(items, name)
		number := regexp.MustCompile(`^Fig\. (\d+)`).FindStringSubmatch(name)
		switch {
		case number != nil && (!strings.Contains(pages, "](") || !strings.Contains(commands, "`phe figure "+number[1])):
			t.Errorf("%s lacks its page or the command that draws it: %s", name, row[0])
		case number != nil && !strings.Contains(pictures, fmt.Sprintf("/fig%02s-", number[1])):
			t.Errorf("%s lacks its picture: %s", name, row[0])
		case strings.HasPrefix(name, "Table") && notebooks == "–", !strings.Contains(pages+notebooks, "]("):
			t.Errorf("%s is not to be found: %s", name, row[0])
		}
		for _, command := range regexp.MustCompile("`phe table ([^`]*)`").FindAllStringSubmatch(commands, -1) {
			if !slices.Contains(Tables(), command[1]) {
				t.Errorf("%s: there is no table %s", name, command[1])
			}
		}
	}
	if !slices.Equal(items, itemsOfPaper) {
		t.Errorf("the concordance has\n%q, want\n%q", items, itemsOfPaper)
	}
	for _, file := range filetest.Some(t, filetest.Must(filepath.Glob("../../notebooks/[1-5A-Z]*.ipynb"))(t), "notebooks") {
		without := []string{"3.3-online-learning.ipynb", "4.1-protocols.ipynb", "5-your-variant.ipynb"} // no item of the paper
		if name := filepath.Base(file); !strings.Contains(page, "](notebooks/"+name+")") && !slices.Contains(without, name) {
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
