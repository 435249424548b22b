package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/score"
)

func targets(numeric bool, truth ...float64) *prepared {
	return &prepared{truth: truth, numeric: numeric}
}

// Late rows are those after the first tenth, certain errors are cut, and files are of the right length.
func TestScore(t *testing.T) {
	p := targets(false, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0)
	s := filetest.Must(p.score(strings.Repeat("0.8\n0.3\n", 5)))(t)
	filetest.Near(t, s.Late, -(4*math.Log(0.8)+5*math.Log(0.7))/9, 1e-12, "late log-loss")
	filetest.Near(t, s.All, -(5*math.Log(0.8)+5*math.Log(0.7))/10, 1e-12, "log-loss of all rows")
	s = filetest.Must(p.score("0.5\n1\n" + strings.Repeat("0.5\n", 8)))(t)
	filetest.Near(t, s.Late, (8*math.Ln2-math.Log(1e-6))/9, 1e-9, "log-loss with a certain error")
	for text, want := range map[string]string{"0.8\n": "1 forecasts of 10 rows", strings.Repeat("0.5\n", 11): "11 forecasts of 10 rows",
		strings.Repeat("x\n", 10): "forecast 1"} {
		filetest.WantError(t, filetest.Failure(p.score(text)), want)
	}
}

// The intervals of phe stream's forecasts of numbers are counted by novelty.
func TestScoreIntervals(t *testing.T) {
	text := "record,forecast,low,high,novelty\n1,0,0,0,0\n" + strings.Repeat("2,1,0,2,0\n", 6) + strings.Repeat("3,1,0,2,12\n", 3)
	s := filetest.Must(targets(true, 9, 1, 2, 3, 1, 1, 1, 1, 1, 3).score(text))(t)
	want := []tier{{"0", 6, 5. / 6, math.Sqrt(5. / 6)}, {"> 10", 3, 2. / 3, math.Sqrt(4. / 3)}}
	filetest.Want(t, s.Novelty, want, "scores by novelty")
	filetest.Near(t, s.Late, 1, 1e-12, "late RMSE")
}

func TestBaseRate(t *testing.T) {
	classes, numbers := targets(false, 1, 1, 0).scoreRule(baseRate), targets(true, 1, 3, 5).scoreRule(baseRate)
	filetest.Near(t, classes.All, -(math.Log(0.5)+math.Log(2./3)+math.Log(0.25))/3, 1e-12, "log-loss")
	filetest.Near(t, numbers.All, math.Sqrt((1+4+9)/3.), 1e-12, "RMSE")
}

// The scorer gives what phe's own report says of the same forecasts, of two classes, and of numbers whose labels come late.
func TestScorerAgainstReport(t *testing.T) {
	programs := programs{phe: phe}
	for delay, s := range []known{ // in hundreds of rows
		{name: "toy", dataset: "mushroom", target: "label=EDIBLE", shuffled: true},
		{name: "number", dataset: "adult", target: "age", shuffled: true},
	} {
		folder := t.TempDir()
		p := filetest.Must(prepare(s, folder, 3000, 100*delay))(t)
		to := filepath.Join(folder, "forecasts.csv")
		command := programs.command(p, job{task: task{Contender: gophe, Memory: 1 << 16, Seed: 1}}, folder, to)
		out := filetest.Must(exec.Command(command[0], command[1:]...).Output())(t)
		var report score.Report
		filetest.Check(t, json.Unmarshal(out, &report))
		got := filetest.Must(p.scoreFile(to))(t)
		own := report.Models[0]
		// Forecasts are written with six digits; the report cuts the first tenth at a border between blocks.
		filetest.Want(t, len(p.truth), 3000, "rows of %s", s.name)
		filetest.Near(t, got.All, p.loss(own.All), 1e-4*p.loss(own.All), "%s: score", s.name)
		filetest.Near(t, got.Late, p.loss(own.Late), 0.02*p.loss(own.Late), "%s: late score", s.name)
		base := p.loss(report.Models[len(report.Models)-1].All)
		filetest.Near(t, p.scoreRule(baseRate).All, base, 0.02*base, "%s: base rate", s.name)
	}
}

// No change is good where targets come in runs, and for numbers the last one.
func TestNoChange(t *testing.T) {
	var runs, numbers []float64
	for row := range 4000 {
		runs, numbers = append(runs, float64(row/50%2)), append(numbers, float64(row))
	}
	got, base := targets(false, runs...).scoreRule(noChange), targets(false, runs...).scoreRule(baseRate)
	filetest.True(t, got.Late < 0.2*base.Late, "log-loss %g, and %g of the base rate", got.Late, base.Late)
	filetest.Near(t, targets(true, numbers...).scoreRule(noChange).Late, 1, 1e-9, "RMSE")
}

