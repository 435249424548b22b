package streams

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// Names of the contenders.
const (
	Gophe     = "gophe"
	Wabbit    = "Vowpal Wabbit"
	Ad        = "AdPredictor"
	River     = "river"
	Forest    = "river's adaptive forest"
	Boosting  = "LightGBM"
	BaseRate  = "base rate"
	NoChange  = "no change"
	wabbitRun = "import sys, vowpal_wabbit_next as v; v.run_cli_driver(sys.argv[1:])"
)

// Memories returns the budgets in bytes: 2^16 and 2^20 numbers of 4 bytes.
func Memories() []int { return []int{256 << 10, 4 << 20} }

// budgets returns the budgets of gophe alone: those, and one between them.
func budgets() []int { return []int{Memories()[0], 1 << 20, Memories()[1]} }

// seeds is the number of draws of a hash function.
const seeds = 3

// Task is one run of one contender along one stream.
type Task struct {
	Stream    string `json:"stream"`
	Contender string `json:"contender"`
	Setting   string `json:"setting,omitempty"` // "": its default
	Memory    int    `json:"memory,omitempty"`  // bytes; 0 is no limit
	Seed      int    `json:"seed,omitempty"`    // 0: it draws nothing

	args []string
	cost float64 // microseconds a row, about
}

// Tasks returns everything to run along a stream.
func Tasks(p *Prepared) (all []Task) {
	width := float64(p.Columns * p.Columns)
	add := func(contender, setting string, memory, seed int, cost float64, args ...string) {
		all = append(all, Task{p.Name, contender, setting, memory, seed, args, cost})
	}
	for seed := range seeds {
		for _, memory := range budgets() {
			add(Gophe, "", memory, seed+1, 6+width/5)
		}
		add(Gophe, forgetless, Memories()[1], seed+1, 6+width/5, "--forget", "1e-9")
	}
	for _, memory := range Memories() {
		for _, s := range wabbitSettings(p) {
			most := 1
			if s.name == wabbitDefault {
				most = seeds
			}
			for seed := range most {
				add(Wabbit, s.name, memory, seed+1, 4+width/6, s.args...)
			}
		}
		if p.Numeric {
			continue
		}
		for _, setting := range []string{"", pairs} {
			for seed := range seeds {
				add(Ad, setting, memory, seed+1, 2+width/8)
			}
		}
	}
	for _, rate := range riverRates() {
		add(River, riverLinear+", rate "+rate, 0, 0, 40, "--model", "linear", "--rate", rate)
		add(River, riverPairs+", rate "+rate, 0, 0, 20+3*width, "--model", "pairs", "--rate", rate)
	}
	for _, rate := range []string{"0.2", "0.4"} {
		add(River, riverFactors+", rate "+rate, 0, 0, 40+4*width, "--model", "factors", "--rate", rate)
	}
	if !p.Numeric && p.Name != "retail_12" { // its trees for numbers take no items, and thousands of items take it half an hour
		add(Forest, "", 0, 0, 5000)
	}
	add(Boosting, categories, 0, 0, 250)
	add(Boosting, runningMeans, 0, 0, 250, "--means")
	add(BaseRate, "", 0, 0, 0)
	add(NoChange, "", 0, 0, 0)
	return all
}

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

// riverRates are AdaGrad rates: the smallest suits rows with many items, the largest those with few.
func riverRates() []string { return []string{"0.05", "0.1", "0.2"} }

type wabbitSetting struct {
	name string
	args []string
}

// wabbitSettings are fourteen ways to run Vowpal Wabbit: with and without pairs of columns, each by coin betting and by its
// adaptive update with two decays at three rates. Its default rate and decay are 0.5.
func wabbitSettings(p *Prepared) (all []wabbitSetting) {
	var quadratic []string
	for i := range p.Columns {
		for j := range i {
			quadratic = append(quadratic, "-q", string([]byte{'a' + byte(j), 'a' + byte(i)}))
		}
	}
	for _, with := range []struct {
		name string
		args []string
	}{{pairs, quadratic}, {"linear", nil}} {
		all = append(all, wabbitSetting{with.name, with.args}, wabbitSetting{with.name + ", coin", append([]string{"--coin"}, with.args...)})
		for _, decay := range []string{"0.5", "0.25"} {
			for _, rate := range []string{"0.25", "0.5", "1"} {
				if rate == "0.5" && decay == "0.5" {
					continue
				}
				all = append(all, wabbitSetting{fmt.Sprintf("%s, rate %s, power_t %s", with.name, rate, decay),
					append([]string{"-l", rate, "--power_t", decay}, with.args...)})
			}
		}
	}
	return all
}

