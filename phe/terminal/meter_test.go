package terminal

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gophe/phe/disk/filetest"
)

func ExampleMeter() {
	var m Meter
	start := time.Unix(0, 0)
	for _, second := range []int{0, 10, 20, 30} {
		fmt.Println(m.Text(start.Add(time.Duration(second)*time.Second), float64(second)/40))
	}
	// Output:
	// 0 %
	// 25 %
	// 50 %, about 20s left
	// 75 %, about 10s left
}

// A slow start, such as compilation, is soon forgotten: after twice its time the estimate is right.
func TestSlowStart(t *testing.T) {
	var m Meter
	start := time.Unix(0, 0)
	m.update(start, 0)
	var left time.Duration
	for tick := 0; tick <= 100; tick++ { // nothing for 10 s, then 1 % every 0.1 s
		now := start.Add(10*time.Second + time.Duration(tick)*100*time.Millisecond)
		left, _ = m.update(now, float64(tick)/100)
		if tick > 90 {
			filetest.Near(t, left.Seconds(), 10-0.1*float64(tick), 1, "after %d %%: seconds left", tick)
		}
	}
}

// A first step of 100 s, for which a program is compiled, makes no hours of three minutes.
func TestCompilation(t *testing.T) {
	var m Meter
	start := time.Unix(0, 0)
	m.update(start, 0)
	for step := 1; step <= 1000; step++ { // of 80 ms
		now := start.Add(100*time.Second + time.Duration(step)*80*time.Millisecond)
		left, known := m.update(now, float64(step)/1000)
		right := !known || (left-80*time.Millisecond*time.Duration(1000-step)).Abs() < time.Second
		filetest.True(t, right && (known || step < 30), "after step %d: %s left, known: %t", step, left, known)
	}
}

// A run that goes on from a checkpoint begins with work done, and that says nothing about its speed.
func TestResumed(t *testing.T) {
	var m Meter
	start := time.Unix(0, 0)
	_, known := m.update(start, 0.5)
	filetest.True(t, !known, "an estimate of nothing")
	m.update(start.Add(7*time.Second), 0.57)
	left, known := m.update(start.Add(10*time.Second), 0.6)
	filetest.True(t, known && left.Round(time.Second) == 40*time.Second, "%s left, want 40 s", left)
	left, known = m.update(start.Add(11*time.Second), 0.6)
	filetest.True(t, !known || left >= 40*time.Second, "%s left, though nothing was done", left)
}

// However often it is told, it keeps few marks, and is quick.
func BenchmarkUpdate(b *testing.B) {
	var m Meter
	start := time.Unix(0, 0)
	for i := 0; b.Loop(); i++ {
		m.update(start.Add(time.Duration(i)*time.Millisecond), float64(i)/1e9)
	}
}

// Progress that is read back before work begins does not count for its speed.
func TestReading(t *testing.T) {
	var m Meter
	start := time.Unix(0, 0)
	m.update(start, 0)
	m.update(start.Add(30*time.Second), 0)
	m.update(start.Add(30300*time.Millisecond), 0.01)
	left, known := m.update(start.Add(33*time.Second), 0.1)
	filetest.True(t, known && left.Round(time.Second) == 27*time.Second, "%s left, want 27 s", left)
}

// TestPause: in a log the lines of a long computation come with pauses of ten minutes.
func TestPause(t *testing.T) {
	for _, c := range []struct{ began, shown, lines int }{
		{10, 4, 0}, {10, 6, 1}, {1000, 19, 0}, {1000, 21, 1}, {1e6, 590, 0}, {1e6, 610, 1},
	} {
		var log strings.Builder
		ago := func(seconds int) time.Time { return time.Now().Add(-time.Duration(seconds) * time.Second) }
		l := Line{w: &log, name: "sales", began: ago(c.began), shown: ago(c.shown)}
		l.Update(math.NaN(), "1 row")
		filetest.Want(t, log.String(), strings.Repeat("sales: 1 row\n", c.lines), "after %+v", c)
	}
}

// Whatever the width, a line fits it with a column to spare: one that wraps could not be drawn over.
func TestProgressLineFits(t *testing.T) {
	for width := 2; width < 200; width++ {
		for _, doing := range []string{"", "PHE: step 1 of 317", "Gamma–Poisson filter: initial epoch 2 of 100"} {
			line := fit(width, 0.37, "[1/3] adult-online", "37 %, about 1m20s left", doing)
			filetest.True(t, utf8.RuneCountInString(line) < width && !strings.Contains(line, "\n"), "%d columns for %q", width, line)
		}
	}
	filetest.Want(t, fit(70, 0.5, "small", "50 %", "PHE"),
		"small  50 %  PHE "+strings.Repeat("━", 20)+strings.Repeat("╌", 20), "a line of 70")
	filetest.Want(t, fit(10, 0.5, "small", "50 %", "PHE"), "small  5…", "a line of 10")
}
