package report

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/pkg/errors"

	"gophe/experiments/compare"
	"gophe/experiments/prose"
	"gophe/experiments/result"
)

// A page of Markdown holds blocks of results, each between two comments that have a line of their own:
//
//	<!-- phe table 5 --grid -->
//	<!-- end -->
//
// What stands between them is what the command in the first prints. The commands are `phe table NAME`, with --grid or not,
// `phe compare --paper` and `phe compare --summary`; "contents" in place of a command lists the page's headings. A command may
// name the folder of the results by --out, for readers: blocks are filled from one folder.

const endOfBlock = "<!-- end -->"

var startOfBlock = regexp.MustCompile(`^<!-- (contents|phe .*) -->$`)

// fillBlocks puts the results of a folder between the comments of a page, in place of what is there, and counts the blocks.
// A result that is not there is an error or, with tolerant, a note in the block.
func fillBlocks(page string, folder *result.Folder, tolerant bool) (filled string, blocks int, err error) {
	source := blockSource{page: page, folder: folder}
	var out []string
	command := "" // of the block under way
	for i, line := range strings.Split(page, "\n") {
		start := startOfBlock.FindStringSubmatch(line)
		switch {
		case start != nil && command != "":
			return "", 0, errors.Errorf("line %d: the block of %q begins inside that of %q, which has no %s", i+1, start[1], command, endOfBlock)
		case start != nil:
			command = start[1]
			text, err := source.block(command)
			if tolerant && errors.Is(err, fs.ErrNotExist) {
				text, err = prose.NotHere(err), nil
			}
			if err != nil {
				return "", 0, errors.WithMessagef(err, "line %d, %q", i+1, command)
			}
			out = append(out, line)
			out = append(out, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
			blocks++
		case line == endOfBlock && command == "":
			return "", 0, errors.Errorf("line %d: %s ends no block", i+1, endOfBlock)
		case line == endOfBlock:
			command = ""
			out = append(out, line)
		case command == "" && strings.Contains(line, "<!-- phe "):
			return "", 0, errors.Errorf("line %d: a block's comment needs a line of its own, of the form <!-- phe … -->", i+1)
		case command == "":
			out = append(out, line)
		}
	}
	if command != "" {
		return "", 0, errors.Errorf("the block of %q has no %s", command, endOfBlock)
	}
	return strings.Join(out, "\n"), blocks, nil
}

// blockSource makes the text of blocks. Cells are compared once.
type blockSource struct {
	page   string
	folder *result.Folder
	cells  []compare.Cell
}

func (s *blockSource) block(command string) (string, error) {
	words := strings.Fields(command)
	if n := len(words); n > 2 && words[n-2] == "--out" {
		words = words[:n-2]
	}
	switch strings.Join(words, " ") {
	case "contents":
		return contents(s.page), nil
	case "phe compare --paper":
		cells, err := s.compare()
		return compare.Markdown(compare.Published(cells)), err
	case "phe compare --summary":
		cells, err := s.compare()
		return compare.Outcomes(cells), err
	}
	if len(words) < 3 || words[1] != "table" || len(words) > 4 || len(words) == 4 && words[3] != "--grid" {
		return "", errors.New("no block is filled by that; write contents, phe table NAME, phe table NAME --grid, phe compare --paper or phe compare --summary")
	}
	name := words[2]
	if len(words) == 3 {
		return Table(name, s.folder)
	}
	if !HasGrid(name) {
		return "", errors.Errorf("table %q has no grid", name)
	}
	cells, err := s.compare()
	if err != nil {
		return "", err
	}
	cells, err = cellsOf(paperItems[name], cells, s.folder)
	return compare.Grid(cells), err
}

func (s *blockSource) compare() (cells []compare.Cell, err error) {
	if s.cells == nil {
		s.cells, err = compare.Compare(s.folder)
	}
	return s.cells, err
}

var headings = regexp.MustCompile(`(?m)^(###?) (.+)$`)

// contents lists a page's headings of the second and third level, with links to them.
func contents(page string) string {
	var b strings.Builder
	for _, h := range headings.FindAllStringSubmatch(page, -1) {
		fmt.Fprintf(&b, "%s- [%s](#%s)\n", strings.Repeat("  ", len(h[1])-2), h[2], anchor(h[2]))
	}
	return b.String()
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor is the name that GitHub and pandoc's gfm give a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
