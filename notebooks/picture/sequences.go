package picture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"github.com/gomlx/compute"
	"gonum.org/v1/plot/vg"

	"gophe/data/files"
	"gophe/data/sales"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/phe/count"
	"gophe/phe/learn/backend"
	"gophe/phe/models/dkf"
)

// FilterChoices returns the choices in which specs of the deep Kalman filter differ, with a column for each spec.
func FilterChoices(specs ...spec.Spec) dataframe.DataFrame {
	which := []string{"prediction", "likelihood", "objective", "inputs", "transition", "learns online", "buckets"}
	columns := []series.Series{series.New(which, series.String, "choice")}
	for _, s := range specs {
		f := s.Filter
		columns = append(columns, series.New([]string{string(f.Prediction), string(f.Likelihood), string(f.Objective), string(f.Inputs),
			string(f.Transition), string(s.Model.Scope), fmt.Sprint(s.Model.Encoder.NumBuckets)}, series.String, s.Name))
	}
	return dataframe.New(columns...)
}

// Quantities draws the share of sales of each quantity from 1, in percent, and a distribution of counts.
func Quantities(shares []float64, name string, law func(quantity float64) float64) *draw.Figure {
	const half = 0.35 // of a bar's width
	var x, y, edges, zero, high []float64
	for i, share := range shares {
		at := float64(i + 1)
		x, y = append(x, at), append(y, 100*law(at))
		edges, zero = append(edges, at-half, at-half, at+half, at+half), append(zero, 0, 0, 0, 0)
		high = append(high, 0, share, share, 0)
	}
	return draw.New("Quantity", "Share of sales (%)").Size(15*vg.Centimeter, 5*vg.Centimeter).
		Band("", edges, zero, high, draw.Method("PHE")).Dots("Online Retail", x, shares, draw.Method("PHE"), draw.Thin()).
		Line(name, x, y, draw.Method("SlowAda")).
		Figure(fmt.Sprintf("Quantities above %d are left out.", len(shares)))
}

// Draw shows the forecasts of one product's sales up to a day. The controls are "day", "product" and "forecast". Each sale has a
// fan: its median, and the ranges that should hold half of the sales and nine in ten.
func (f *Fans) Draw(at play.Position) *draw.Figure {
	product, name, day := at.Text("product"), at.Text("forecast"), at.Count("day")-1
	sold := slices.DeleteFunc(slices.Clone(f.Sales[product]), func(s fanSale) bool { return s.Day > day })
	if len(sold) == 0 {
		return draw.New("Sale", "Quantity").Figure(fmt.Sprintf("Nobody buys %s before %s is over.", product, f.Days[day]))
	}
	var x, quantities, nine []float64
	levels, inside := make([][]float64, len(fanLevels)), 0
	for i, s := range sold {
		x, quantities = append(x, float64(i+1)), append(quantities, s.Quantity)
		nine = append(nine, s.Forecasts["Median of nine"][2])
		for k := range levels {
			levels[k] = append(levels[k], s.Forecasts[name][k])
		}
		if levels[0][i] <= s.Quantity && s.Quantity <= levels[4][i] {
			inside++
		}
	}
	fan := draw.New("Sale of the product since the first day", "Quantity").LogY().X(0, 1.15*x[len(x)-1]).Size(15*vg.Centimeter, 7*vg.Centimeter).
		Band("nine in ten, light", x, levels[0], levels[4], draw.Method("PHE")).Band("half, dark", x, levels[1], levels[3], draw.Method("PHE")).
		Line("median", x, levels[2], draw.Method("PHE")).Line("median of nine", x, nine, draw.Faint(), draw.Thin()).
		Dots("sold", x, quantities, draw.Colour(1))
	if first := slices.IndexFunc(sold, func(s fanSale) bool { return s.Day == day }); first >= 0 {
		fan.At(x[first], f.Days[day])
	}
	return fan.Figure(fmt.Sprintf("%s, %s, until %s: %d of %d sales lie in the range of nine in ten.",
		product, name, f.Days[day], inside, len(sold)))
}

// Fans holds forecasts of a few products' sales, each made before its day was learned.
type Fans struct {
	Days     []string             // dates of the stream
	Products []string             // the one with most sales first
	Sales    map[string][]fanSale // by product
	stream   *sales.Stream
}

// fanSale is a sale of a product with its forecasts.
type fanSale struct {
	Window    int32 // which it ends; the windows of a product are in the order of time
	Day       int   // number of the stream's day
	Quantity  float64
	Forecasts map[string][]float64 // by forecaster: quantiles at fanLevels
}

