package picture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/go-gota/gota/dataframe"
	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/stat"

	"gophe/data/files"
	"gophe/data/sales"
	"gophe/experiments/baseline"
	"gophe/experiments/protocol"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/notebooks/show"
	"gophe/phe/backend"
	"gophe/phe/count"
	"gophe/phe/dkf"
)

// Filter is a deep Kalman filter along the days of Online Retail. It is the first method of a spec with its first seed.
type Filter struct {
	Days []string // dates of the stream

	stream  *sales.Stream
	plan    *protocol.Plan
	device  run.Device
	read    func(values []float32) count.Distribution
	backend compute.Backend
	bar     *show.Progress
	epochs  int     // of an update
	done    float64 // work, in passes over windows
	all     float64 // work until the last day is learned
}

// NewFilter trains the initial phase of a spec, and shows how far it is. The caller closes the filter.
func NewFilter(s spec.Spec) *Filter {
	t, plan, err := task.Load(s, files.Options{})
	show.Check(err)
	retail := show.Must(sales.Load(files.Options{}))
	stream := show.Must(retail.Daily(retail.OverlappingWindows(10), show.Must(s.Protocol.StartDay())))
	stream.Steps, stream.Days = stream.Steps[:len(plan.Steps)], stream.Days[:len(plan.Steps)]
	name, m := show.BackendOf(s), s.Methods[0]
	f := &Filter{Days: plan.Days, stream: stream, plan: plan, backend: show.Must(backend.Open(name)), bar: show.NewProgress(s.Name, name)}
	config := s.Config(m, t.About().NumItems)
	model := dkf.Model{Config: config.FilterModel()}
	f.read = model.Forecast
	f.device = show.Must(run.NewDevice(t, f.backend, config, s.Seeds[:1], plan.LargestStep(), true)).WithMethod(m)
	f.epochs, f.all = m.UpdateEpochs, float64(s.Protocol.InitialEpochs*len(plan.Initial))
	for _, windows := range plan.Steps {
		f.all += float64((2 + f.epochs) * len(windows)) // forecast twice, and learned
	}
	for epoch := range s.Protocol.InitialEpochs {
		show.Check(f.device.Fit(f.device.All.Take(plan.Initial), 1))
		f.advance(len(plan.Initial), fmt.Sprintf("initial epoch %d of %d", epoch+1, s.Protocol.InitialEpochs))
	}
	f.device.Settle()
	return f
}

// Forecast returns the law of each sale of a day that ends a window, in the order of the day's windows.
func (f *Filter) Forecast(day int) []count.Distribution {
	windows := f.plan.Steps[day]
	values := show.Must(f.device.Predict(windows, day))
	laws, width := make([]count.Distribution, len(windows)), len(values)/len(windows)
	for i := range laws {
		laws[i] = f.read(values[i*width:][:width])
	}
	f.advance(len(windows), "forecast of "+f.Days[day])
	return laws
}

// Learn updates the embeddings by the sales of a day.
func (f *Filter) Learn(day int) {
	show.Check(f.device.Learn(f.plan, day))
	f.advance(f.epochs*len(f.plan.Steps[day]), "learned "+f.Days[day])
}

func (f *Filter) advance(work int, doing string) {
	f.done += float64(work)
	f.bar.Update(min(1, f.done/f.all), doing)
}

// Close frees the filter's memory.
func (f *Filter) Close() {
	f.bar.Finish(nil)
	f.device.Close()
	f.backend.Finalize()
}

// Fans holds forecasts of sales that were made before their day was learned. It keeps the laws of a few products' sales, and the
// scores of all sales.
type Fans struct {
	Days   []string
	Sales  map[string][]fanSale // by product
	Scores []fanScore           // of each forecaster, in the order of Add
	stream *sales.Stream
}

// fanSale is a sale of a product with its forecasts.
type fanSale struct {
	Window   int32 // which it ends; the windows of a product are in the order of time
	Day      int   // number of the stream's day
	Quantity float64
	Laws     map[string]fanLaw // by forecaster
}

// fanLaw is a law of a quantity: its quantiles at fanLevels, and its probabilities of the ranges in fanPacks.
type fanLaw struct{ Quantiles, Shares []float64 }

// fanScore is a forecaster's mean absolute error and log-likelihood on each day. Padded windows do not count.
type fanScore struct {
	Name                 string
	Error, LogLikelihood []float64
}

var (
	fanLevels = []float64{0.05, 0.25, 0.5, 0.75, 0.95}
	fanPacks  = []int{1, 2, 3, 6, 7, 12, 13, 24, 25, 48, 49} // first quantities of the ranges
)

