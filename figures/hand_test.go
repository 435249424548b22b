package figures

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// hand returns a method whose seeds have some accuracies on steps of some rows.
func hand(name string, rows []int, seeds ...[]float64) result.Method {
	m := result.Method{Dataset: "bank"}
	m.Name, m.Frozen = strings.CutSuffix(name, " frozen")
	for seed, accuracy := range seeds {
		m.Runs = append(m.Runs, result.Run{Seed: int64(seed), Status: result.Complete, Rows: rows, Accuracy: accuracy})
	}
	return m
}

// ofSize is hand for a method of one seed, with numbers of parameters: of the embedding module and of the whole method.
func ofSize(name string, parameters, all int, accuracy ...float64) result.Method {
	m := hand(name, make([]int, len(accuracy)), accuracy)
	m.Parameters, m.TotalParameters = parameters, all
	return m
}

// handFile returns a result of methods.
func handFile(of string, methods ...result.Method) *result.File {
	f := &result.File{Name: "hand-" + of, Methods: methods}
	for i := range methods {
		methods[i].Protocol = of
	}
	return f
}

// twoGroups is a result of protocol group with two groups.
func twoGroups() *result.File {
	score := func(after, set int, share float64) result.Score {
		return result.Score{After: after, Set: set, Accuracy: share}
	}
	f := handFile(protocol.GroupWise, hand("PHE", nil, nil, nil), hand("PHE frozen", nil, nil, nil))
	f.Stream.Tests = []result.Test{{Name: "group 1", Items: []string{"a", "b"}, Train: 20, Rows: 10},
		{Name: "group 2", Train: 2000, Rows: 40}}
	online, frozen := f.Methods[0].Runs, f.Methods[1].Runs
	for seed, shares := range [][]float64{{0.5, 0.1, 0.8, 0.3, 0.7, 0.9}, {0.7, 0.1, 0.8, 0.5, 0.6, 0.9}} {
		for i, share := range shares {
			online[seed].Tests = append(online[seed].Tests, score(i/2-1, i%2, share))
		}
	}
	frozen[0].Tests = []result.Score{score(-1, 0, 0.5), score(0, 0, 0.8), score(0, 1, 0.3)} // no later scores: they would be the same
	frozen[1].Tests = []result.Score{score(-1, 0, 0.7), score(0, 0, 0.9), score(0, 1, 0.5)}
	return f
}

// adapted is a result of protocol adaptation with four data, tested after 0, 2 and 4.
func adapted() *result.File {
	f := handFile(protocol.Adaptation, hand("PHE", []int{1, 1, 1, 1}, []float64{0, 1, 1, 1}, []float64{1, 0, 1, 0}))
	f.Stream.Tests = make([]result.Test, 2)
	for seed, kept := range [][]float64{{0.9, 0.8, 0.6}, {0.9, 0.6, 0.4}} {
		scores := []result.Score{{After: result.Untrained, Accuracy: 0.1}}
		for i, share := range kept {
			scores = append(scores, result.Score{After: 2 * i, Accuracy: share}, result.Score{After: 2 * i, Set: 1, Accuracy: 0.2})
		}
		f.Methods[0].Runs[seed].Tests = scores
	}
	return f
}

// regretted has two seeds. PHE's regret is 10·(0.9−0.8) + 20·(0.8−0.9) = 1, −1 and 2, 4.
func regretted(of string) *result.File {
	rows := []int{10, 20}
	f := handFile(of, hand("PHE", rows, []float64{0.8, 0.9}, []float64{0.7, 0.7}),
		hand("P-EE replay", rows, []float64{0.9, 0.8}, []float64{0.9, 0.8}),
		hand("EE frozen", rows, []float64{0.1, 0.1}, []float64{0.1, 0.1})) // not shown
	f.Stream.Changes = []result.Change{{Step: 1, What: "group 2"}}
	return f
}

// remembered is a result of protocol recommend with measurements of memory.
func remembered() *result.File {
	f := handFile(protocol.Recommend, ofSize("PHE", 1<<18, 0), ofSize("PHE frozen", 0, 0), hand("Biases", nil, nil))
	run := func(seed int64, first, second float64) result.Run {
		memory := []result.Memory{{Step: 1, Megabytes: first}, {Step: 3, Megabytes: second}}
		return result.Run{Seed: seed, Status: result.Complete, Memory: memory}
	}
	f.Methods[0].Runs, f.Methods[1].Runs = []result.Run{run(0, 700, 800), run(1, 720, 840)}, []result.Run{run(0, 500, 500)}
	f.Stream.Users = []int{100, 200, 1 << 16}
	f.Manifest.Spec, f.Manifest.PeakMemoryMB = json.RawMessage(`{"model": {"encoder": {"embedding_dim": 2}}}`), 2345.6
	return f
}

