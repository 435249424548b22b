package figures

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
)

// The files below are made by formulas, like synthetic. They are test data for the drawing, NOT results.

var syntheticMethods = []struct {
	name       string
	frozen     bool
	forgets    float64 // how fast
	parameters int
}{
	{"PHE", false, 0.06, 346},
	{"EE", false, 0.02, 1960},
	{"P-EE", false, 0.01, 3920},
	{"SlowAda", false, 0.05, 173},
	{"MediumAda", false, 0.3, 173},
	{"FastAda", false, 0.8, 173},
	{"PHE", true, 0, 346},
	{"EE", true, 0, 1960},
}

var syntheticSets = []struct {
	name  string
	level float64 // best accuracy
	low   float64 // accuracy on what was never learned
	items [][]string
}{
	{"adult", 0.85, 0.72, [][]string{{"Preschool", "5th-6th", "Bachelors"}, {"10th", "11th", "12th"}, {"7th-8th", "HS-grad", "Prof-school"},
		{"9th", "Assoc-voc", "Doctorate"}, {"1st-4th", "Masters", "Some-college", "Assoc-acdm"}}},
	{"bank", 0.80, 0.55, [][]string{{"unknown"}, {"failure"}, {"other"}, {"success"}}},
	{"mushroom", 0.99, 0.40, [][]string{{"musty", "none"}, {"anise", "almond"}, {"spicy", "creosote"}, {"foul", "fishy", "pungent"}}},
	{"covertype", 0.62, 0.20, [][]string{{"Rawah"}, {"Comanche Peak"}, {"Cache la Poudre"}, {"Neota"}}},
}

func noise(i, seed, k int) float64 {
	return math.Sin(1.7*float64(i)*float64(1+seed+3*k) + 2.5*float64(seed) + float64(k))
}

// stream returns a file for each data set.
func stream(protocol string, steps, seeds, rows int) []*result.File {
	var files []*result.File
	for d, set := range syntheticSets {
		f := &result.File{Name: set.name + "-" + protocol, Status: result.Complete}
		f.Stream.Initial, f.Stream.Steps = 8500+1000*d, steps
		f.Manifest.Spec = json.RawMessage(`{"protocol": {"cut": "stratified"}}`)
		for k, row := range syntheticMethods {
			m := result.Method{Name: row.name, Frozen: row.frozen, Dataset: set.name, Protocol: protocol, Convention: "authors",
				Parameters: row.parameters}
			for seed := range seeds {
				run := result.Run{Seed: int64(seed), Status: result.Complete}
				for step := range steps {
					i := float64(step)
					common := 0.03*math.Sin(2.1*i+float64(d)) + 0.012*math.Sin(0.13*i+1)
					decay := 0.15 * row.forgets * (1 - math.Exp(-i/80))
					share := set.level - 0.01 + 0.004*float64(k%3) - decay*(1+0.4*noise(0, seed, k)) + common + 0.006*noise(step, seed, k)
					run.Rows, run.Accuracy = append(run.Rows, rows), append(run.Accuracy, min(max(share, 0), 1))
				}
				m.Runs = append(m.Runs, run)
			}
			f.Methods = append(f.Methods, m)
		}
		files = append(files, f)
	}
	return files
}

func onlineFiles(steps, seeds int) []*result.File { return stream("online", steps, seeds, 80) }

// groupFiles returns results of protocol group, with the score of each group's set after each number of groups.
func groupFiles(seeds int) []*result.File {
	files := stream("group", 0, seeds, 0)
	for d, f := range files {
		set := syntheticSets[d]
		for a, items := range set.items {
			rows := 300 * (1 + (7*a+3*d)%11)
			test := result.Test{Name: fmt.Sprintf("group %d", a+1), Items: items, Train: 2 * rows, Rows: rows}
			f.Stream.Tests = append(f.Stream.Tests, test)
		}
		f.Stream.Steps = len(set.items) - 1
		eachRun(f, func(k int, run *result.Run) { run.Tests = scoresOf(d, k, int(run.Seed), len(set.items), 1) })
	}
	return files
}

