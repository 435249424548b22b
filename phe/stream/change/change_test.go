package change

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// ones returns ratios that are 1 except the first.
func ones(first float64) [Ways]float64 { return [Ways]float64{first, 1, 1, 1, 1, 1} }

// alarm returns the row of the first alarm, if the first ratio is before until row 2,000, and then after. Each row goes through JSON.
func alarm(t *testing.T, before, after float64) int64 {
	d := New()
	for row := int64(1); row < 5000; row++ {
		ratio := before
		if row > 2000 {
			ratio = after
		}
		b := filetest.Must(json.Marshal(d))(t)
		d = &Detector{}
		filetest.Check(t, json.Unmarshal(b, d))
		if d.Add(ones(ratio), row) {
			return row
		}
		filetest.True(t, d.Sound(), "%s is not sound", b)
	}
	return 0
}

// Ratios of 1 give R = 1/1.01 + … + 1/1.01ⁿ after n rows. From then on a ratio of 1.1 multiplies the first sum by 1.1/(1.01 M) in
// each row, and M learns it until the sums are large. An alternative that was always better by 1.5 is no change: its ratio is divided by
// its own mean. It is one if the ratio grows to e.
func TestAlarmByHand(t *testing.T) {
	r, ratio := 0.0, 1.1
	for range 2000 - first - tests + 1 {
		r = (r + 1) / 1.01
	}
	one, mean, n := r, 1.0, int64(0)
	for ; (r+5*one)/6 < math.Exp(13.8); n++ {
		learns, rows := math.Log((r+5*one)/6) <= 5, 2000+float64(n)
		r, one = (r+1)*ratio/mean/1.01, (one+1)/1.01
		if learns {
			mean += max(1e-4, 1/(rows/2+20)) / 2 * (ratio - mean)
		}
	}
	filetest.Want(t, alarm(t, 1, ratio), 2000+n, "row of the alarm")
	filetest.Want(t, alarm(t, 1.5, 1.5), 0, "row of an alarm without a change")
	filetest.True(t, alarm(t, 1.5, math.E) > 2000, "no alarm when a better alternative becomes better")
}

// If the forecast is right, the mean of each R after n rows is at most n, whatever M is. Here p is ½ and q is ½ ± ⅓, a ratio of 5/3 or 1/3,
// and the mean over 2ⁿ equally likely streams is exact: Σ 1.01⁻ⁱ if M is at most 1, and less if it is 2.
func TestBound(t *testing.T) {
	const rows = 12
	want := 0.0
	for i := 1; i <= rows; i++ {
		want += math.Pow(1.01, -float64(i))
	}
	for m, want := range map[float64]float64{0.5: want, 1: want, 2: 1} {
		mean := 0.0
		for stream := range 1 << rows {
			d := New()
			d.From, d.Rows = 0, 1e9
			for k := range d.Means {
				d.Means[k] = m
			}
			for i := range rows {
				d.Add(ones([]float64{5. / 3, 1. / 3}[stream>>i&1]), int64(i+1))
			}
			mean += d.Sums[0] / (1 << rows)
		}
		filetest.True(t, mean <= rows && (m > 1 && mean < want || math.Abs(mean-want) < 1e-2), "M %g: the mean of R is %g", m, mean)
	}
}

// A million rows whose forecasts are right set off no alarm; the bound allows one. The short form has a tenth of them.
func TestQuiet(t *testing.T) {
	rows := int64(100_000)
	if filetest.Long() {
		rows = 1_000_000
	}
	d, rng := New(), rand.New(rand.NewPCG(2, 46))
	for row := range rows {
		p, y := 1/(1+math.Exp(-2*rng.NormFloat64())), rng.Float64()
		var ratios [Ways]float64
		for k := range ratios {
			q := 1 / (1 + math.Pow((1-p)/p, 0.3*float64(k)))
			if ratios[k] = (1 - q) / (1 - p); y < p {
				ratios[k] = q / p
			}
		}
		filetest.True(t, !d.Add(ratios, row+1), "an alarm at row %d", row+1)
	}
}

// What follows an alarm, and which alarms are told: the slope and the kind after 64 rows decide, and the second in a short time has no
// remedy.
func TestRaise(t *testing.T) {
	for _, c := range []struct {
		kind   Kind
		slope  float64
		lag    int64
		remedy Remedy
	}{{Items, -1, 10, Forget}, {Items, 0.6, 0, Forget}, {Items, 0.7, 5, Reset}, {Items, 0.8, 0, Nothing}, {Noise, 0.2, 0, Nothing},
		{BaseRate, 0.5, 0, Nothing}, {Level, 0.2, 0, Nothing}} {
		d := New()
		filetest.Want(t, *d.Raise(3000, Noise), Alarm{Row: 3000, Kind: Noise}, "the alarm")
		filetest.Want(t, d.Read, 3064, "the row of its choice")
		d.Choose(3064, c.kind, c.slope, c.lag)
		filetest.Want(t, d.Alarms, []Alarm{{Row: 3000, Kind: c.kind, Remedy: c.remedy}}, "the alarm, by the rows since then")
		since := map[bool]int64{true: 3064, false: 3128}[c.remedy == Nothing]
		filetest.Want(t, [2]int64{d.Since, d.From}, [2]int64{since, since + 500 + c.lag}, "rows of the next reference, and of its alarms")
		for _, rows := range []int64{3126, 3127, 3128} {
			remedy, keep := d.Resets(rows)
			want := map[bool]Remedy{true: c.remedy}[rows == 3127]
			filetest.True(t, remedy == want && (want == Nothing || keep == max(0, c.slope)), "after %d rows the remedy is %q", rows, remedy)
		}
	}
	d := New()
	for i, row := range []int64{3000, 4000, 5000, 10_000, 15_001, 19_000} { // the first has a remedy
		d.Raised *= 0.99
		told := d.Raise(row, Items)
		d.Choose(row, Items, 0, 0)
		filetest.Want(t, told == nil, i == 2 || i == 3 || i == 5, "row %d is only counted", row)
	}
	filetest.Want(t, d.Alarms[1:], []Alarm{{Row: 4000, Kind: Items, More: 2, Last: 10_000},
		{Row: 15_001, Kind: Items, More: 1, Last: 19_000}}, "told")
	says := "the forecasts did not hold: the same items say something else, and 2 more like it, last at row 10,000"
	filetest.Want(t, d.Alarms[1].String(), says, "the sentence")
	for row := int64(0); row < 1e6; row += 1e4 {
		d.Raise(row, Level)
		d.Choose(row, Level, 1, 0)
	}
	filetest.Want(t, [3]int{d.Count, len(d.Alarms), d.Alarms[19].More}, [3]int{106, kept, 0}, "alarms, and those that are kept")
}