// late has methods with and without items that keep coming.
func late() *result.File {
	f := handFile(protocol.Online, ofSize("FTRL, 32 KB", 1, 8192, 0.9), ofSize("phe stream, 32 KB", 1, 1<<18, 0.8),
		ofSize("phe stream, 32 KB, without items", 1, 1<<18, 0.6), ofSize("FTRL, 32 KB, without items", 1, 8192, 0.7),
		ofSize("FTRL, 4 KB", 1, 1000, 0.75))
	f.Manifest.Spec = []byte(`{"methods": [{"without": ["StockCode", "CustomerID"]}, {}]}`)
	return f
}

// sizes has two sizes of PHE, one of P-EE, and methods that are not shown.
func sizes() *result.File {
	f := handFile(protocol.Online, ofSize("PHE B=7", 1000, 0, 0.7, 0.9), ofSize("PHE B=3", 100, 0, 0.6, 0.8),
		ofSize("P-EE", 5000, 0, 0.5, 0.5), ofSize("P-EE frozen", 5000, 0, 0.1, 0.1), ofSize("Majority", 0, 0, 0.5, 0.5))
	second := hand("", []int{0, 0}, nil, []float64{0.8, 1}, []float64{0.1}).Runs
	second[2].Status, second[2].DivergedAt = result.Diverged, 1
	second[2].Rows = second[2].Rows[:1]
	f.Methods[0].Runs = append(f.Methods[0].Runs, second[1])
	f.Methods[1].Runs = append(f.Methods[1].Runs, second[2])
	return f
}