// eachRun changes each run of the methods.
func eachRun(f *result.File, change func(k int, run *result.Run)) {
	for k := range f.Methods {
		for r := range f.Methods[k].Runs {
			change(k, &f.Methods[k].Runs[r])
		}
	}
}

// scoresOf returns the scores of the test sets before learning, and every so many steps.
func scoresOf(d, k, seed, steps, every int) (scores []result.Score) {
	set, m := syntheticSets[d], syntheticMethods[k]
	for i := -1; i*every < steps; i++ {
		after := max(i*every, result.Untrained)
		for a := range set.items {
			share := set.low
			if a == 0 && i >= 0 || a <= i && !m.frozen {
				share = set.level - 0.3*m.forgets*float64(after)/float64(steps)
			}
			scores = append(scores, result.Score{After: after, Set: a, Accuracy: min(share+0.01*noise(a+after, seed, k), 1)})
		}
	}
	return scores
}

func adaptationFiles(steps, seeds int) []*result.File {
	files := stream("adaptation", steps, seeds, 1)
	for d, f := range files {
		f.Stream.Tests = []result.Test{{Name: "group 1", Rows: 1000}, {Name: "group 2", Rows: 800}}
		eachRun(f, func(k int, run *result.Run) { run.Tests = scoresOf(d, k, int(run.Seed), steps, steps/20) })
	}
	return files
}

// toyFile returns Supp. F's stream. Exponential approaches replace the methods' predictions.
func toyFile() *result.File {
	f := &result.File{Name: "toy", Status: result.Complete}
	target := func(t int) float64 { return 1 - 2*float64(t/20%2) }
	for k, name := range []string{"Observation", "PHE", "Ada", "EE"} {
		run := result.Run{Status: result.Complete}
		for t := range 100 {
			since, visits := float64(t%20), float64(t/40)
			start := []float64{0, 1 / (1 + 20*visits), 1 / (1 + 0.4*visits), math.Exp(-2 * visits)}[k]
			pace := []float64{1, 1.5, 5, 9}[k]
			run.Prediction = append(run.Prediction, target(t)*(1-start*math.Exp(-since/pace)))
		}
		f.Methods = append(f.Methods, result.Method{Name: name, Dataset: "two items", Protocol: "toy", Runs: []result.Run{run}})
	}
	for t := 0; t < 100; t += 20 {
		f.Stream.Changes = append(f.Stream.Changes, result.Change{Step: t, What: fmt.Sprintf("m%d", t/20%2)})
	}
	return f
}

// lateFiles returns results with two memories of each method, and with the second one without items.
func lateFiles(seeds int) []*result.File {
	return sized(seeds, ", 4 KB", ", 32 KB", ", 32 KB, without items")
}

// frontierFiles returns results with several sizes of each method.
func frontierFiles(seeds int) []*result.File { return sized(seeds, " d=1", " d=4", " d=16") }

// sized returns results with several sizes of each method, each with four times as many parameters as the one before.
func sized(seeds int, suffixes ...string) []*result.File {
	files := onlineFiles(20, seeds)
	for _, f := range files {
		var methods []result.Method
		for _, m := range f.Methods {
			for _, suffix := range suffixes {
				one := m
				one.Name += suffix
				methods = append(methods, one)
				m.Parameters *= 4
			}
		}
		f.Methods = methods
	}
	return files
}

// paysFiles returns results of the three protocols of the study, with a majority vote and the reference.
func paysFiles(steps, seeds int) (files []*result.File) {
	for _, protocol := range paysProtocols {
		made := stream(protocol, steps, seeds, 50)
		for _, f := range made {
			for _, name := range []string{"Majority", "P-EE replay"} {
				m := f.Methods[1]
				m.Name = name
				f.Methods = append(f.Methods, m)
			}
			for g := range 4 {
				f.Stream.Changes = append(f.Stream.Changes, result.Change{Step: g * steps / 4, What: fmt.Sprintf("group %d", g+1)})
			}
		}
		files = append(files, made...)
	}
	return files
}

