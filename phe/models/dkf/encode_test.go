package dkf_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/models/dkf"
)

// start is the time of the first event.
var start = time.Date(2011, 1, 3, 9, 0, 0, 0, time.UTC)

// events are data's as records.
func events(c dkf.Config, d dkf.Data) (events []*dkf.Event) {
	columns := len(c.Columns)
	for i, y := range d.Counts {
		e := &dkf.Event{Count: int(y), Time: start.Add(time.Duration(d.Times[i]) * c.Tick)}
		for column, item := range d.Index[i*columns:][:columns] {
			e.Items = append(e.Items, strings.TrimPrefix(d.Items[item], c.Columns[column]+"_"))
		}
		for _, x := range d.Numbers[i*c.Numbers:][:c.Numbers] {
			e.Numbers = append(e.Numbers, float64(x))
		}
		events = append(events, e)
	}
	return
}

// windowsOf groups events into windows, which share them.
func windowsOf(events []*dkf.Event, windows []int32, length int) (sequences [][]*dkf.Event) {
	for members := range slices.Chunk(windows, length) {
		var window []*dkf.Event
		for _, at := range members {
			window = append(window, events[at])
		}
		sequences = append(sequences, window)
	}
	return
}

// overlapping makes a window begin at every event of data but the last ones. The windows share all events but two.
func overlapping(d dkf.Data) dkf.Data {
	d.Windows = nil
	for first := range len(d.Counts) - toyLength + 1 {
		for k := range toyLength {
			d.Windows = append(d.Windows, int32(first+k))
		}
	}
	return d
}

// inOrder numbers the items of data as they come, and lets times count from the first event.
func inOrder(d dkf.Data) dkf.Data {
	items, numbers, index := []string{}, map[int32]int32{}, []int32{}
	for _, item := range d.Index {
		if _, ok := numbers[item]; !ok {
			numbers[item] = int32(len(items))
			items = append(items, d.Items[item])
		}
		index = append(index, numbers[item])
	}
	var times []int32
	for _, ticks := range d.Times {
		times = append(times, ticks-d.Times[0])
	}
	d.Items, d.Index, d.Times = items, index, times
	return d
}

// Windows of records are the batch that their columns make. Events that windows share, by the same pointer, are in it once, and
// equal events of other pointers are events of their own. A last count that is not known leaves the batch without targets: the contract
// says that nothing is learned from such a batch, and TestForecastSeesNoCountOfItsOwn that no forecast reads the count.
func TestEncode(t *testing.T) {
	for _, likelihood := range []dkf.Likelihood{dkf.Poisson, dkf.Histogram} {
		c := toyConfig()
		c.Likelihood, c.Prediction = likelihood, dkf.Forecast
		m, d := newModel(t, c), inOrder(overlapping(toyData(4, randomCounts())))
		want := filetest.Must(m.Batch(d))(t)
		records := events(c, d)
		got := filetest.Must(m.Encode(windowsOf(records, d.Windows, toyLength)))(t)
		filetest.Want(t, got, want, "%s: the batch of records, and of columns", likelihood)
		for i, item := range got.Items {
			filetest.True(t, strings.HasPrefix(item, c.Columns[got.Columns[i]]+"_"), "%s is in column %d", item, got.Columns[i])
		}
		filetest.Want(t, len(got.Targets), len(records), "targets")
		filetest.Want(t, got.Records, len(records)-toyLength+1, "windows")
		unknown := *records[2]
		unknown.Count = -1
		got = filetest.Must(m.Encode([][]*dkf.Event{records[:3], {records[0], records[1], &unknown}}))(t)
		sizes := [2]int{len(got.Targets), len(got.Inputs["counts"].Floats)}
		filetest.Want(t, sizes, [2]int{0, 4}, "targets and counts, one of them unknown")
		again := *records[0]
		got = filetest.Must(m.Encode([][]*dkf.Event{{records[0], records[1], records[0]}, {records[1], records[0], &again}}))(t)
		filetest.Want(t, len(got.Targets), 3, "events, two of them alike")
		known := 0
		for column, item := range records[1].Items {
			if item == records[0].Items[column] {
				known++
			}
		}
		filetest.Want(t, len(got.Items), 2*len(c.Columns)-known, "items")
		filetest.Want(t, got.Events, []int32{0, 1, 0, 1, 0, 2}, "events of windows")
	}
}

