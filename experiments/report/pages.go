package report

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"gophe/experiments/table"
)

// Pages are templates. These functions give them tables, and others give them numbers:
//
//	{{table NAME}}                 a table, as `phe table NAME` prints it
//	{{grid NAME}}                  the same in the paper's layout
//	{{result SPEC}}                the table of one result
//	{{verdict ITEM DATASET…}}      "3 of 4": the cells of the paper that come out; an empty ITEM is all, and so is no DATASET
//	{{draws NAME=SPEC…}}           readings of a table over draws of the hash functions; {{over SPEC METHOD COLUMN}} is a cell
//	{{prices NAME=SPEC…}}          what draws cost, by counting; {{parted SPEC METHOD}} parts what its frozen models lose
//	{{initialEpochs SPEC METHOD}}  "50 to 90": the epochs of its initial phases
//	{{came KIND}}                  the comparisons that come out although there is a doubt about them; {{came KIND | len}} is their number
//	{{outcomes cells}}             the number of cells for each outcome; {{cells}} are all, by program and text
//	{{differences cells}}          the cells that differ, by the reason
//	{{fragile cells}}              seeds that diverged, and means that one seed makes
//	{{cellTable cells}}            every cell next to the paper's, with notes
//	{{budget}}                     kilobytes at which methods are compared with and without such items
//	{{contents}}                   links to the page's headings
//
//go:embed pages
var templates embed.FS

const (
	index       = "REPRODUCTION.md" // the page with links to the others
	topicFolder = "docs/reproduction"
	cellsFile   = topicFolder + "/cells.csv"
)

// templatePages returns the paths of the templates by the paths of their pages below a root. The templates in folder docs are pages of that
// folder, and the others are topics.
func templatePages() map[string]string {
	topics, _ := fs.Glob(templates, "pages/*.*") // the patterns are right
	docs, _ := fs.Glob(templates, "pages/docs/*")
	pages := map[string]string{}
	for _, file := range append(topics, docs...) {
		page := strings.TrimPrefix(file, "pages/")
		if path.Dir(page) == "." && page != index {
			page = path.Join(topicFolder, page)
		}
		pages[page] = file
	}
	return pages
}

func (s *source) functions() template.FuncMap {
	return template.FuncMap{
		"draws": s.drawsTable, "over": s.over,
		"table": s.table, "grid": s.grid, "came": s.came, "result": s.result, "verdict": s.verdict,
		"prices": s.drawPrices, "asMild": s.asMild, "parted": s.parted, "initialEpochs": s.initialEpochs,
		"contents": func() string { return contents(s.page) }, "budget": func() int { return lateBudget },
		"cells": s.readings, "outcomes": outcomeTable, "differences": differences, "fragile": fragile,
		"cellTable": func(cells []Cell) table.Page { return CellTable(cells).Page() },
	}
}

func (s *source) grid(name string) table.Page {
	t, _ := s.lookUp(name)
	if t.item == "" {
		s.failf("table %q has no grid", name)
	}
	return Grid(s.cellsOf(t.item)).Page()
}

func (s *source) result(spec string) table.Page {
	return ResultTable(s.results([]string{spec})...).Page()
}

func (s *source) verdict(item string, datasets ...string) string {
	cells := About(s.compare(), item, datasets...)
	came, all := cameOut(cells)
	if all == 0 {
		s.failf("the paper has no cell of %q and %q", item, datasets)
	}
	if vague, _ := cameOut(slices.DeleteFunc(cells, func(c Cell) bool { return !c.isVague() })); vague > 0 {
		return fmt.Sprintf("%d of %d (%d at any small error)", came, all, vague)
	}
	return fmt.Sprintf("%d of %d", came, all)
}

var headings = regexp.MustCompile(`(?m)^## (.+)$`)

// contents lists a page's headings of the second level, with links to them.
func contents(page string) string {
	var b strings.Builder
	for _, h := range headings.FindAllStringSubmatch(page, -1) {
		fmt.Fprintf(&b, "- [%s](#%s)\n", h[1], anchor(h[1]))
	}
	return b.String()
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor returns the name that GitHub and pandoc's gfm give a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