var fanLevels = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// NewFans takes a deep Kalman filter, which is the first method of a spec with its first seed, along the days of Online Retail. It keeps
// the forecasts of the products that are sold most often. "PHE (frozen)" forecasts all days after the initial phase. "PHE" forecasts each
// day, and then learns it. Rules of package baseline learn every day, too.
func NewFans(s spec.Spec, products int, rules ...string) *Fans {
	t, plan, err := task.Load(s, files.Options{})
	show.Check(err)
	retail := show.Must(sales.Load(files.Options{}))
	stream := show.Must(retail.Daily(retail.OverlappingWindows(10), show.Must(s.Protocol.StartDay())))
	stream.Steps, stream.Days = stream.Steps[:len(plan.Steps)], stream.Days[:len(plan.Steps)]
	fans := newFans(stream, plan.Days, products)
	show.Work(backend.Resolve(backend.Auto), s, func(b compute.Backend, tell func(done float64, doing string)) error {
		return fans.filter(s, t, plan, b, tell)
	})
	fans.rules(rules...)
	return fans
}

// newFans returns a collection without forecasts.
func newFans(stream *sales.Stream, days []string, products int) *Fans {
	fans := &Fans{Days: days, Sales: map[string][]fanSale{}, stream: stream}
	for day, windows := range stream.Steps {
		for _, w := range windows {
			fans.Sales[fans.product(w)] = append(fans.Sales[fans.product(w)], fanSale{w, day, fans.quantity(w), map[string][]float64{}})
		}
	}
	names := slices.SortedFunc(maps.Keys(fans.Sales), func(a, b string) int {
		return cmp.Or(len(fans.Sales[b])-len(fans.Sales[a]), cmp.Compare(a, b))
	})
	fans.Products = names[:min(products, len(names))]
	maps.DeleteFunc(fans.Sales, func(name string, _ []fanSale) bool { return !slices.Contains(fans.Products, name) })
	for _, list := range fans.Sales { // the windows of a day are shuffled
		slices.SortFunc(list, func(a, b fanSale) int { return cmp.Compare(a.Window, b.Window) })
	}
	return fans
}

// filter adds the forecasts of a filter. tell gets the share of the work that is done.
func (f *Fans) filter(s spec.Spec, t task.Task, plan *protocol.Plan, b compute.Backend, tell func(done float64, doing string)) error {
	m, epochs := s.Methods[0], s.Protocol.InitialEpochs
	config := s.Config(m, t.About().NumItems)
	model := dkf.Model{Config: config.FilterModel()}
	initial, err := run.NewDevice(t, b, config, s.Seeds[:1], plan.LargestStep(), true)
	if err != nil {
		return err
	}
	device := initial.WithMethod(m)
	defer device.Close()
	steps := epochs + 2*len(plan.Steps)
	for epoch := range epochs {
		if err := device.Fit(device.All.Take(plan.Initial), 1); err != nil {
			return err
		}
		tell(float64(epoch+1)/float64(steps), fmt.Sprintf("initial epoch %d of %d", epoch+1, epochs))
	}
	device.Settle()
	for pass, name := range []string{"PHE (frozen)", "PHE"} {
		for day, windows := range plan.Steps {
			values, err := device.Predict(windows, day)
			if err != nil {
				return err
			}
			at := 0
			for one := range slices.Chunk(values, len(values)/len(windows)) {
				f.add(name, windows[at], baseline.Forecast{Distribution: model.Forecast(one)})
				at++
			}
			if name == "PHE" {
				if err := device.Learn(plan, day); err != nil {
					return err
				}
			}
			tell(float64(epochs+pass*len(plan.Steps)+day+1)/float64(steps), name+", "+f.Days[day])
		}
	}
	return nil
}

func (f *Fans) product(window int32) string {
	s := f.stream.Sales
	return s.Categorical[s.Incremental].Values[f.stream.Windows.Last(int(window))]
}

func (f *Fans) quantity(window int32) float64 {
	return float64(f.stream.Sales.Quantities[f.stream.Windows.Last(int(window))])
}

// add adds a forecaster's forecast of the sale that ends a window, if its product is kept.
func (f *Fans) add(name string, window int32, said baseline.Forecast) {
	if list, kept := f.Sales[f.product(window)]; kept {
		k := sort.Search(len(list), func(k int) bool { return list[k].Window >= window })
		list[k].Forecasts[name] = fanQuantiles(said)
	}
}

// rules adds forecasts of rules of package baseline.
func (f *Fans) rules(names ...string) {
	for _, name := range names {
		show.Check(baseline.Run(name, f.stream, func(_, window int, one baseline.Forecast) error {
			f.add(name, int32(window), one)
			return nil
		}))
	}
}

// fanQuantiles returns the quantiles of a forecast. All quantiles of one without a distribution are its median.
func fanQuantiles(said baseline.Forecast) []float64 {
	if said.Distribution == nil {
		return slices.Repeat([]float64{math.Ceil(said.Median)}, len(fanLevels))
	}
	quantiles := make([]float64, len(fanLevels))
	for i, level := range fanLevels {
		quantiles[i] = quantile(said.Distribution, level)
	}
	return quantiles
}

// quantile returns the smallest quantity y with P(Y ≤ y) ≥ level, for quantities from 1.
func quantile(distribution count.Distribution, level float64) float64 {
	high := 1
	for distribution.CDF(high) < level && high < math.MaxInt32 {
		high *= 2
	}
	return float64(sort.Search(high, func(y int) bool { return distribution.CDF(y) >= level }))
}