// What does not fit is refused by a message that names the window, the event in it, and what would be right.
func TestEncodeRefuses(t *testing.T) {
	second := "event 2 of window 1"
	for _, c := range []struct {
		where, right string
		damage       func(*dkf.Config, [][]*dkf.Event)
	}{
		{"window 1", "the model's have 3", func(_ *dkf.Config, w [][]*dkf.Event) { w[1] = w[1][:2] }},
		{"window 0", "the model's have 3", func(_ *dkf.Config, w [][]*dkf.Event) { w[0] = nil }},
		{"event 0 of window 0", "nil", func(_ *dkf.Config, w [][]*dkf.Event) { w[0][0] = nil }},
		{second, "nil", func(_ *dkf.Config, w [][]*dkf.Event) { w[1][2] = nil }},
		{second, `categorical columns ["column0" "column1"]`, func(_ *dkf.Config, w [][]*dkf.Event) { w[1][2].Items = []string{"a"} }},
		{second, "1 numeric", func(_ *dkf.Config, w [][]*dkf.Event) { w[1][2].Numbers = nil }},
		{second, "finite", func(_ *dkf.Config, w [][]*dkf.Event) { w[1][2].Numbers = []float64{math.NaN()} }},
		{second, "finite in 32 bits", func(_ *dkf.Config, w [][]*dkf.Event) { w[1][2].Numbers = []float64{1e39} }},
		{second, "between 0 and 16777216", func(_ *dkf.Config, w [][]*dkf.Event) { w[1][2].Count = -2 }},
		{second, "between 0 and 16777216", func(_ *dkf.Config, w [][]*dkf.Event) { w[1][2].Count = 1<<24 + 1 }},
		{second, "between 1 and 16777216", func(c *dkf.Config, w [][]*dkf.Event) { c.Likelihood, w[1][2].Count = dkf.Histogram, 0 }},
		{second, "longer Tick", func(c *dkf.Config, w [][]*dkf.Event) { c.Tick, w[1][2].Time = time.Second, start.AddDate(100, 0, 0) }},
		{second, "longer Tick", func(_ *dkf.Config, w [][]*dkf.Event) { w[1][2].Time = start.AddDate(5000, 0, 0) }},
		{second, `use prediction "forecast"`, func(c *dkf.Config, w [][]*dkf.Event) {
			c.Prediction, w[1][2].Count = dkf.Reconstruction, -1
		}},
		{"event 1 of window 1", "only a window's last", func(_ *dkf.Config, w [][]*dkf.Event) { w[1][1].Count = -1 }},
		{"event 1 of window 1", "only a window's last", func(_ *dkf.Config, w [][]*dkf.Event) { w[0][2].Count, w[1][1] = -1, w[0][2] }},
		{"", "at least one", func(_ *dkf.Config, w [][]*dkf.Event) { clear(w) }},
	} {
		config, d := toyConfig(), toyData(2, randomCounts())
		config.Prediction = dkf.Forecast
		sequences := windowsOf(events(config, d), d.Windows, toyLength)
		filetest.Must(newModel(t, config).Encode(sequences))(t)
		c.damage(&config, sequences)
		m := newModel(t, config)
		clear(config.Columns) // the model has its own copy
		if c.where == "" {
			sequences = nil
		}
		filetest.WantError(t, filetest.Failure(m.Encode(sequences)), c.where, c.right)
	}
}

// Times mean the same in any ticks. The unit of gaps scales them, and the most gaps bound them.
func TestUnitsOfTime(t *testing.T) {
	if nettest.Brief(t) {
		t.Skip("says nothing of the backend")
	}
	const windows = 6
	forecasts := func(factor int32, change func(*dkf.Config)) []float32 {
		c, d := toyConfig(), toyData(windows, randomCounts())
		c.Prediction, c.Transition = dkf.Forecast, dkf.WithGap
		change(&c)
		for i := range d.Times {
			d.Times[i] *= factor
		}
		return newLearner(t, c, d, windows, 6).Predict(t, upTo(windows), 0)
	}
	want := forecasts(1, func(*dkf.Config) {})
	for _, c := range []struct {
		name   string
		factor int32
		change func(*dkf.Config)
		same   bool
	}{
		{"seconds", 60, func(c *dkf.Config) { c.Tick = time.Second }, true},
		{"a unit of two weeks, in which all takes twice as long", 2, func(c *dkf.Config) { c.GapUnit = 14 * 24 * time.Hour }, true},
		{"a unit of a day", 1, func(c *dkf.Config) { c.GapUnit = 24 * time.Hour }, false},
		{"gaps of at most one week", 1, func(c *dkf.Config) { c.MaxGaps = 1 }, false},
		{"all takes twice as long", 2, func(*dkf.Config) {}, false},
	} {
		largest := 0.0
		for i, v := range forecasts(c.factor, c.change) {
			largest = max(largest, math.Abs(float64(v-want[i])))
		}
		filetest.Want(t, largest <= 1e-6, c.same, "%s moves a forecast by %g, so that it stays", c.name, largest)
	}
}