// onePassFiles returns pairs of results of each stream of paysFiles. One pass has the scores of P-EE replay.
func onePassFiles(steps, seeds int) []*result.File {
	var pairs []*result.File
	for _, published := range paysFiles(steps, seeds) {
		own := *published
		own.Name, own.Methods = published.Name+"-one-pass", nil
		for _, m := range published.Methods {
			if m.Name == "P-EE replay" {
				m.Name = onePassName
				own.Methods = append(own.Methods, m)
			}
		}
		pairs = append(pairs, published, &own)
	}
	return pairs
}

// dailyFile returns a result made by a formula, like synthetic: the days from 1 February 2011 without Saturdays. Two days are
// hard for all methods. It has the methods and two rules. FastAda gets worse and worse.
func dailyFile(steps, seeds int, convention string) *result.File {
	f := &result.File{Name: "retail-synthetic", Status: result.Complete}
	for date := time.Date(2011, 2, 1, 0, 0, 0, 0, time.UTC); len(f.Stream.Days) < steps; date = date.AddDate(0, 0, 1) {
		if date.Weekday() != time.Saturday {
			f.Stream.Days = append(f.Stream.Days, date.Format(time.DateOnly))
		}
	}
	f.Stream.Initial, f.Stream.Steps = 44480, steps
	rows := append(syntheticMethods[:len(syntheticMethods):len(syntheticMethods)], syntheticMethods[0], syntheticMethods[0],
		syntheticMethods[0])
	for k, row := range rows {
		rule := k - len(syntheticMethods)
		if rule >= 0 {
			row.name, row.parameters = []string{"Median of nine", "Counting rule", "Last value"}[rule], 0
		}
		m := result.Method{Name: row.name, Frozen: row.frozen, Dataset: "retail", Protocol: protocol.Daily, Convention: convention,
			Parameters: row.parameters}
		for seed := range seeds {
			run := result.Run{Seed: int64(seed), Status: result.Complete}
			for step := range steps {
				i := float64(step)
				day := 5 + math.Sin(1.05*i) + 0.8*math.Sin(0.05*i)
				if step == steps/3 || step == steps-2 {
					day += 60
				}
				own := 0.2*float64(k%3) + 0.15*noise(step, seed, k) +
					4*row.forgets*row.forgets*math.Exp(3*i/float64(steps))*(1+0.3*noise(0, seed, k))
				if rule >= 0 {
					own = 3 / float64(1+rule)
				}
				run.Rows = append(run.Rows, 1000)
				run.Append("absolute_error", day+own+0.3)
				run.Append("whole_absolute_error", day+own)
			}
			if rule > 0 || convention == "paper" && rule < 0 {
				run.Calibration = calibrated(seed, k)
			}
			m.Runs = append(m.Runs, run)
		}
		f.Methods = append(f.Methods, m)
	}
	return f
}

func retailFiles(seeds int) []*result.File { return []*result.File{dailyFile(60, seeds, "paper")} }

// productsFile returns a result of protocol products with ten groups.
func productsFile(seeds int) *result.File {
	f := dailyFile(0, seeds, "authors")
	f.Stream.Days, f.Stream.Steps = nil, 9
	for a := range 10 {
		f.Stream.Tests = append(f.Stream.Tests, result.Test{Name: fmt.Sprintf("group %d", a+1), Train: 30000, Rows: 15000})
	}
	for k := range f.Methods {
		m := &f.Methods[k]
		m.Protocol = protocol.Products
		for r := range m.Runs {
			for after := range 10 {
				for set := range 10 {
					e := 9 + noise(set, 0, 1) + 0.3*noise(after, r, k)
					if k < len(syntheticMethods) && set <= after {
						e += 0.8 * syntheticMethods[k].forgets * float64(after-set)
					}
					m.Runs[r].Tests = append(m.Runs[r].Tests, result.Score{After: after, Set: set, AbsoluteError: e})
				}
			}
		}
	}
	return f
}