// Fans returns an empty collection for the products that are sold most often on the stream.
func (f *Filter) Fans(products int) *Fans {
	fans := &Fans{Days: f.Days, Sales: map[string][]fanSale{}, stream: f.stream}
	counts := map[string]int{}
	for _, windows := range f.stream.Steps {
		for _, w := range windows {
			counts[fans.product(w)]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for _, name := range names[:min(products, len(names))] {
		fans.Sales[name] = nil
	}
	for day, windows := range f.stream.Steps {
		for _, w := range windows {
			if list, kept := fans.Sales[fans.product(w)]; kept {
				fans.Sales[fans.product(w)] = append(list, fanSale{w, day, fans.quantity(w), map[string]fanLaw{}})
			}
		}
	}
	for _, list := range fans.Sales { // the windows of a day are shuffled
		slices.SortFunc(list, func(a, b fanSale) int { return cmp.Compare(a.Window, b.Window) })
	}
	return fans
}

func (f *Fans) product(window int32) string {
	s := f.stream.Sales
	return s.Categorical[s.Incremental].Values[f.stream.Windows.Last(int(window))]
}

func (f *Fans) quantity(window int32) float64 {
	return float64(f.stream.Sales.Quantities[f.stream.Windows.Last(int(window))])
}

// Add takes up a forecaster's laws of a day's sales, in the order of the day's windows.
func (f *Fans) Add(name string, day int, laws []count.Distribution) {
	windows, wholes := f.stream.Steps[day], 0.0
	miss, likelihood := 0.0, 0.0
	for i, w := range windows {
		if list, kept := f.Sales[f.product(w)]; kept {
			k := sort.Search(len(list), func(k int) bool { return list[k].Window >= w })
			list[k].Laws[name] = newFanLaw(laws[i])
		}
		if !f.stream.Windows.IsPadded(int(w)) {
			wholes++
			miss += math.Abs(laws[i].Median() - f.quantity(w))
			likelihood += laws[i].LogProbability(int(f.quantity(w)))
		}
	}
	at := slices.IndexFunc(f.Scores, func(s fanScore) bool { return s.Name == name })
	if at < 0 {
		at = len(f.Scores)
		f.Scores = append(f.Scores, fanScore{Name: name})
	}
	score := &f.Scores[at]
	score.Error, score.LogLikelihood = append(score.Error, miss/wholes), append(score.LogLikelihood, likelihood/wholes)
}

// Rules adds forecasts of rules of package baseline. They learn every day, as the filter does.
func (f *Fans) Rules(names ...string) {
	for _, name := range names {
		laws := make([][]count.Distribution, len(f.Days))
		show.Check(baseline.Run(name, f.stream, func(step, _ int, said baseline.Forecast) error {
			law := said.Distribution
			if law == nil {
				law = certain(said.Median)
			}
			laws[step] = append(laws[step], law)
			return nil
		}))
		for day := range laws {
			f.Add(name, day, laws[day])
		}
	}
}

// certain is the forecast of one quantity, without a probability.
type certain float64

// LogProbability is not a number.
func (c certain) LogProbability(int) float64 { return math.NaN() }

// Median returns the quantity.
func (c certain) Median() float64 { return float64(c) }

// Mean returns the quantity.
func (c certain) Mean() float64 { return float64(c) }

// CDF returns 1 from the quantity on.
func (c certain) CDF(y int) float64 {
	if float64(y) < float64(c) {
		return 0
	}
	return 1
}

func newFanLaw(law count.Distribution) fanLaw {
	l := fanLaw{make([]float64, len(fanLevels)), make([]float64, len(fanPacks))}
	for i, level := range fanLevels {
		l.Quantiles[i] = quantile(law, level)
	}
	for i, first := range fanPacks {
		below, to := law.CDF(first-1), 1.0
		if i+1 < len(fanPacks) {
			to = law.CDF(fanPacks[i+1] - 1)
		}
		l.Shares[i] = to - below
	}
	return l
}

// quantile returns the smallest quantity y with P(Y ≤ y) ≥ level, for quantities from 1.
func quantile(law count.Distribution, level float64) float64 {
	high := 1
	for law.CDF(high) < level && high < math.MaxInt32 {
		high *= 2
	}
	return float64(sort.Search(high, func(y int) bool { return law.CDF(y) >= level }))
}

// Errors returns the score of each forecaster: the means over days of the absolute error in units sold, and of the log-likelihood.
func (f *Fans) Errors() dataframe.DataFrame {
	table := show.NewRows("forecast", "absolute error", "log-likelihood")
	for _, s := range f.Scores {
		table.Add(s.Name, stat.Mean(s.Error, nil), stat.Mean(s.LogLikelihood, nil))
	}
	return table.Frame().Arrange(dataframe.Sort("absolute error"))
}

// Products returns the products, the one with most sales first.
func (f *Fans) Products() []string {
	return slices.SortedFunc(maps.Keys(f.Sales), func(a, b string) int {
		return cmp.Or(len(f.Sales[b])-len(f.Sales[a]), cmp.Compare(a, b))
	})
}

// Names returns the forecasters that have a law.
func (f *Fans) Names() (names []string) {
	for _, s := range f.Scores {
		if !math.IsNaN(s.LogLikelihood[0]) {
			names = append(names, s.Name)
		}
	}
	return names
}
