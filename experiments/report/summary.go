package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/table"
	"gophe/phe/stream"
)

// summaryRows holds the rows of the README's table: a stream with its score, and the results and methods of one pass, of phe stream's own
// model and of the published update.
var summaryRows = []struct {
	title                string
	spec, method, preset string
	whole, stream        string
	published, phe       string
}{
	{"Adult, items come late, accuracy %", "adult-by-group-one-pass", fromNothing, "Paper", "", "", "adult-by-group", "PHE"},
	{"Covertype, random order, accuracy %", "covertype-full-stream-one-pass", fromNothing, "Paper", "", "", "covertype-full-stream", "PHE"},
	{"Online Retail, 12 pieces or more? accuracy %", "retail-late", "One pass Stream, 32 KB", "Stream", "retail-late-whole",
		"phe stream, 32 KB", "retail-late", "PHE, 32 KB"},
	{"MovieLens small, 4 stars or more? accuracy %", "movielens-late", "One pass Stream, 32 KB", "Stream", "movielens-late-whole",
		"phe stream, 32 KB", "movielens-late", "PHE, 32 KB"},
	{"Online Retail, next quantity, error in units", "", "", "", "retail-counts", "Counts of a stream's columns, 1.4 MiB",
		"retail-forecast", "PHE"},
}

// summaryTable returns one pass and phe stream's own model next to the published update, or its frozen model if that is better, and next to
// the strongest rival on the same stream, with all the numbers that each keeps. Replay is no rival. On streams at equal memory all rivals
// have the same.
func summaryTable(s *source) table.Page {
	t := table.New(1, "stream, score", "one pass: preset, numbers", "`phe stream`: numbers", "PHE, as published: numbers",
		"strongest rival: numbers")
	for _, row := range summaryRows {
		phe := s.row(row.published, row.phe)
		var ours [2]measure.Row
		for i, own := range [][2]string{{row.spec, row.method}, {row.whole, row.stream}} {
			if own[0] != "" {
				ours[i] = s.row(own[0], own[1])
			}
		}
		if s.err != nil {
			return nil
		}
		frozenly := ""
		if phe = betterOf(phe); phe.Frozen {
			frozenly = "frozen, "
		}
		files, kilobytes, cells := []*result.File{phe.File}, 0, [2]string{"–", "–"}
		for i, own := range ours {
			if own.File != nil {
				files = append(files, own.File)
				_, kilobytes, _ = own.Budget()
				cells[i] = cellWith(own, []string{row.preset + ", ", ""}[i], []*result.File{own.File, phe.File})
			}
		}
		rival := strongest(files, kilobytes)
		t.Add(row.title, cells[0], cells[1], cellWith(phe, frozenly, files), cellWith(rival, shownName(rival)+", ", files))
	}
	return t.Page()
}

// cellWith returns a method's leading metric and, in brackets, words about it and the numbers that it keeps.
func cellWith(r measure.Row, words string, files []*result.File) string {
	return fmt.Sprintf("%s (%s%s)", drawn(r.Over(r.Leading())).Text(2), words, keeps(r, files))
}

// betterOf returns a method or its frozen model, by the leading metric.
func betterOf(r measure.Row) measure.Row {
	frozen := r.Initial()
	a, b := r.Mean(r.Leading()), frozen.Mean(r.Leading())
	if a == nil || b == nil || (*a < *b) == measure.Named(r.Leading()).Less {
		return r
	}
	return frozen
}

// keeps returns all the numbers that a method keeps. Where a result counts the tables alone, another result of the stream may count
// the head too.
func keeps(r measure.Row, files []*result.File) string {
	total := r.TotalParameters
	for _, f := range files {
		for _, same := range measure.Rows(f) {
			if same.Name == r.Name && same.Parameters == r.Parameters {
				total = cmp.Or(total, same.TotalParameters)
			}
		}
	}
	switch {
	case total > 0:
		return stream.Grouped(int64(total))
	case r.Name == "PHE":
		return stream.Grouped(int64(r.Parameters)) + " and a network"
	case r.Parameters == 0:
		return "not counted"
	}
	return stream.Grouped(int64(r.Parameters))
}

// shownName returns a rival's name without its memory, which all methods of its row have.
func shownName(r measure.Row) string {
	base, kilobytes, _ := r.Budget()
	if kilobytes == 0 {
		return r.Label()
	}
	return base
}

// strongest returns the method with the best mean of those that are not PHE, by the leading metric of each result. If kilobytes is above
// 0, only methods of that memory count.
func strongest(files []*result.File, kilobytes int) (best measure.Row) {
	least := 0.0
	for _, f := range files {
		metric := measure.Named(measure.Metrics(&f.Methods[0])[0])
		for _, r := range measure.Rows(f) {
			_, own, without := r.Budget()
			if ofPHE(r.Name) || r.Name == baseline.Truth || without || strings.Contains(r.Name, ", without ") || own != kilobytes {
				continue
			}
			if mean := r.Mean(metric.Name); mean != nil && (best.Method == nil || (*mean < least) == metric.Less) {
				best, least = r, *mean
			}
		}
	}
	return best
}

// ofPHE reports whether a method is this project's, or the reference of regret.
func ofPHE(name string) bool {
	return name == measure.Reference || slices.ContainsFunc([]string{"PHE", fromNothing, "phe stream", "Counts of"}, func(own string) bool {
		return name == own || strings.HasPrefix(name, own+" ") || strings.HasPrefix(name, own+",")
	})
}