// ratingsFile returns a result made by a formula, like synthetic: every third day from 30 January 2000. It has the methods and
// the four rules for ratings.
func ratingsFile(steps, seeds int, convention string) *result.File {
	f := &result.File{Name: "movielens-synthetic", Status: result.Complete}
	f.Manifest.Spec = json.RawMessage(`{"model": {"encoder": {"embedding_dim": 50}}}`)
	f.Manifest.Parallel = "all seeds in one program, 2 jobs at a time"
	f.Manifest.PeakMemoryMB = 950
	f.Stream.Initial, f.Stream.Steps = 8721, steps
	for step := range steps {
		f.Stream.Days = append(f.Stream.Days, time.Date(2000, 1, 30+3*step, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		f.Stream.Users = append(f.Stream.Users, 100+9*step)
	}
	for k, row := range syntheticMethods {
		f.Methods = append(f.Methods, ratingsMethod(k, row.name, row.frozen, 1000*row.parameters, steps, seeds, convention))
	}
	for k, name := range []string{"Global mean", "User mean", "Film mean", "Biases"} {
		f.Methods = append(f.Methods, ratingsMethod(20+k, name, false, 0, steps, seeds, convention))
	}
	return f
}

func ratingsMethod(k int, name string, frozen bool, parameters, steps, seeds int, convention string) result.Method {
	m := result.Method{Name: name, Frozen: frozen, Dataset: "ml-latest-small", Protocol: protocol.Recommend, Convention: convention,
		Parameters: parameters}
	for seed := range seeds {
		run := result.Run{Seed: int64(seed), Status: result.Complete}
		for step := range steps {
			i := float64(step)
			e := 0.16 + 0.02*math.Sin(0.02*i) + 0.05*math.Sin(1.9*i) + 0.006*float64(k%5) + 0.004*noise(step, seed, k)
			run.Rows = append(run.Rows, 1+step%30)
			run.Append("rating_error", e)
			run.Append("sample_error", e+0.02)
			if parameters > 0 && step%10 == 9 {
				size := 800 + 20*float64(k) + math.Round(6*noise(step, seed, k))
				run.Memory = append(run.Memory, result.Memory{Step: step + 1, Megabytes: size})
			}
		}
		run.Calibration = calibrated(seed, k)
		run.Tally(ratingsTallies(k, seed))
		m.Runs = append(m.Runs, run)
	}
	return m
}

// ratingsTallies returns tallies of 1000 ratings. No user has exactly one rating on earlier days.
func ratingsTallies(k, seed int) map[string][]result.Tally {
	tallies := map[string][]result.Tally{}
	for i, name := range []string{"user first", "film first", "user learned", "film learned"} {
		for cell, rows := range [][]float64{{50, 60, 170, 220, 500}, {200, 100, 150, 150, 400}, {520, 0, 30, 50, 400},
			{210, 95, 145, 150, 400}}[i] {
			e := 0.15 + 0.07*math.Exp(-float64(cell)) + 0.006*float64(k%5) + 0.003*noise(cell, seed, k+i)
			tallies[name] = append(tallies[name], result.Tally{Rows: rows, Error: rows * e})
		}
	}
	return tallies
}

func ratingsFiles(seeds int) []*result.File {
	return []*result.File{ratingsFile(60, seeds, "paper")}
}

// calibrated returns counts in twenty cells, which some methods fill at the ends and some in the middle.
func calibrated(seed, k int) (counts []float64) {
	for cell := range 20 {
		bend := float64(cell)/19 - 0.5
		counts = append(counts, 1000*(1+(float64(k%4)-1)*(bend*bend-0.08)*4)+40*noise(cell, seed, k))
	}
	return counts
}
