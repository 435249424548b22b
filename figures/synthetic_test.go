package figures

import (
	"encoding/json"
	"fmt"
	"math"

	"gophe/experiments/result"
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
			m := result.Method{Name: row.name, Frozen: row.frozen, Dataset: set.name, Protocol: protocol, Convention: "authors", Parameters: row.parameters}
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
			f.Stream.Tests = append(f.Stream.Tests, result.Test{Name: fmt.Sprintf("group %d", a+1), Items: items, Train: 2 * rows, Rows: rows})
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
