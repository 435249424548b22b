package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"

	"github.com/pkg/errors"
)

// numbers returns the functions that take numbers from results. SPEC is a result's name. METHOD is a row's name, and a frozen
// model's ends in " (frozen)". METRIC is a metric of package measure. DIGITS is the number of decimals, and may be left out.
//
//	{{cell SPEC METHOD METRIC DIGITS}}         mean ± deviation over seeds, as tables show it
//	{{mean SPEC METHOD METRIC DIGITS}}         the mean alone
//	{{seeds SPEC METHOD METRIC DIGITS}}        each seed's number: 1, 2 and 3
//	{{least SPEC METHOD METRIC DIGITS}}        the smallest of the seeds' numbers; {{most …}} is the largest
//	{{apart SPEC METHOD OTHER METRIC DIGITS}}  the distance of two rows' means, without sign
//	{{stands SPECS METHOD OTHER METRIC DIGITS}} "ahead of OTHER (…)": the verdict on two methods, over draws or seeds, with its test
//	{{tally SPEC METHOD NAME CELL}}            mean error, in percent, of a recommender's ratings in a cell of a tally; CELL -1 is all
//	{{size SPEC METHOD}}                       numbers in the embedding module
//	{{paper ITEM DATASET METHOD}}              the number that the paper prints
//	{{took STUDY}}                             wall time of all results of a study
//	{{minutes SPEC}}                           wall time of one result
//	{{peak SPEC}}                              the most memory that its process held, in MB
func (s *source) numbers() template.FuncMap {
	return template.FuncMap{
		"cell": ofSeeds(s, func(values []float64, digits int) string { return measure.Over(values).Text(digits) }),
		"mean": ofSeeds(s, func(values []float64, digits int) string { return measure.Optional(measure.Over(values).Mean, digits) }),
		"seeds": ofSeeds(s, func(values []float64, digits int) string {
			var texts []string
			for _, v := range values {
				texts = append(texts, measure.Optional(&v, digits))
			}
			last := len(texts) - 1
			return strings.Join(texts[:last], ", ") + " and " + texts[last]
		}),
		"least": ofSeeds(s, func(values []float64, digits int) string { return measure.Optional(new(slices.Min(values)), digits) }),
		"most":  ofSeeds(s, func(values []float64, digits int) string { return measure.Optional(new(slices.Max(values)), digits) }),
		"apart": s.apart, "stands": s.stands, "tally": s.tally, "paper": paperNumber, "took": s.took,
		"size":    func(spec, label string) int { return s.row(spec, label).Parameters },
		"minutes": func(spec string) string { return fmt.Sprintf("%.0f", s.get(spec).Manifest.Seconds/60) },
		"peak":    func(spec string) string { return fmt.Sprintf("%.0f", s.get(spec).Manifest.PeakMemoryMB) },
	}
}

// values returns the numbers of the seeds; after an error NaN.
func (s *source) values(spec, label, metric string) []float64 {
	values := s.row(spec, label).Values(metric)
	if len(values) == 0 {
		s.failf("%s of %s has no %s", label, spec, metric)
		return []float64{math.NaN()}
	}
	return values
}

// shown returns the number of digits: the metric's own, unless the page names one.
func shown(metric string, own []int) int {
	if len(own) > 0 {
		return own[0]
	}
	return measure.Named(metric).Digits
}

// ofSeeds returns the function of a page that shows the numbers of the seeds.
func ofSeeds(s *source, show func(values []float64, digits int) string) func(spec, label, metric string, own ...int) string {
	return func(spec, label, metric string, own ...int) string {
		return show(s.values(spec, label, metric), shown(metric, own))
	}
}

func (s *source) apart(spec, label, other, metric string, own ...int) string {
	a, b := measure.Over(s.values(spec, label, metric)), measure.Over(s.values(spec, other, metric))
	apart := math.Abs(*a.Mean - *b.Mean)
	return measure.Optional(&apart, shown(metric, own))
}

func (s *source) tally(spec, label, name string, cell int) string {
	var sum result.Tally
	for _, run := range s.row(spec, label).Runs {
		for i, t := range run.Tallies[name] {
			if cell < 0 || i == cell {
				sum.Rows += t.Rows
				sum.Error += t.Error
			}
		}
	}
	if sum.Rows == 0 {
		s.failf("%s of %s has no tally %q with a cell %d", label, spec, name, cell)
	}
	return fmt.Sprintf("%.2f", 100*sum.Error/sum.Rows)
}

func (s *source) took(study string) string {
	specs, err := spec.LoadStudy(study)
	s.fail(err)
	hours := 0.0
	for _, spec := range specs {
		if f := s.find(spec.Name); f != nil {
			hours += f.Manifest.Seconds / 3600
		}
	}
	if hours < 1 {
		return fmt.Sprintf("%.0f minutes", 60*hours)
	}
	return fmt.Sprintf("%.1f hours", hours)
}

func paperNumber(item, dataset, label string) (string, error) {
	e, digits := inPaper(label, func(t *paperTable) bool { return t.Item == item && t.Dataset == dataset })
	if e.Mean == nil {
		return "", errors.Errorf("the paper has no number of %s, %s, in its %s", label, dataset, item)
	}
	return e.Text(digits), nil
}

// shortTime returns a time in seconds below two minutes, and else in minutes.
func shortTime(seconds float64) string {
	if seconds < 120 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.0f min", seconds/60)
}

// stands is the verdict on two methods, with its test: "ahead of EE for this draw (…)".
func (s *source) stands(specs, label, other, metric string, digits ...int) string {
	own, than := s.side(specs, label, metric, ""), s.side(specs, other, metric, "")
	if s.err != nil {
		return ""
	}
	own.metric.Digits = shown(metric, digits)
	p := compare(own, than)
	if p.less.SD == nil {
		s.failf("%s and %s of %s cannot be paired by %s over two seeds", label, other, specs, metric)
		return ""
	}
	if strings.ContainsAny(other, ",(=") {
		other = "`" + other + "`"
	}
	word := map[string]string{"ahead": "ahead of", "behind": "behind", "level": "level with", "undecided": "not told from"}[p.verdict()]
	return fmt.Sprintf("%s %s%s (%s)", word, other, p.here, p)
}
