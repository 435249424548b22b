package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// Names of the contenders.
const (
	gophe    = "gophe"
	wabbit   = "Vowpal Wabbit"
	ad       = "AdPredictor"
	river    = "river"
	forest   = "river's adaptive forest"
	boosting = "LightGBM"
	baseRate = "base rate"
	noChange = "no change"
)

// commands has the words of each contender's command line, and more words for a target of two classes and for a number. A run fills in
// the words in braces. A contender without a command forecasts by the targets alone.
var commands = map[string]struct{ words, classes, numbers string }{
	gophe:    {"{phe} stream {table} --memory {memory} --seed {seed} --json --predictions {to} --model {scratch}/model.phe", "", ""},
	wabbit:   {"{python} -c {vw} -d {wabbit} -p {to} --quiet -b {bits} --hash_seed {seed}", "--loss_function logistic --link logistic", ""},
	ad:       {"{self} adpredictor --inputs {inputs} --to {to} --bytes {memory} --seed {seed}", "", ""},
	river:    {"{python} {rivals}/river_run.py --inputs {inputs} --to {to}", "", "--numeric"},
	forest:   {"{python} {rivals}/forest_run.py --inputs {inputs} --to {to}", "", "--numeric"},
	boosting: {"{python} {rivals}/lightgbm_run.py --inputs {inputs} --to {to}", "", "--numeric"},
}

const wabbitRun = "import sys, vowpal_wabbit_next as v; v.run_cli_driver(sys.argv[1:])"

// Budgets in bytes. Rivals have 2^16 and 2^20 numbers of 4 bytes. gophe has a third budget between them.
const small, middle, large = 256 << 10, 1 << 20, 4 << 20

// seeds is the number of draws of a hash function.
const seeds = 3

// Settings that several contenders or the page name.
const (
	forgetless    = "forgets nothing"
	pairs         = "pairs"
	wabbitDefault = pairs
	riverLinear   = "linear"
	riverPairs    = "linear, pairs"
	riverFactors  = "factorization machine"
	categories    = "categories"
	runningMeans  = "running means"
)

// task is one run of one contender along one stream.
type task struct {
	Stream    string `json:"stream"`
	Contender string `json:"contender"`
	Setting   string `json:"setting,omitempty"` // "": its default
	Memory    int    `json:"memory,omitempty"`  // bytes; 0 is no limit
	Seed      int    `json:"seed,omitempty"`    // 0: it draws nothing
	Delay     int    `json:"delay,omitempty"`   // rows after which the label of a row comes
}

// job is a task with more words of its command line.
type job struct {
	task
	args string
}

// jobsOf returns everything to run along a stream.
func jobsOf(p *prepared) (all []job) {
	add := func(contender, setting string, memory, draws int, args string) {
		for seed := range max(1, draws) {
			all = append(all, job{task{p.name, contender, setting, memory, min(seed+1, draws), p.delay}, args})
		}
	}
	for _, memory := range []int{small, middle, large} {
		add(gophe, "", memory, seeds, "")
	}
	add(gophe, forgetless, large, seeds, "--forget 1e-9")
	for _, memory := range []int{small, large} {
		for _, way := range wabbitSettings(p.columns) {
			draws := 1
			if way[0] == wabbitDefault {
				draws = seeds
			}
			add(wabbit, way[0], memory, draws, way[1])
		}
		if !p.numeric {
			add(ad, "", memory, seeds, "")
			add(ad, pairs, memory, seeds, "--pairs")
		}
	}
	for _, rate := range []string{"0.05", "0.1", "0.2"} { // of AdaGrad: the smallest suits rows with many items, the largest those with few
		add(river, riverLinear+", rate "+rate, 0, 0, "--model linear --rate "+rate)
		add(river, riverPairs+", rate "+rate, 0, 0, "--model pairs --rate "+rate)
	}
	for _, rate := range []string{"0.2", "0.4"} {
		add(river, riverFactors+", rate "+rate, 0, 0, "--model factors --rate "+rate)
	}
	if !p.numeric && p.name != "retail_12" { // its trees for numbers take no items, and thousands of items take it half an hour
		add(forest, "", 0, 0, "")
	}
	add(boosting, categories, 0, 0, "")
	add(boosting, runningMeans, 0, 0, "--means")
	add(baseRate, "", 0, 0, "")
	add(noChange, "", 0, 0, "")
	if p.delay > 0 { // a model of the last night has learned late labels as well as others
		all = slices.DeleteFunc(all, func(j job) bool { return j.Memory > small || j.Contender == boosting })
	}
	return all
}

