package report

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// numberedPages are pages and templates on which every number comes from a result or is part of a listed text. They are the texts by file.
var numberedPages = map[string][]string{
	"../../README.md": {"AAAI 2026", "arXiv:2511.20893", "Apache License 2.0",
		"this is 0.2.0, and every later 0.x", // a test of docs holds it to the release
		// Settings, a scale, sizes of the network, and a number that package docs measures.
		"256 KB of\ntables", "4, 32 or 256 KB", "4 KB on", ": 100 knows nothing more", "31 MB", "50 MB", "200 MB",
		"500 lines late,\naccuracy is 89.2 %",
	},
	"pages/docs/one-pass.md": {
		// Parts of the paper, of this page and of the notebooks.
		"Eq. 3", "Prop. 3.1", "Sec. 4.2, Supp. G.3", "Table 5", "MacKay 1992", "6-one-pass",
		"of step 7 for", ", step 7 |", "share of step 8", "Then steps 8 and 9", "| 1, 2 |", "| 4 |", "| 5 |", "| 6, 7 |", "| 8 |",
		// Types, and settings of tests and of notebook 6-one-pass.
		"float64", "float32", "UTF-8", "last 64 bits", "20,000 rows", "seed 0", "from 300 rows", "γ = 0.99", "by group, 11\n",
		"with 5 buckets", "With 7 buckets and 20 numbers each", "2,000 rows of Adult and 2,000 rows of Covertype",
		// Runs of a commit and of seeds that the page names; no result file holds them.
		"an equal memory of 4 and of 32 KB", "MovieLens from 62.0 to 65.2 % and from 66.4 to\n  67.3 %",
		"stream from 61.2 to 64.1 and from 64.9 to 66.1",
		"Retail from 80.9 to 82.3 and from 83.8 to 85.4", "seeds 0 to 2, commit bfcbd7fe", "In 256 KB Online Retail gains 0.3 points",
		"nothing in 4 KB either",
	},
	"pages/by-the-text.md": {
		// Parts of the paper.
		"So Table 1 has", "Eqs. 2 and 3", "Sec. 4.2, and Supp. G.3", "(Supp. D and G.6)", "## Table 1 in", "[Table 1",
		"Table 5 by the text",
		// Settings of specs, and sizes of data sets that package uci tests.
		"trains 15 epochs", "after 200 epochs", "where 15 steps end", "Among 64 draws", "has 15 epochs a step", "all 48,842 rows",
		"all 45,211 rows", "all 8,124 rows", "500 blocks of 581,012 rows", "rows have 20 initial epochs, and the text's have 100",
		"optimiser's 15 steps",
		"Against 15 steps", "in place of 15.", "be the 15 steps as well", "need 15 epochs, 100, or", "has 15 epochs, and", "PHE rate 0.001",
		"has 15 at a tenth",
		"(B = 5, P = 1)", "the 49,999 rows", "after 500 of 5,753 blocks", "d = 20",
		"From K = 4 on", "with K = 1", "The 15 steps", "with K = 3", "with K = 5", "the fewer the hash functions: K = 1",
		"half of its 95 % interval", "that is h6 alone", "are of h13 and h9", "Mushroom has 8,124 rows", "program's 8,416",
		"recommends K = 2 or 3** (Supp. G.6)", "Mushroom K = 4 is", "and K = 5", "On Adult K = 5 is",
	},
	"pages/choices.md": {
		// Parts of the paper, and settings of its text, of the authors' program and of specs.
		"[Table 1", "Eqs. 2 and 3", "| 1e-8 in", "| 30 %, Covertype 1 %, and", "| 1 % → 10 % of Covertype's 49,999 rows",
		"| 100, Mushroom 3 |", "after 300 blocks, Covertype after 500 |", "| 48,842 | 45,222, those", "| 8,124 | 8,416 |",
		"| 581,012 | the first 49,999 |", "text, 20 draws",
		"(Supp. D, G.6)", "| 100 | 100; Bank and Covertype 20 |", "| 15, and", "| 15 | both", "| −10 | program", "with −10, ",
		"with −2; Retail", "with −10 and", "with −2 (",
		"| 10 and 100, new", "N(0, 1)", "[Table 6", "Fig. 10", "Table 5: cut", "Table 5: epochs | 100, then 15", "MovieLens-32M",
		"| Table 5: error", "| 32 samples", "| 1996 to 1999", "| 20 by Table 4 | 50 |",
	},
}

// noNumber matches the parts of a page whose digits are no results that a person typed: numbers of templates, which the results give,
// blocks of code, tables of package streams, code within a line, targets of links, formulas, and the numbers that count the items of a
// list. Numbers written as words are not looked at.
var noNumber = regexp.MustCompile("(?ms)\\{\\{.*?\\}\\}|^```.*?^```$|<!-- streams .*?<!-- end -->|" +
	"`[^`\n]+`|\\]\\([^)\n]+\\)|\\$\\$.*?\\$\\$|\\$[^$\n]+\\$|^\\d+\\. |https?://\\S+")

var number = regexp.MustCompile(`\d+`)

// typedPart overwrites the parts of a page that noNumber matches with spaces, so that the rest keeps its place.
func typedPart(page string) string {
	return noNumber.ReplaceAllStringFunc(page, func(s string) string { return strings.Repeat(" ", len(s)) })
}

// typed returns a fault for each number of a page that a person typed, unless a listed text explains it.
func typed(page string, listed []string) (faults []string) {
	rest := typedPart(page)
	for _, text := range listed {
		if !strings.Contains(rest, text) {
			faults = append(faults, fmt.Sprintf("it does not say %q; take it from the list", text))
		}
		rest = strings.ReplaceAll(rest, text, strings.Repeat(" ", len(text)))
	}
	for _, at := range number.FindAllStringIndex(rest, -1) {
		begin := strings.LastIndex(page[:at[0]], "\n") + 1
		line, _, _ := strings.Cut(page[begin:], "\n")
		faults = append(faults, fmt.Sprintf("no result gives %s in %q", page[at[0]:at[1]], line))
	}
	return faults
}

// Every number of these pages comes from a result, or the list says that it is none. No typed number can change without a fault. TestReport
// holds the numbers that templates give to the results.
func TestNumbersOfPages(t *testing.T) {
	for path, listed := range numberedPages {
		page := string(filetest.Must(os.ReadFile(path))(t))
		for _, fault := range typed(page, listed) {
			t.Errorf("%s: %s", path, fault)
		}
		for _, at := range number.FindAllStringIndex(typedPart(page), -1) {
			altered, before := []byte(page), page[max(0, at[0]-40):at[0]]
			altered[at[1]-1] = '0' + (altered[at[1]-1]-'0'+1)%10
			if typed(string(altered), listed) == nil {
				t.Errorf("%s: nobody notices that %s becomes %s after %q", path, page[at[0]:at[1]], altered[at[0]:at[1]], before)
			}
		}
	}
}
