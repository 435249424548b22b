package figures

import (
	"encoding/json"
	"fmt"
	"math"

	"gophe/experiments/result"
)

// The files below are made by formulas, like synthetic. They are test data for the drawing, NOT results.

var syntheticMethods = []struct {
	name            string
	frozen          bool
	adapts, forgets float64 // how fast
	parameters      int
}{
	{"PHE", false, 0.9, 0.06, 346},
	{"EE", false, 0.6, 0.02, 1960},
	{"P-EE", false, 0.8, 0.01, 3920},
	{"SlowAda", false, 0.2, 0.05, 173},
	{"MediumAda", false, 0.6, 0.3, 173},
	{"FastAda", false, 0.8, 0.8, 173},
	{"PHE", true, 0, 0, 346},
	{"EE", true, 0, 0, 1960},
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

// stream returns a file for each data set. A method's accuracy at each step is at(data set, method, seed, step).
func stream(protocol string, steps, seeds, rows int, at func(set, method, seed, step int) float64) []*result.File {
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
					run.Rows = append(run.Rows, rows)
					run.Accuracy = append(run.Accuracy, min(max(at(d, k, seed, step), 0), 1))
				}
				m.Runs = append(m.Runs, run)
			}
			f.Methods = append(f.Methods, m)
		}
		files = append(files, f)
	}
	return files
}

func onlineFiles(steps, seeds int) []*result.File {
	return stream("online", steps, seeds, 80, func(d, k, seed, step int) float64 {
		set, m := syntheticSets[d], syntheticMethods[k]
		i := float64(step)
		common := 0.03*math.Sin(2.1*i+float64(d)) + 0.012*math.Sin(0.13*i+1)
		decay := 0.15 * m.forgets * (1 - math.Exp(-i/80))
		return set.level - 0.01 + 0.004*float64(k%3) - decay*(1+0.4*noise(0, seed, k)) + common + 0.006*noise(step, seed, k)
	})
}

// groupFiles returns results of protocol group, with the score of each group's set after each number of groups.
func groupFiles(seeds int) []*result.File {
	files := stream("group", 0, seeds, 0, nil)
	for d, f := range files {
		set := syntheticSets[d]
		for a, items := range set.items {
			rows := 300 * (1 + (7*a+3*d)%11)
			f.Stream.Tests = append(f.Stream.Tests, result.Test{Name: fmt.Sprintf("group %d", a+1), Items: items, Train: 2 * rows, Rows: rows})
		}
		f.Stream.Steps = len(set.items) - 1
		for k := range f.Methods {
			for r := range f.Methods[k].Runs {
				f.Methods[k].Runs[r].Tests = groupScores(d, k, r)
			}
		}
	}
	return files
}

func groupScores(d, k, seed int) (scores []result.Score) {
	set, m := syntheticSets[d], syntheticMethods[k]
	for after := result.Untrained; after < len(set.items); after++ {
		for a := range set.items {
			share := set.low + 0.08*noise(a, 0, d)
			switch {
			case after == result.Untrained:
				share = 0.5 + 0.1*noise(a, seed, k)
			case a == 0 && m.frozen:
				share = set.level
			case a <= after && !m.frozen:
				best := share + (set.level-share)*(0.4+0.6*m.adapts)
				share = best - 0.3*m.forgets*float64(after-a)*(1+0.3*noise(after, seed, k))
			}
			share = min(max(share+0.01*noise(a, seed, k), 0), 1)
			scores = append(scores, result.Score{After: after, Set: a, Accuracy: share})
		}
	}
	return scores
}

func adaptationFiles(steps, seeds int) []*result.File {
	files := stream("adaptation", steps, seeds, 1, func(d, k, seed, step int) float64 {
		set, m := syntheticSets[d], syntheticMethods[k]
		p := set.low + (set.level-set.low)*(1-math.Exp(-float64(step)*m.adapts/60))
		if 0.5+0.5*math.Sin(12.9898*float64(step+1)*float64(seed+2)+78.233*float64(seed+k%3)) < p {
			return 1
		}
		return 0
	})
	for d, f := range files {
		f.Stream.Tests = []result.Test{{Name: "group 1", Rows: 1000}, {Name: "group 2", Rows: 800}}
		for k := range f.Methods {
			for r := range f.Methods[k].Runs {
				run := &f.Methods[k].Runs[r]
				for after := 0; after <= steps; after += steps / 20 {
					fell := 0.3 * syntheticMethods[k].forgets * (1 - math.Exp(-3*float64(after)/float64(steps)))
					share := syntheticSets[d].level - fell*(1+0.2*noise(0, r, k)) + 0.004*noise(after, r, k)
					run.Tests = append(run.Tests, result.Score{After: after, Set: 0, Accuracy: min(share, 1)})
				}
			}
		}
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

// lateFiles returns results with two memories of each method, and with the first one without items.
func lateFiles(seeds int) []*result.File {
	files := onlineFiles(20, seeds)
	for _, f := range files {
		var methods []result.Method
		for _, m := range f.Methods {
			for _, name := range []string{", 4 KB", ", 32 KB", ", 32 KB, without items"} {
				m := m
				m.Name += name
				methods = append(methods, m)
			}
		}
		f.Methods = methods
	}
	return files
}

// frontierFiles returns results with several sizes of each method.
func frontierFiles(seeds int) []*result.File {
	files := onlineFiles(20, seeds)
	for d, f := range files {
		var methods []result.Method
		for k, m := range f.Methods {
			for size := range 4 {
				m := m
				factor := 1 << (2 * size)
				m.Name, m.Parameters = fmt.Sprintf("%s d=%d", m.Name, factor), syntheticMethods[k].parameters*factor/4
				m.Runs = nil
				for _, run := range f.Methods[k].Runs {
					worse := 0.05 * math.Exp(-float64(size)-0.5*float64(d))
					shares := make([]float64, len(run.Accuracy))
					for i, share := range run.Accuracy {
						shares[i] = max(share-worse, 0)
					}
					run.Accuracy = shares
					m.Runs = append(m.Runs, run)
				}
				methods = append(methods, m)
			}
		}
		f.Methods = methods
	}
	return files
}

// paysFiles returns results of the three protocols of the study, with a majority vote and the reference.
func paysFiles(steps, seeds int) []*result.File {
	var files []*result.File
	for p, protocol := range paysProtocols {
		made := stream(protocol, steps, seeds, 50, func(d, k, seed, step int) float64 {
			set, m := syntheticSets[d], syntheticMethods[k]
			lag := math.Exp(-float64(step%(steps/4)) * m.adapts / 12)
			if m.frozen {
				lag = float64(step*4/steps) / 4
			}
			common := 0.03 * math.Sin(2.1*float64(step))
			return set.level - 0.2*(set.level-set.low)*lag*float64(p+1)/3 - 0.1*m.forgets*(1+0.5*noise(0, seed, k)) + common + 0.02*noise(step, seed, k)
		})
		for d, f := range made {
			for _, extra := range []struct {
				name string
				loss float64
			}{{"Majority", 0.10}, {"P-EE replay", 0.005}} {
				m := f.Methods[0]
				m.Name, m.Runs = extra.name, nil
				for _, run := range f.Methods[0].Runs {
					shares := make([]float64, steps)
					for step := range shares {
						shares[step] = min(syntheticSets[d].level-extra.loss+0.03*math.Sin(2.1*float64(step)), 1)
					}
					run.Accuracy = shares
					m.Runs = append(m.Runs, run)
				}
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