// A process's time and memory are measured, its last words are told, and it ends with the context.
func TestMeasure(t *testing.T) {
	used := filetest.Must(execute(context.Background(), []string{"sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"}))(t)
	filetest.True(t, used.CPU > 0.01 && used.Wall > 0.01, "it cost %+v", used)
	_, err := os.Stat("/proc/self/status")
	filetest.True(t, err != nil || used.Peak > 1e5, "a peak of %g bytes", used.Peak)
	fails := []string{"sh", "-c", "echo first >&2; echo no room >&2; exit 3"}
	filetest.WantError(t, filetest.Failure(execute(context.Background(), fails)), "no room")
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err = execute(ctx, []string{"sleep", "9"})
	filetest.True(t, err != nil, "a process outlived its context")
}

// AdPredictor is nearly certain where one item decides the label, and forecasts before it learns.
func TestAdPredictor(t *testing.T) {
	folder := t.TempDir()
	var inputs bytes.Buffer
	inputs.WriteString("y,c:says,c:noise,n:number\n")
	var truth []float64
	for row := range 3000 {
		y := float64(row * 7 % 5 / 3)
		truth = append(truth, y)
		inputs.WriteString([]string{"0", "1"}[int(y)] + ",s" + string(rune('a'+row*7%5)) + ",n" + string(rune('a'+row*row%11)) + ",3\n")
	}
	from, to := filepath.Join(folder, "inputs.csv"), filepath.Join(folder, "forecasts")
	filetest.Check(t, os.WriteFile(from, inputs.Bytes(), 0o644))
	for _, pairs := range []bool{false, true} {
		filetest.Check(t, (&adPredictor{inputs: from, to: to, bytes: 1 << 16, pairs: pairs, seed: 1}).run())
		s := filetest.Must(targets(false, truth...).scoreFile(to))(t)
		filetest.True(t, s.Late < 0.05 && s.All > s.Late, "pairs %v: %+v", pairs, s)
	}
}

// With late labels no program knows a label before its time: Vowpal Wabbit gets a row twice, and its second forecast does not count; the
// first rows are forecast by nothing.
func TestLateLabels(t *testing.T) {
	const delay, rows = 40, 600
	p := filetest.Must(prepare(filetest.Must(find([]string{"adult"}))(t)[0], t.TempDir(), rows, delay))(t)
	lines := strings.SplitAfter(string(filetest.Must(os.ReadFile(p.wabbit))(t)), "\n")
	lines = lines[:len(lines)-1]
	filetest.Want(t, len(lines), 2*rows-delay, "lines")
	forecasts := ""
	for i, line := range lines {
		if i < delay || (i-delay)%2 == 0 {
			filetest.True(t, strings.HasPrefix(line, " |"), "line %d has a label: %s", i, line)
			forecasts += "0.5\n"
			continue
		}
		row := (i - delay) / 2 // that was asked about delay rows ago
		asked := lines[row+max(0, row-delay)]
		filetest.True(t, !strings.HasPrefix(line, " |") && strings.HasSuffix(line, asked), "line %d learns %s, want %s", i, line, asked)
		forecasts += "0.999\n"
	}
	filetest.Near(t, filetest.Must(p.score(forecasts))(t).All, math.Ln2, 1e-12, "log-loss of the first forecasts")
	to := filepath.Join(t.TempDir(), "forecasts")
	filetest.Check(t, (&adPredictor{inputs: p.inputs, to: to, bytes: 1 << 16, seed: 1, delay: delay}).run())
	known := strings.Fields(string(filetest.Must(os.ReadFile(to))(t)))
	for row, f := range known[:delay+2] {
		filetest.Want(t, f == "0.5", row <= delay, "AdPredictor knows nothing in row %d: %s", row, f)
	}
	base := targets(false, 1, 1, 1, 0)
	base.delay = 2
	filetest.Near(t, base.scoreRule(baseRate).All, -(3*math.Log(0.5)+math.Log(1./3))/4, 1e-12, "log-loss of the base rate")
	for contender, want := range map[string]string{gophe: "--delay 40", ad: "--delay 40",
		river: "python rivals/late_run.py 40 rivals/river_run.py", wabbit: p.wabbit} {
		all := programs{python: "python", rivals: "rivals"}.command(p, job{task: task{Contender: contender, Memory: small}}, "", "")
		got := strings.Join(all, " ")
		filetest.WantWords(t, got, want)
		filetest.True(t, contender != wabbit || !strings.Contains(got, "--delay"), "%s is called with %s", contender, got)
	}
	for _, j := range jobsOf(p) {
		filetest.Want(t, j.Delay, delay, "delay of %+v", j)
		filetest.True(t, j.Memory <= small && j.Contender != boosting, "%+v is run", j)
	}
}