// cold has two seeds with errors of 10 and 15 in the 50 first ratings of users, and of 55 in the 200 of films. A cell has no ratings.
func cold() *result.File {
	f := ratingsFile(20, 2, "authors")
	for i, e := range []float64{10, 15} {
		tallies := f.Methods[0].Runs[i].Tallies
		tallies["user first"][0], tallies["film first"][0].Error = result.Tally{Rows: 50, Error: e}, 55
	}
	return f
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// The curves of each figure are calculated by hand. A case compares the fields that it names.
func TestCurvesByHand(t *testing.T) {
	one, root := func(f *result.File) []*result.File { return []*result.File{f} }, math.Sqrt2
	ahead := handFile(protocol.Online, hand("PHE", []int{100, 50}, []float64{0.80, 0.60}, []float64{0.70, 0.80}),
		hand("PHE frozen", []int{100, 50}, []float64{0.82, 0.60}, []float64{0.74, 0.84})) // +2, +2; +4, +6
	adaptation, memory := filetest.Must(Figure10(one(adapted()), 0))(t), filetest.Must(Memory(remembered()))(t)
	pays := filetest.Must(Pays([]*result.File{regretted("swapped"), regretted("by-group")}, "P-EE replay", 0))(t)
	for _, test := range []struct {
		fig    *draw.Figure
		panel  int
		curves []draw.Curve
		says   []string // in the caption
	}{
		{filetest.Must(Figure3(ahead, 5))(t), 1, []draw.Curve{{Label: "PHE online", Mean: []float64{0, 0}},
			{Label: "PHE frozen", Mean: []float64{3, 4}, StdDev: []float64{root, 2 * root}}}, nil},
		// Running means: 0, 1/2, 2/3, 3/4 and 1, 1/2, 2/3, 1/2.
		{adaptation, 0, []draw.Curve{{Label: "PHE", X: []float64{1, 2, 3, 4}, Mean: []float64{50, 50, 200.0 / 3, 62.5}}}, nil},
		{adaptation, 1, []draw.Curve{{Label: "PHE", X: []float64{0, 2, 4}, Mean: []float64{90, 70, 50}}}, nil},
		// PHE: after one group 80 and 80; after two (70+90)/2 and (60+90)/2. Frozen: 80, 90; (80+30)/2, (90+50)/2.
		{filetest.Must(Figure11(one(twoGroups())))(t), 0, []draw.Curve{{Label: "PHE", X: []float64{1, 2}, Mean: []float64{80, 77.5}},
			{Label: "PHE frozen", X: []float64{1, 2}, Mean: []float64{85, 62.5}}}, nil},
		{pays, 0, []draw.Curve{{Label: "PHE", Mean: []float64{1.5, 1.5}, StdDev: []float64{math.Sqrt(0.5), 5 / root}},
			{Label: "P-EE replay", Mean: []float64{0, 0}}}, []string{"minus the wrong rows of P-EE replay with the same seed; below zero",
			"Lines: mean over 2 seeds; bands: ±1 standard deviation between seeds. Heavy lines with a band: PHE; the other lines have " +
				"no band. Not smoothed. Bands that reach an edge of their panel go on beyond it."}},
		// A seed that diverged is left out, and so are frozen methods and methods without parameters.
		{filetest.Must(Frontier(one(sizes())))(t), 0, []draw.Curve{{Label: "PHE", X: []float64{2, 3}, Mean: []float64{70, 85}},
			{Label: "P-EE"}}, nil},
		// A method stands at all the memory that it keeps, which may be more than its name says. A line: the best score without items.
		{filetest.Must(LateItems(one(late())))(t), 0, []draw.Curve{{Label: "FTRL", X: []float64{math.Log10(4), math.Log10(32)}},
			{Label: "phe stream", X: []float64{math.Log10(1024)}}, {Label: "without the items", Mean: []float64{70, 70}}},
			[]string{"without the items that keep coming (Bank: StockCode and CustomerID)."}},
		// 2²⁰/16 users with d = 2 take 1 MB, and so do 2²⁰/4 parameters.
		{memory, 0, []draw.Curve{{Label: "PHE", X: []float64{100, 1 << 16}, Mean: []float64{710, 820}}}, []string{"PHE 710 to 820",
			"the most in the whole run 2,346", "PHE 262,144", "d = 2", "mean over 2 seeds", "The process grows"}},
		{memory, 1, []draw.Curve{{Label: "PHE", X: []float64{0, 1 << 16}, Mean: []float64{1, 1}},
			{Label: "one row per user", X: []float64{0, 100, 200, 1 << 16},
				Mean: []float64{0, 100. / (1 << 16), 200. / (1 << 16), 1}}}, nil},
	} {
		filetest.WantWords(t, test.fig.Caption, test.says...)
		got := panels(test.fig)[test.panel].Curves
		if len(got) != len(test.curves) {
			t.Errorf("%.60s: %d curves, want %d", test.fig.Caption, len(got), len(test.curves))
			continue
		}
		for i, want := range test.curves {
			differ := func(a, b []float64) bool { return b != nil && !slices.EqualFunc(a, b, near) }
			if c := got[i]; c.Label != want.Label || differ(c.X, want.X) || differ(c.Mean, want.Mean) || differ(c.StdDev, want.StdDev) {
				t.Errorf("%.60s: %s at %v is %v ± %v, want %+v", test.fig.Caption, c.Label, c.X, c.Mean, c.StdDev, want)
			}
		}
	}
	row := panels(pays)
	filetest.True(t, sharesY(row[0], row[1]), "panels of a row have different y axes")
	filetest.True(t, row[0].YAxis.Low < 0 && row[0].YAxis.High > 1.5, "the y axis is %+v", row[0].YAxis)
	filetest.Want(t, len(row[0].Changes), 1, "changes")
}

func sharesY(a, b *draw.Chart) bool {
	return a.YAxis.Low == b.YAxis.Low && a.YAxis.High == b.YAxis.High
}

func TestBarsByHand(t *testing.T) {
	fig := filetest.Must(Figure1([]*result.File{twoGroups()}))(t)
	root := 10 * math.Sqrt2 // standard deviation (n−1) of two values 20 apart
	want := []draw.BarGroup{
		{Name: "Group 1", Before: draw.Estimate{Mean: 60, StdDev: root, Seeds: 2}, After: draw.Estimate{Mean: 80, Seeds: 2},
			Frozen: draw.Estimate{Mean: 85, StdDev: root / 2, Seeds: 2}},
		{Name: "Group 2", Before: draw.Estimate{Mean: 40, StdDev: root, Seeds: 2}, After: draw.Estimate{Mean: 90, Seeds: 2},
			Frozen: draw.Estimate{Mean: 40, StdDev: root, Seeds: 2}},
	}
	filetest.Want(t, fmt.Sprintf("%.9v", panels(fig)[0].Groups), fmt.Sprintf("%.9v", want), "bars")
	filetest.WantWords(t, fig.Caption,
		"PHE's accuracy on each group's test rows, right before and right after the group was learned; before",
		"Bars: mean over 2 seeds; whiskers: ±1 standard deviation between seeds. Diamonds: the same model, which learned group 1 only.")
}

// Two seeds have errors of 10 and 15 in 50 ratings, so 25 ± 7.07 %. Points to the left of the first cell's tick are in the panel too.
func TestColdStartByHand(t *testing.T) {
	fig := filetest.Must(ColdStart(cold()))(t)
	p := panels(fig)
	filetest.Want(t, layout(fig), "(a) Users, MovieLens (ml-latest-small) 8, (b) Films 8 | (c) Users 8, (d) Films 8", "panels")
	users := p[0].Curves[0]
	filetest.Want(t, [2]int{len(users.Mean), len(users.StdDev)}, [2]int{4, 4}, "points and deviations of PHE in five cells")
	filetest.Want(t, users.Breaks, []int{1}, "its breaks")
	filetest.Want(t, p[2].Curves[7].Label, "Biases", "the last curve")
	users = p[2].Curves[0]
	filetest.Near(t, users.Mean[0], 25, 1e-9, "PHE's first ratings")
	filetest.Near(t, users.StdDev[0], 5*math.Sqrt2, 1e-9, "their deviation")
	films := p[3].Curves[0]
	filetest.Near(t, films.Mean[0], 27.5, 1e-9, "PHE's first ratings of films")
	filetest.True(t, films.X[0] < 0 && p[3].YAxis.High > 27.5, "PHE begins at %v; the panel ends at %v", films.X[0], p[3].YAxis.High)
	filetest.Want(t, labelsOf(p[0].XAxis.Ticks(0, 4), "|"), "none\n520|1\n0|2–4\n30|5–9\n50|10 or more\n400", "ticks")
	filetest.True(t, sharesY(p[0], p[1]), "panels of a row have different y axes")
	filetest.True(t, !sharesY(p[0], p[2]), "panels of a column share their y axis")
}

// Empty places have no title. Data sets of Pays are rows and protocols columns, in the study's order.
func TestLayouts(t *testing.T) {
	groups, pays := groupFiles(2), paysFiles(20, 1) // by-group of the four data sets, then growing, then swapped
	some := filetest.Must(Pays([]*result.File{pays[9], pays[0], pays[5]}, "P-EE replay", 1))(t)
	for _, test := range []struct {
		fig  *draw.Figure
		keys int // of the legend
		want string
	}{
		{filetest.Must(Figure1(groups[:1]))(t), 3, "Adult (education) 5"},
		{filetest.Must(Figure1(groups[:2]))(t), 3, "Adult (education) 5, Bank (poutcome) 4"},
		{filetest.Must(Figure1(groups[:3]))(t), 3, "Adult (education) 5, Bank (poutcome) 4 | Mushroom (odor) 4, –"},
		{filetest.Must(Figure10([]*result.File{adapted()}, 0))(t), 0, "Bank (poutcome): adaptation 1, Bank (poutcome): forgetting 1"},
		{filetest.Must(Calibration(dailyFile(40, 2, "paper")))(t), 8, "(a) Methods 3, (b) Methods 3, (c) Rules 2 |  3,  3,  2"},
		// PHE, P-EE, SlowAda, FastAda, frozen PHE and the reference
		{some, 6, "–, Bank, growing 6, Bank, swapped 6 | Adult, by group 6, –, –"},
	} {
		filetest.Want(t, layout(test.fig), test.want, "the layout")
		filetest.Want(t, len(test.fig.Content.(*draw.Grid).Legend), test.keys, "keys of the legend")
	}
	filetest.WantWords(t, some.Caption, "Left out: EE, MediumAda, Majority (see `phe table by-group`, "+
		"`phe table growing`, `phe table swapped`).")
}

// layout returns the titles of a grid's panels, each with its number of curves or bars.
func layout(fig *draw.Figure) string {
	var rows []string
	for _, row := range fig.Content.(*draw.Grid).Rows {
		titles := make([]string, len(row))
		for i, p := range row {
			if titles[i] = "–"; p != nil {
				titles[i] = fmt.Sprintf("%s %d", p.Heading, len(p.Curves)+len(p.Groups))
			}
		}
		rows = append(rows, strings.Join(titles, ", "))
	}
	return strings.Join(rows, " | ")
}