// wabbitSettings returns names and arguments of fourteen ways to run Vowpal Wabbit: with and without pairs of columns, each by coin
// betting and by its adaptive update with two decays at three rates. Its default rate and decay are 0.5.
func wabbitSettings(columns int) (all [][2]string) {
	quadratic := ""
	for i := range columns {
		for j := range i {
			quadratic += fmt.Sprintf(" -q %c%c", 'a'+j, 'a'+i)
		}
	}
	for _, with := range [][2]string{{pairs, quadratic}, {"linear", ""}} {
		all = append(all, with, [2]string{with[0] + ", coin", "--coin" + with[1]})
		for _, r := range [][2]string{{"0.25", "0.5"}, {"1", "0.5"}, {"0.25", "0.25"}, {"0.5", "0.25"}, {"1", "0.25"}} {
			name := fmt.Sprintf("%s, rate %s, power_t %s", with[0], r[0], r[1])
			all = append(all, [2]string{name, fmt.Sprintf("-l %s --power_t %s%s", r[0], r[1], with[1])})
		}
	}
	return all
}

// programs are where the contenders are.
type programs struct {
	phe    string // the binary
	python string // an interpreter that has the rivals' packages
	rivals string // the folder of their scripts
	self   string // this program, which runs AdPredictor
}

// command returns the command line of a job. scratch is an empty folder.
func (s programs) command(p *prepared, t job, scratch, to string) []string {
	c := commands[t.Contender]
	more := c.classes
	if p.numeric {
		more = c.numbers
	}
	words := strings.Fields(c.words + " " + more + " " + t.args)
	fill := strings.NewReplacer("{phe}", s.phe, "{python}", s.python, "{rivals}", s.rivals, "{self}", s.self, "{vw}", wabbitRun,
		"{table}", p.table, "{inputs}", p.inputs, "{wabbit}", p.wabbit, "{to}", to, "{scratch}", scratch,
		"{memory}", strconv.Itoa(t.Memory), "{bits}", strconv.Itoa(bits.Len(uint(t.Memory/4))-1), "{seed}", strconv.Itoa(t.Seed))
	for i, word := range words {
		words[i] = fill.Replace(word)
	}
	switch late := strconv.Itoa(p.delay); {
	case p.delay == 0:
	case t.Contender == river || t.Contender == forest:
		words = slices.Insert(words, 1, s.rivals+"/late_run.py", late)
	case t.Contender == gophe || t.Contender == ad:
		words = append(words, "--delay", late)
	}
	if t.Contender == gophe {
		words = append(words, "--target", p.target, "--where", p.where, "--drop", strings.Join(p.drop, ","))
	}
	return words
}

// versions returns the version of each contender. A result counts as long as its contender's version is the same.
func (s programs) versions() (map[string]string, error) {
	const ask = "import river, lightgbm, vowpal_wabbit_next as v; print(v.VW_VERSION, river.__version__, lightgbm.__version__)"
	out, err := exec.Command(s.python, "-c", ask).Output()
	if err != nil {
		return nil, errors.Wrapf(err, "asking %s for the rivals' packages; make bench-streams installs them", s.python)
	}
	found := strings.Fields(string(out))
	if len(found) != 3 {
		return nil, errors.Errorf("%s says %q of the rivals' versions; remove its folder, and make bench-streams installs them anew",
			s.python, out)
	}
	digest := func(paths ...string) string {
		hash := sha256.New()
		for _, path := range paths {
			content, failure := os.ReadFile(path)
			err = cmp.Or(err, failure)
			hash.Write(content)
		}
		return fmt.Sprintf("%x", hash.Sum(nil))[:12]
	}
	script := func(name string) string { return ", script " + digest(s.rivals+"/rows.py", s.rivals+"/"+name) }
	const own = "gophe's own, 1"
	all := map[string]string{gophe: "binary " + digest(s.phe), wabbit: found[0], ad: own, baseRate: own, noChange: own,
		river: found[1] + script("river_run.py"), forest: found[1] + script("forest_run.py"),
		boosting: found[2] + script("lightgbm_run.py")}
	return all, errors.Wrap(err, "reading a contender; build phe with: make bin/phe")
}
