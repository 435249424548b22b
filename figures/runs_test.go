package figures

import (
	"math"
	"testing"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// damaged changes a result.
func damaged(f *result.File, change func(f *result.File)) *result.File {
	change(f)
	return f
}

// diverge lets all seeds of a method diverge at a step.
func diverge(m *result.Method, at int) {
	for i := range m.Runs {
		m.Runs[i].Status, m.Runs[i].DivergedAt = result.Diverged, at
	}
}

// A diverged seed counts up to its divergence. Later scores do not matter. A seed that is not finished does not count.
func TestUnequalSeeds(t *testing.T) {
	f := pick(synthetic(60, 3), 0, 5)
	fast := f.Methods[1].Runs
	for i, at := range []int{20, 40, 10} {
		fast[i].Status, fast[i].DivergedAt = result.Diverged, at
	}
	fast[0].Accuracy[20] = math.NaN() // never looked at
	short := &f.Methods[0].Runs[1]
	short.Status, short.Accuracy[59] = result.Partial, math.NaN() // never looked at
	fig := filetest.Must(Figure3(f, 0))(t)
	phe, ada := panels(fig)[0].Curves[0], panels(fig)[0].Curves[1]
	filetest.Want(t, [2]int{len(phe.Mean), len(phe.StdDev)}, [2]int{60, 60}, "PHE's steps, and those with a band")
	filetest.True(t, !phe.Diverged, "PHE diverged")
	filetest.Want(t, [2]int{len(ada.Mean), len(ada.StdDev)}, [2]int{40, 20}, "FastAda's steps, and those with a band")
	filetest.True(t, ada.Diverged, "FastAda did not diverge")
	filetest.Want(t, ada.Mean[30], 100*fast[1].Accuracy[30], "FastAda at step 30, by the only seed left")
	two := 50 * (f.Methods[0].Runs[0].Accuracy[7] + f.Methods[0].Runs[2].Accuracy[7])
	filetest.Near(t, phe.Mean[7], two, 1e-9, "PHE at step 7, the mean of the two finished seeds")
	filetest.WantWords(t, fig.Caption, "FastAda diverged in 3 of 3 seeds, first at step 10", "PHE (1 of 3 seeds)", "Not smoothed")
	filetest.Must(fig.SVG())(t)
}

// Captions name runs that are left out or diverged, and lines that leave their panels.
func TestCaptionsOfDamage(t *testing.T) {
	one := func(f *result.File, change func(f *result.File)) []*result.File {
		return []*result.File{damaged(f, change)}
	}
	seedLess := func(f *result.File) {
		f.Methods = f.Methods[:1]
		run := &f.Methods[0].Runs[0]
		run.Status, run.DivergedAt, run.Tests = result.Diverged, 0, run.Tests[:4]
	}
	bars := filetest.Must(Figure1(one(twoGroups(), seedLess)))(t)
	g := panels(bars)[0].Groups[1]
	filetest.Want(t, []int{g.Before.Seeds, g.After.Seeds, g.Frozen.Seeds}, []int{2, 1, 0}, "seeds before, after, frozen")
	cold := filetest.Must(ColdStart(damaged(cold(), func(f *result.File) { // a diverged seed has not met all ratings
		diverge(&f.Methods[5], 0)
		ee := &f.Methods[1].Runs[0]
		ee.Status, ee.DivergedAt, ee.Tallies = result.Diverged, 3, nil
	})))(t)
	filetest.Want(t, len(panels(cold)[0].Curves), 7, "curves")
	filetest.Want(t, len(panels(cold)[0].Curves[1].StdDev), 0, "whiskers of EE")
	for _, test := range []struct {
		fig  *draw.Figure
		says []string
	}{
		{bars, []string{"Bank: PHE diverged in 1 of 2 seeds, first at step 0"}},
		{cold, []string{"EE diverged in 1 of 2 seeds, first at step 3; such a seed is left out", "FastAda diverged in 2 of 2"}},
		{filetest.Must(Figure6(one(onlineFiles(50, 3)[0], func(f *result.File) {
			f.Methods[0].Runs[1].Status = result.Partial
			for _, run := range f.Methods[5].Runs {
				run.Accuracy[49] = 0.1
			}
		}), 0))(t), []string{"left out: Adult PHE (1 of 3 seeds)", "mean over 2 to 3 seeds",
			"beyond the panel's edge: Adult (education): FastAda."}},
		{filetest.Must(Figure11(one(productsFile(2), func(f *result.File) {
			for _, run := range f.Methods[5].Runs {
				for i := range run.Tests {
					run.Tests[i].AbsoluteError *= math.Pow(1e9, float64(min(run.Tests[i].After, 1)))
				}
			}
		})))(t), []string{"Triangle at the upper edge: from here the line goes on far above the panel."}},
		{filetest.Must(Pays(one(regretted("swapped"), func(f *result.File) { otherSeeds(&f.Methods[0]) }), "P-EE replay", 0))(t),
			[]string{"Bank PHE (no seed in common with P-EE replay)"}},
		{filetest.Must(Memory(damaged(remembered(), func(f *result.File) { f.Manifest.Spec = []byte("{}") })))(t), []string{"d = 20"}},
	} {
		filetest.WantWords(t, test.fig.Caption, test.says...)
		for _, p := range panels(test.fig) {
			_, high := p.YRange()
			filetest.True(t, high <= 102 || p.YAxis.High != 0 || len(p.Curves) == 0, "the axis of %s goes up to %v", p.Heading, high)
		}
	}
	steady := filetest.Must(Memory(damaged(remembered(), func(f *result.File) {
		for _, run := range f.Methods[0].Runs {
			run.Memory[1].Megabytes = run.Memory[0].Megabytes + 30
		}
	})))(t)
	withItems := filetest.Must(LateItems(one(late(), func(f *result.File) { f.Methods, f.Manifest.Spec = f.Methods[:2], nil })))(t)
	filetest.Want(t, len(panels(withItems)[0].Curves), 2, "curves with the items")
	filetest.WantNone(t, withItems.Caption, "Horizontal")
	filetest.WantNone(t, steady.Caption, "The process grows")
}

func otherSeeds(m *result.Method) {
	for i := range m.Runs {
		m.Runs[i].Seed += 10
	}
}

// A method that fails leaves the panel and does not press the others together. A diverged seed ends where it diverged.
func TestErrorsThatGrow(t *testing.T) {
	f := dailyFile(60, 3, "authors")
	fast := f.Methods[5].Runs
	for i := range fast {
		fast[i].Status, fast[i].DivergedAt = result.Diverged, 30+i
		fast[i].Scores["absolute_error"][29] = 1e30
		fast[i].Scores["absolute_error"][35] = math.Inf(1) // never looked at
	}
	f.Methods[3].Runs[1].Status = result.Partial
	days, fig := filetest.Must(Figure7([]*result.File{f}))(t), filetest.Must(Figure3Right(f, 3))(t)
	c := panels(days)[0].Curves[5]
	filetest.True(t, len(c.Mean) == 10 && !c.Diverged, "FastAda has %d of ten days, diverged: %v", len(c.Mean), c.Diverged)
	_, high := panels(fig)[0].YRange()
	filetest.True(t, high <= 100, "the axis goes up to %v", high)
	c = panels(fig)[0].Curves[5]
	filetest.True(t, len(c.Mean) == 32 && c.Diverged, "FastAda has %d days of 32, diverged: %v", len(c.Mean), c.Diverged)
	filetest.WantWords(t, fig.Caption, "beyond the panel's edge: (a): FastAda; (b): FastAda. An error line that leaves its panel has "+
		"no band.",
		"FastAda diverged in 3 of 3 seeds, first at step 30", "left out: Retail SlowAda (1 of 3 seeds)")
	fast[0].DivergedAt = 50
	filetest.WantError(t, filetest.Failure(Figure3Right(f, 3)), "FastAda: seed 0, step 35: absolute_error +Inf")
}

// A figure refuses a result by an error, which names the result, its fault and the command to run.
func TestRefusals(t *testing.T) {
	share := func(v float64) func(*result.File) {
		return func(f *result.File) { f.Methods[1].Runs[0].Accuracy = []float64{0.5, v, 0.5} }
	}
	online := func(change func(*result.File)) error {
		return filetest.Failure(Figure3(damaged(synthetic(3, 2), change), 5))
	}
	retail := func(change func(*result.File)) error {
		return filetest.Failure(Figure3Right(damaged(dailyFile(60, 1, "authors"), change), 3))
	}
	twoItems := func(change func(*result.File)) error { return filetest.Failure(Figure5(damaged(toyFile(), change))) }
	group := func(change func(*result.File)) []*result.File { return []*result.File{damaged(twoGroups(), change)} }
	ratings := func(change func(*result.File)) *result.File { return damaged(ratingsFile(60, 2, "paper"), change) }
	pair, daily := onePassPair(), dailyFile(60, 1, "authors")
	none := func(*result.File) {}
	for _, test := range []struct {
		want string // part of the message
		err  error
	}{
		{"EE: seed 0, step 1: accuracy NaN", online(share(math.NaN()))},
		{"accuracy +Inf is not in [0, 1]", online(share(math.Inf(1)))},
		{"adult-online\": EE: seed 0, step 1: accuracy 84.3 is not in [0, 1]", online(share(84.3))},
		{"none of its runs is finished", online(func(f *result.File) { f.Methods = nil })},
		{"3 scores but 1 row counts", online(func(f *result.File) { f.Methods[1].Runs[0].Rows = []int{100} })},
		{"PHE frozen and PHE have no seed in common", online(func(f *result.File) { otherSeeds(&f.Methods[6]) })},
		{"nothing to draw", online(func(f *result.File) {
			for i := range f.Methods {
				diverge(&f.Methods[i], 0)
			}
		})},
		{"choose a finite σ of 0 or more", filetest.Failure(Figure3(synthetic(3, 1), -1))},
		{"choose a finite σ of 0 or more", filetest.Failure(Figure3(synthetic(3, 1), math.NaN()))},
		{"choose a finite σ of 0 or more", filetest.Failure(Figure3(synthetic(3, 1), 1e308))},
		{"`phe figure 3-retail --spec retail-synthetic`", filetest.Failure(Figure3(daily, 3))},
		{"`phe figure 6 --spec movielens-synthetic`", filetest.Failure(Figure3(ratings(none), 3))},
		{"shows accuracy", filetest.Failure(Frontier([]*result.File{daily}))},
		{"the dates of 0; make it again: `phe run retail-synthetic`", retail(func(f *result.File) { f.Stream.Days = nil })},
		{"step 3 has no date", retail(func(f *result.File) { f.Stream.Days[3] = "Tuesday" })},
		{"EE: seed 0: 0 scores but 60 row counts", retail(func(f *result.File) { f.Methods[1].Runs[0].Scores = nil })},
		{"only ratings and forecasts have", filetest.Failure(Calibration(daily))},
		{"PHE, seed 0: calibration [1 2 3]", filetest.Failure(Calibration(damaged(dailyFile(60, 1, "paper"), func(f *result.File) {
			f.Methods[0].Runs[0].Calibration = []float64{1, 2, 3}
		})))},
		{"no method Observation", twoItems(func(f *result.File) { f.Methods = f.Methods[1:] })},
		{"no method but Observation", twoItems(func(f *result.File) { f.Methods = f.Methods[:1] })},
		{"PHE, seed 0: 3 predictions of", twoItems(func(f *result.File) { f.Methods[1].Runs[0].Prediction = []float64{1, 2, 3} })},
		{"EE, seed 0, datum 7: predictio", twoItems(func(f *result.File) { f.Methods[3].Runs[0].Prediction[7] = math.NaN() })},
		{"none of its runs is finished", twoItems(func(f *result.File) { f.Methods = nil })},
		{"phe run NAME", filetest.Failure(Figure5(nil))},
		{"no finished run of PHE; `phe run hand-group`", filetest.Failure(Figure1(group(func(f *result.File) {
			f.Methods[0].Name = "EE"
		})))},
		{"test set 0 was not scored after 1 steps", filetest.Failure(Figure11(group(func(f *result.File) {
			f.Methods[0].Runs[0].Tests = f.Methods[0].Runs[0].Tests[:3]
		})))},
		{"PHE: seed 0, step 3: rating_error NaN", filetest.Failure(Figure7([]*result.File{ratings(func(f *result.File) {
			f.Methods[0].Runs[0].Scores["rating_error"][3] = math.NaN()
		})}))},
		{"EE, seed 1 has no 5 tallies \"user learned\"; make the result again: `phe run movielens-synthetic`",
			filetest.Failure(ColdStart(ratings(func(f *result.File) { f.Methods[1].Runs[1].Tallies = nil })))},
		{"PHE: seed 0 has a measurement after step 10, but the stream counts the users of 0 steps; make the result again: " +
			"`phe run movielens-synthetic`", filetest.Failure(Memory(ratings(func(f *result.File) { f.Stream.Users = nil })))},
		{"has no memory of an online method", filetest.Failure(Memory(ratings(func(f *result.File) {
			eachRun(f, func(_ int, run *result.Run) { run.Memory = nil })
		})))},
		{"phe run hand-swapped", filetest.Failure(Pays([]*result.File{regretted("swapped")}, "oracle", 0))},
		{"has a finished run of One pass", filetest.Failure(OnePass(pair[:1], 0))},
		{"has a finished run of PHE", filetest.Failure(OnePass(pair[1:], 0))},
	} {
		filetest.WantError(t, test.err, test.want)
	}
}
