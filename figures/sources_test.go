package figures

import (
	"bytes"
	"image/color"
	"slices"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// every is each figure of several files, with results that fit.
var every = []struct {
	name     string
	protocol string // that it needs
	files    func(seeds int) []*result.File
	draw     func([]*result.File) (*draw.Figure, error)
}{
	{"figure1", "group", groupFiles, Figure1},
	{"figure9", "", groupFiles, Figure9},
	{"figure11", "group", groupFiles, Figure11},
	{"frontier", "", frontierFiles, Frontier},
	{"lateitems", "", lateFiles, LateItems},
	{"figure5", "", func(int) []*result.File { return []*result.File{toyFile()} },
		func(files []*result.File) (*draw.Figure, error) { return Figure5(files[0]) }},
	{"figure6", "online", func(seeds int) []*result.File { return onlineFiles(60, seeds) },
		func(files []*result.File) (*draw.Figure, error) { return Figure6(files, 3) }},
	{"figure3right", "daily", retailFiles, func(files []*result.File) (*draw.Figure, error) { return Figure3Right(files[0], 3) }},
	{"figure7", "daily", retailFiles, Figure7},
	{"calibration", "daily", retailFiles, func(files []*result.File) (*draw.Figure, error) { return Calibration(files[0]) }},
	{"ratings", "recommend", ratingsFiles, Figure7},
	{"coldstart", "recommend", ratingsFiles, func(files []*result.File) (*draw.Figure, error) { return ColdStart(files[0]) }},
	{"memory", "recommend", ratingsFiles, func(files []*result.File) (*draw.Figure, error) { return Memory(files[0]) }},
	{"figure10", "adaptation", func(seeds int) []*result.File { return adaptationFiles(200, seeds) },
		func(files []*result.File) (*draw.Figure, error) { return Figure10(files, 3) }},
	{"pays", "by-group", func(seeds int) []*result.File { return paysFiles(40, seeds) },
		func(files []*result.File) (*draw.Figure, error) { return Pays(files, "P-EE replay", 0) }},
	{"onepass", "by-group", func(seeds int) []*result.File { return onePassFiles(40, seeds)[:2] },
		func(files []*result.File) (*draw.Figure, error) { return OnePass(files, 8) }},
}

// Each figure can be drawn from one seed and from several. Two drawings give the same bytes, and marks lie in the figure.
func TestEveryFigureIsReproducible(t *testing.T) {
	for _, test := range every {
		for _, seeds := range []int{1, 3} {
			// PNG goes the same way, slower
			svg := func() []byte { return filetest.Must(filetest.Must(test.draw(test.files(seeds)))(t).SVG())(t) }
			filetest.True(t, bytes.Equal(svg(), svg()), "%s of %d seeds: two drawings differ", test.name, seeds)
			marks := filetest.Must(test.draw(test.files(seeds)))(t).Marks(401)
			isOutside := func(m draw.Mark) bool { return !(0 < m.X && m.X < 1 && 0 < m.Y && m.Y < 1) }
			filetest.True(t, 0 < len(marks) && len(marks) <= 400, "%s of %d seeds: %d marks", test.name, seeds, len(marks))
			filetest.True(t, !slices.ContainsFunc(marks, isOutside), "%s of %d seeds: a mark is outside the figure", test.name, seeds)
		}
	}
}

// Without a finished run, with the wrong protocol or without files, a figure says what to run.
func TestEveryFigureNamesTheRemedy(t *testing.T) {
	for _, test := range every {
		check := func(what, want string, files []*result.File) {
			t.Helper()
			filetest.WantError(t, filetest.Failure(test.draw(files)), want)
		}
		check("a file that is missing", "phe run NAME", []*result.File{nil})
		if test.name == "figure9" { // needs no runs
			f := test.files(1)[0]
			f.Stream.Tests = nil
			check("no tests", "phe run adult-group", []*result.File{f})
			continue
		}
		f := test.files(1)[0]
		eachRun(f, func(_ int, run *result.Run) { run.Status = result.Partial })
		check("nothing finished", "phe run "+f.Name+" --resume", []*result.File{f})
		if test.protocol != "" {
			f := test.files(1)[0]
			for i := range f.Methods {
				f.Methods[i].Protocol = "order"
			}
			check("another protocol", test.protocol, []*result.File{f})
		}
		if !slices.Contains([]string{"figure5", "figure3right", "calibration", "coldstart", "memory"}, test.name) { // these take one
			check("no file", "phe run NAME", nil)
		}
	}
}

// The names that figures draw have styles of their own. Frozen PHE has PHE's colour in a thinner line. Majority is grey and dashed.
func TestStyles(t *testing.T) {
	var p draw.Palette
	for _, name := range []string{baseline.ItemMajority, baseline.Majority, measure.Reference, observation, onePassName} {
		filetest.True(t, p.Style(name, false).Layer >= 0, "%s has a spare style", name)
	}
	methods := readSource(pick(synthetic(5, 1), 0, 6), nil, &p).methods
	online, frozen := methods[0].style, methods[1]
	filetest.Want(t, frozen.label, "PHE frozen", "the second method")
	filetest.Want(t, frozen.style.Color, online.Color, "the colour of frozen PHE")
	filetest.True(t, frozen.style.Width < online.Width, "frozen PHE is %v wide, and PHE %v", frozen.style.Width, online.Width)
	majority := p.Style("Majority", false)
	filetest.Want[color.Color](t, majority.Color, color.NRGBA{120, 120, 120, 255}, "the colour of Majority")
	filetest.True(t, len(majority.Dashes) > 0, "the line of Majority has no dashes")
}

// A figure ends with the error that anything in it met. A panic of another kind is a mistake in the program, and goes on.
func TestCaught(t *testing.T) {
	ended := func(by func()) (err error) {
		defer caught(&err)
		by()
		return nil
	}
	filetest.WantError(t, ended(func() { failf("no %s", "result") }), "no result")
	filetest.Check(t, ended(func() { check(nil) }))
	defer func() { filetest.Want[any](t, recover(), "mistake", "a panic of another kind") }()
	t.Errorf("a panic became %v", ended(func() { panic("mistake") }))
}