// Programs are where the contenders are.
type Programs struct {
	Phe    string // the binary
	Python string // an interpreter that has the rivals' packages
	Rivals string // the folder of their scripts
	Self   string // this program, which runs AdPredictor
}

// command returns the command line of a task. scratch is a folder that is empty.
func (s Programs) command(p *Prepared, t Task, scratch, to string) []string {
	numeric := func(args ...string) []string {
		args = append(args, "--inputs", p.Inputs, "--to", to)
		if p.Numeric {
			args = append(args, "--numeric")
		}
		return append(args, t.args...)
	}
	switch t.Contender {
	case Gophe:
		return slices.Concat([]string{s.Phe, "stream", p.Table, "--memory", strconv.Itoa(t.Memory), "--seed", strconv.Itoa(t.Seed), "--json",
			"--predictions", to, "--model", filepath.Join(scratch, "model.phe")}, p.flags(), t.args)
	case Wabbit:
		args := []string{s.Python, "-c", wabbitRun, "-d", p.Wabbit, "-p", to, "--quiet", "-b", strconv.Itoa(bits.Len(uint(t.Memory/4)) - 1), "--hash_seed", strconv.Itoa(t.Seed)}
		if !p.Numeric {
			args = append(args, "--loss_function", "logistic", "--link", "logistic")
		}
		return append(args, t.args...)
	case Ad:
		return []string{s.Self, "adpredictor", "--inputs", p.Inputs, "--to", to, "--bytes", strconv.Itoa(t.Memory), "--seed", strconv.Itoa(t.Seed), "--pairs=" + strconv.FormatBool(t.Setting == pairs)}
	case River:
		return numeric(s.Python, filepath.Join(s.Rivals, "river_run.py"))
	case Forest:
		return numeric(s.Python, filepath.Join(s.Rivals, "forest_run.py"))
	}
	return numeric(s.Python, filepath.Join(s.Rivals, "lightgbm_run.py"))
}

// Versions returns the version of each contender. A result counts as long as its contender's version is the same.
func (s Programs) Versions() (map[string]string, error) {
	const ask = "import river, lightgbm, vowpal_wabbit_next as v; print(v.VW_VERSION, river.__version__, lightgbm.__version__)"
	out, err := exec.Command(s.Python, "-c", ask).Output()
	if err != nil {
		return nil, errors.Wrapf(err, "asking %s for the rivals' packages; make bench-streams installs them", s.Python)
	}
	said := strings.Fields(string(out))
	if len(said) != 3 {
		return nil, errors.Errorf("%s says %q of the rivals' versions; remove its folder, and make bench-streams installs them anew", s.Python, out)
	}
	hash := func(paths ...string) (string, error) {
		h := sha256.New()
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return "", errors.Wrap(err, "reading a contender; build phe with: make bin/phe")
			}
			h.Write(content)
		}
		return hex.EncodeToString(h.Sum(nil))[:12], nil
	}
	phe, err := hash(s.Phe)
	if err != nil {
		return nil, err
	}
	scripts := map[string]string{}
	for _, name := range []string{"river", "forest", "lightgbm"} {
		if scripts[name], err = hash(filepath.Join(s.Rivals, "rows.py"), filepath.Join(s.Rivals, name+"_run.py")); err != nil {
			return nil, err
		}
	}
	return map[string]string{Gophe: "binary " + phe, Wabbit: said[0], Ad: "gophe's own, 1", BaseRate: "gophe's own, 1", NoChange: "gophe's own, 1",
		River: said[1] + ", script " + scripts["river"], Forest: said[1] + ", script " + scripts["forest"], Boosting: said[2] + ", script " + scripts["lightgbm"]}, nil
}
