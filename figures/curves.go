package figures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
)

// method is a row of the result file on its way to a curve.
type method struct {
	*result.Method
	label             string
	look              look
	layer             int
	accuracy, correct series // in %; rows right up to each step
}

// Figure3 draws Fig. 3 (left), or for another data set its panel of Fig. 6: (a) the accuracy of each online method
// at each step, in %, each seed smoothed by GaussianFilter with sigma, in steps; (b) if the file holds frozen methods,
// how many rows each of them, and its online twin, got right up to the step beyond those that online PHE got right
// (or, without PHE, the first online method). All methods score the same rows, so this difference is free of the
// noise they share, which in (a) is larger than what tells good methods apart. It is not smoothed.
//
// A line is the mean over the seeds that reached the step; bands in (a), whiskers in (b) are ±1 standard deviation
// (n−1) between them. A single seed has neither.
func Figure3(f *result.File, sigma float64) (*Figure, error) {
	fig, err := figure3(f, sigma)
	return fig, errors.WithMessagef(err, "Figure 3 from result %q", f.Name)
}

func figure3(f *result.File, sigma float64) (*Figure, error) {
	methods, err := readMethods(f)
	if err != nil {
		return nil, err
	}
	drawn := slices.DeleteFunc(slices.Clone(methods), func(m method) bool { return m.accuracy.steps() == 0 })
	if len(drawn) == 0 {
		return nil, errors.New("every run diverged before its first score: there is nothing to draw")
	}
	fig := &Figure{Width: 17.5 * vg.Centimeter, Height: 7.2 * vg.Centimeter}
	isFrozen := func(m method) bool { return m.Frozen }
	online := slices.DeleteFunc(slices.Clone(drawn), isFrozen)
	compare := len(online) > 0 && slices.ContainsFunc(drawn, isFrozen)
	if !compare { // all in one panel
		online = drawn
		fig.Width = 11 * vg.Centimeter
	}
	first := panel{title: title(drawn[0].Dataset), xLabel: stepLabel(drawn[0].Method), yLabel: "Accuracy (%)", maxSpan: 25}
	for _, m := range online {
		c, err := m.curve(m.accuracy, sigma)
		if err != nil {
			return nil, err
		}
		first.curves = append(first.curves, c)
	}
	fig.panels = []panel{first}
	reference := online[max(0, slices.IndexFunc(online, func(m method) bool { return m.label == "PHE" }))]
	if compare {
		second, err := compareFrozen(drawn, reference)
		if err != nil {
			return nil, err
		}
		first.title = "(a) " + first.title + ", online"
		second.xLabel = first.xLabel
		fig.panels = []panel{first, second}
	}
	fig.Caption = caption(methods, sigma, compare, reference.label)
	return fig, nil
}

// compareFrozen is panel (b): each frozen method and its online twin against the reference, which is the zero line.
func compareFrozen(methods []method, reference method) (panel, error) {
	p := panel{
		title:    "(b) The same models, online and frozen",
		yLabel:   "Correct rows ahead of online " + reference.label,
		whiskers: true,
	}
	for _, m := range methods {
		twin := slices.ContainsFunc(methods, func(other method) bool { return other.Frozen && other.Name == m.Name })
		if !m.Frozen && !twin && m.label != reference.label {
			continue
		}
		ahead := m.correct.minus(reference.correct)
		if ahead.steps() == 0 {
			return panel{}, errors.Errorf("%s and %s have no seed in common", m.label, reference.label)
		}
		c, err := m.curve(ahead, 0)
		if err != nil {
			return panel{}, err
		}
		if m.label == reference.label {
			c.stdDev = nil // 0 by construction
		}
		if !m.Frozen {
			c.label += " online"
		}
		p.curves = append(p.curves, c)
	}
	return p, nil
}

// readMethods checks the file's rows and gives each its label and look.
func readMethods(f *result.File) ([]method, error) {
	if len(f.Methods) == 0 {
		return nil, errors.New("it holds no methods; run its spec to the end")
	}
	labels, err := labelsOf(f.Methods)
	if err != nil {
		return nil, err
	}
	var looks palette
	var methods []method
	for i := range f.Methods {
		m := method{Method: &f.Methods[i], label: labels[i]}
		if m.Dataset != f.Methods[0].Dataset {
			return nil, errors.Errorf("it mixes data sets %q and %q; draw one figure each", f.Methods[0].Dataset, m.Dataset)
		}
		if m.accuracy, m.correct, err = scores(m.Method); err != nil {
			return nil, errors.WithMessage(err, m.label)
		}
		if m.accuracy.steps() == 0 && len(m.seeds(result.Diverged)) == 0 {
			return nil, errors.Errorf("%s has no scores; run its spec on with `phe run --resume`", m.label)
		}
		m.look, m.layer = looks.look(strings.TrimSuffix(m.label, " frozen"), m.Frozen)
		methods = append(methods, m)
	}
	return methods, nil
}

// labelsOf names the methods. Only where a name occurs twice, convention and scheme are told as well.
func labelsOf(methods []result.Method) ([]string, error) {
	plain := func(m *result.Method) string { return suffixed(m.Name, m.Frozen) }
	count := map[string]int{}
	for i := range methods {
		count[plain(&methods[i])]++
	}
	labels := make([]string, len(methods))
	for i := range methods {
		m := &methods[i]
		labels[i] = plain(m)
		if count[labels[i]] > 1 {
			labels[i] = suffixed(fmt.Sprintf("%s (%s, %s)", m.Name, m.Convention, m.Scheme), m.Frozen)
		}
		if slices.Contains(labels[:i], labels[i]) {
			return nil, errors.Errorf("two methods are both %s; give one another name in the spec", labels[i])
		}
	}
	return labels, nil
}

func suffixed(name string, frozen bool) string {
	if frozen {
		return name + " frozen"
	}
	return name
}

// curve draws a quantity of the method, each seed smoothed by sigma steps.
func (m *method) curve(values series, sigma float64) (curve, error) {
	c := curve{label: m.label, look: m.look, layer: m.layer}
	var err error
	if c.mean, c.stdDev, err = values.summary(sigma); err != nil {
		return c, err
	}
	for _, run := range m.Runs {
		c.diverged = c.diverged || run.Status == result.Diverged && len(values[run.Seed]) == len(c.mean)
	}
	return c, nil
}

// title names the data set and, in parentheses, the column whose items are embedded, as Fig. 6 does.
func title(dataset string) string {
	switch dataset {
	case "adult":
		return "Adult (education)"
	case "bank":
		return "Bank (poutcome)"
	case "mushroom":
		return "Mushroom (odor)"
	case "covertype":
		return "Covertype (wilderness)"
	}
	return dataset
}

func stepLabel(m *result.Method) string {
	for _, run := range m.Runs {
		if len(run.Rows) > 0 {
			return fmt.Sprintf("Step (chunks of %d rows)", run.Rows[0])
		}
	}
	return "Step"
}
