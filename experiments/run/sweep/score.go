package sweep

import (
	"cmp"
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
)

// Report holds the findings of a sweep. Its numbers come from the runs.
type Report struct {
	Name       string   `json:"name"`
	Dataset    string   `json:"dataset"`
	DataSHA256 string   `json:"data_sha256"`
	Backend    string   `json:"backend"`
	Commit     string   `json:"commit"`
	Score      string   `json:"score"` // the score's name
	Initial    int      `json:"initial_rows"`
	Held       int      `json:"validation_rows"`
	Steps      int      `json:"validation_steps"`
	Seeds      []int64  `json:"seeds"`
	Axes       []Axis   `json:"axes"`
	Methods    []choice `json:"methods"`

	PointsFile string `json:"-"` // where the report is written
	BestFile   string `json:"-"` // the spec of the best values
}

// scoreName names the score of the points.
const scoreName = "mean log-likelihood in nats of the validation rows, each step predicted before it is learned"

// choice is the points of one method, the best first.
type choice struct {
	Method string        `json:"method"`
	Best   string        `json:"best"` // name of its runs in the result file; "" where every point diverged
	Points []scoredPoint `json:"points"`
	Edges  []edge        `json:"edges,omitempty"` // the axes at whose end the best point lies
}

// scoredPoint is a point with its scores.
type scoredPoint struct {
	point
	LogLikelihood spread  `json:"log_likelihood"`
	Accuracy      spread  `json:"accuracy"` // share of the validation rows
	Behind        *spread `json:"behind"`   // log-likelihood of the best point less this one's, seed by seed; nil of the best point
	Diverged      int     `json:"diverged"` // seeds
}

// spread is a score over the seeds.
type spread struct {
	Mean          float64   `json:"mean"`
	SD            float64   `json:"sd"`             // 0 of one seed
	StandardError float64   `json:"standard_error"` // of the mean over the seeds
	BySeed        []float64 `json:"by_seed"`
}

// edge is an axis at whose end the best point lies.
type edge struct {
	Path   string `json:"path"`
	Value  string `json:"value"`
	Higher bool   `json:"higher"` // the end of the large values
}

// measure returns the mean and spread of values by seed.
func measure(values []float64) spread {
	if len(values) == 1 {
		return spread{Mean: values[0], BySeed: values}
	}
	mean, sd := stat.MeanStdDev(values, nil)
	return spread{mean, sd, sd / math.Sqrt(float64(len(values))), values}
}

// score returns the findings of a finished sweep. The file must have its series.
func (g *Grid) score(f *result.File) (*Report, error) {
	r := &Report{Name: g.Spec.Name, Dataset: g.Spec.Dataset, DataSHA256: f.Manifest.DataSHA256, Backend: f.Manifest.Backend, Commit: f.Manifest.Commit,
		Score: scoreName, Initial: f.Stream.Initial, Steps: f.Stream.Steps, Seeds: g.Spec.Seeds, Axes: g.Axes}
	for _, m := range g.base.Methods {
		var points []scoredPoint
		for _, p := range g.Points {
			if p.Method != m.Name {
				continue
			}
			s, err := g.scorePoint(f, p)
			if err != nil {
				return nil, err
			}
			points = append(points, s)
		}
		if len(points) > 0 {
			r.Methods = append(r.Methods, g.choose(m.Name, points))
		}
	}
	if m := f.Method(baseline.Majority, false); m != nil { // a rival that cannot diverge
		for _, n := range m.Runs[0].Rows {
			r.Held += n
		}
	}
	return r, nil
}

// scorePoint returns the scores of one point over the sweep's seeds.
func (g *Grid) scorePoint(f *result.File, p point) (scoredPoint, error) {
	s := scoredPoint{point: p}
	var likelihoods, accuracies []float64
	for _, seed := range g.Spec.Seeds {
		var run *result.Run
		if m := f.Method(p.Name, false); m != nil {
			run = m.Run(seed)
		}
		switch {
		case run == nil || run.Status == result.Partial || len(run.LogLikelihood) != len(run.Rows):
			return s, errors.Errorf("the result %s lacks seed %d of %q; run the sweep again with --resume", f.Name, seed, p.Name)
		case run.Status == result.Diverged:
			s.Diverged++
			continue
		}
		likelihoods, accuracies = append(likelihoods, mean(run.LogLikelihood, run.Rows)), append(accuracies, mean(run.Accuracy, run.Rows))
	}
	if s.Diverged == 0 {
		s.LogLikelihood, s.Accuracy = measure(likelihoods), measure(accuracies)
	}
	return s, nil
}

// mean averages scores of steps over their rows.
func mean(scores []float64, rows []int) float64 {
	weights := make([]float64, len(rows))
	for i, n := range rows {
		weights[i] = float64(n)
	}
	return stat.Mean(scores, weights)
}

// choose orders a method's points, the best first and those that diverged last.
func (g *Grid) choose(method string, points []scoredPoint) choice {
	slices.SortStableFunc(points, func(a, b scoredPoint) int {
		if (a.Diverged > 0) != (b.Diverged > 0) {
			return cmp.Compare(a.Diverged, b.Diverged)
		}
		return cmp.Compare(b.LogLikelihood.Mean, a.LogLikelihood.Mean)
	})
	c := choice{Method: method, Points: points}
	best := points[0]
	if best.Diverged > 0 {
		return c
	}
	c.Best = best.Name
	for i := range points[1:] {
		p := &points[1+i]
		if p.Diverged > 0 {
			continue
		}
		differences := make([]float64, len(g.Spec.Seeds))
		for k := range differences {
			differences[k] = best.LogLikelihood.BySeed[k] - p.LogLikelihood.BySeed[k]
		}
		behind := measure(differences)
		p.Behind = &behind
	}
	for _, a := range g.Axes {
		value, tried := best.Values[a.Path]
		if at := slices.Index(a.Values, value); tried && len(a.Values) > 1 && value[0] != '"' && (at == 0 || at == len(a.Values)-1) {
			c.Edges = append(c.Edges, edge{a.Path, value, at > 0})
		}
	}
	return c
}
