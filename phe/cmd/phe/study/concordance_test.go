package study

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gophe/data"
	"gophe/experiments/report"
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
)

// The program knows the commands that REPRODUCTION.md names. Next to the command of a figure stands the picture that it draws.
func TestConcordanceCommands(t *testing.T) {
	page := string(filetest.Must(os.ReadFile("../../../../REPRODUCTION.md"))(t))
	figures := slices.Collect(maps.Keys(drawings))
	names := map[string][]string{"figure": figures, "table": report.Tables(), "data export": data.ExportNames(), "run": spec.Names()}
	all := 0
	for line := range strings.Lines(page) {
		for _, c := range regexp.MustCompile("`phe (figure|table|data export|run) ([^` ]+)").FindAllStringSubmatch(line, -1) {
			all++
			filetest.True(t, c[2] == "NAME" || slices.Contains(names[c[1]], c[2]), "the page has phe %s %s", c[1], c[2])
			if c[1] == "figure" {
				filetest.WantWords(t, line, "(figures/out/"+drawings[c[2]].file)
			}
		}
	}
	filetest.True(t, all >= 30, "the page has %d commands", all)
}
