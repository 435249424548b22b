package main

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
	page := string(filetest.Must(os.ReadFile("../../../REPRODUCTION.md"))(t))
	figures := slices.Collect(maps.Keys(drawings))
	names := map[string][]string{"figure": figures, "table": report.Tables(), "data export": data.ExportNames(), "run": spec.Names()}
	all := 0
	for line := range strings.Lines(page) {
		for _, c := range regexp.MustCompile("`phe (figure|table|data export|run) ([^` ]+)").FindAllStringSubmatch(line, -1) {
			if all++; c[2] != "NAME" && !slices.Contains(names[c[1]], c[2]) {
				t.Errorf("the page has phe %s %s", c[1], c[2])
			} else if c[1] == "figure" && !strings.Contains(line, "(figures/out/"+drawings[c[2]].file) {
				t.Errorf("phe figure %s draws %s, which is not in %s", c[2], drawings[c[2]].file, line)
			}
		}
	}
	if all < 30 {
		t.Errorf("the page has %d commands", all)
	}
}
