package streams

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/onepass"
)

// Wabbit runs Vowpal Wabbit's command line out of a Python that has vowpal-wabbit-next.
type Wabbit struct {
	Python string // path of the interpreter
	Folder string // for data and predictions; the caller removes it
}

// wabbitRun hands arguments to Vowpal Wabbit.
const wabbitRun = "import sys, vowpal_wabbit_next as v; v.run_cli_driver(sys.argv[1:])"

// Version returns the version of Vowpal Wabbit.
func (w Wabbit) Version() (string, error) {
	out, err := exec.Command(w.Python, "-c", "import vowpal_wabbit_next as v; print(v.VW_VERSION)").Output()
	return strings.TrimSpace(string(out)), errors.Wrapf(err, "asking %s for Vowpal Wabbit; make it with: make wabbit", w.Python)
}

// Setting is one of twelve ways to run Vowpal Wabbit: with and without pairs of columns, with two decays of the rate, each at
// three rates. Its FTRL, coin betting and low-rank products did worse on ml_4 than the best of the twelve.
type Setting struct {
	Name string
	Args []string
}

// Settings returns the twelve for a stream.
func Settings(t *Table) (all []Setting) {
	var pairs []string
	for i := range t.Columns {
		for j := range i {
			pairs = append(pairs, "-q", namespace(j)+namespace(i))
		}
	}
	for _, decay := range []string{"0.5", "0.25"} {
		for _, rate := range []string{"0.25", "0.5", "1"} {
			args := []string{"-l", rate, "--power_t", decay}
			name := fmt.Sprintf("rate %s, power_t %s", rate, decay)
			all = append(all, Setting{"linear, " + name, args}, Setting{"pairs, " + name, slices.Concat(args, pairs)})
		}
	}
	return all
}

func namespace(column int) string { return string(rune('a' + column)) }

// Prepare writes the stream for Vowpal Wabbit. Numbers enter by the bins that the preset Stream uses.
func (w Wabbit) Prepare(t *Table) error {
	f, err := os.Create(w.file(t, "txt"))
	if err != nil {
		return errors.Wrap(err, "writing a stream for Vowpal Wabbit")
	}
	out := bufio.NewWriterSize(f, 1<<20)
	for row, y := range t.Target {
		if t.Head == onepass.Bernoulli {
			y = 2*y - 1
		}
		fmt.Fprint(out, y)
		for i := range t.Columns {
			c := &t.Columns[i]
			if c.Items != nil {
				fmt.Fprintf(out, " |%s %s%d", namespace(i), namespace(i), c.Items[row])
				continue
			}
			x := c.Numbers[row]
			bin := math.Copysign(math.Floor(4*math.Log2(1+math.Abs(x))), x)
			fmt.Fprintf(out, " |%s %s%d", namespace(i), namespace(i), int(bin))
		}
		out.WriteByte('\n')
	}
	if err = out.Flush(); err == nil {
		err = f.Close()
	}
	return errors.Wrap(err, "writing a stream for Vowpal Wabbit")
}

func (w Wabbit) file(t *Table, extension string) string {
	return filepath.Join(w.Folder, t.Name+"."+extension)
}

// Run returns the loss of late rows by a setting, with as many weights as a budget has numbers. The two sums that Vowpal
// Wabbit keeps beside each weight are not counted, so that it has more memory than the preset. Predictions are those before a
// row is learned.
func (w Wabbit) Run(t *Table, s Setting, numbers int) (float64, error) {
	args := []string{"-c", wabbitRun, "-d", w.file(t, "txt"), "-b", strconv.Itoa(bits.Len(uint(numbers)) - 1), "-p", w.file(t, "predictions"), "--quiet"}
	if t.Head == onepass.Bernoulli {
		args = append(args, "--loss_function", "logistic", "--link", "logistic")
	}
	if out, err := exec.Command(w.Python, append(args, s.Args...)...).CombinedOutput(); err != nil {
		return 0, errors.Wrapf(err, "Vowpal Wabbit, %s: %s", s.Name, out)
	}
	f, err := os.Open(w.file(t, "predictions"))
	if err != nil {
		return 0, errors.Wrap(err, "Vowpal Wabbit's predictions")
	}
	defer f.Close()
	return scorePredictions(t, f)
}

func scorePredictions(t *Table, predictions io.Reader) (float64, error) {
	score, lines := newScore(t), bufio.NewScanner(predictions)
	for row, y := range t.Target {
		if !lines.Scan() {
			return 0, errors.Errorf("%d predictions of %d rows", row, t.NumRows())
		}
		v, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil {
			return 0, errors.Wrapf(err, "prediction %d", row+1)
		}
		p := v
		if y == 0 {
			p = 1 - v
		}
		score.add(row, p, v, y)
	}
	return score.value(), nil
}
