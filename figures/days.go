package figures

import (
	"fmt"
	"math"
	"time"

	"gophe/experiments/spec/protocol"

	"gonum.org/v1/plot"

	"gophe/figures/draw"
)

// nameSteps labels the x axis and the points with dates if the steps are days.
func (s *source) nameSteps(p *draw.Chart) {
	if s.Methods[0].Protocol != protocol.Daily && !s.isRatings() {
		return
	}
	steps := 0
	for _, c := range p.Curves {
		steps = max(steps, len(c.Mean))
	}
	if len(s.days) < steps {
		s.fail("it has %d steps and the dates of %d; make it again: `phe run %s`", steps, len(s.days), s.Name)
	}
	days := s.days[:steps]
	names := make([]string, steps)
	for i, day := range days {
		names[i] = day.Format("2 Jan 2006")
	}
	for i := range p.Curves {
		p.Curves[i].Names = names
	}
	p.XAxis.Ticks = func(float64, float64) []plot.Tick { return dayTicks(days) }
	p.XAxis.Label = fmt.Sprintf("Day of %d", days[0].Year())
	if last := days[steps-1].Year(); last != days[0].Year() {
		p.XAxis.Label += fmt.Sprintf("–%d", last)
	}
}

// onCalendar moves a panel's points to their dates. The x axis then counts the days since the first step.
func (s *source) onCalendar(p *draw.Chart) {
	days := s.days[:len(p.Curves[0].Names)]
	for i := range p.Curves {
		c := &p.Curves[i]
		for step := range c.Mean {
			c.X = append(c.X, days[step].Sub(days[0]).Hours()/24)
		}
	}
	p.XAxis.Ticks = func(float64, float64) []plot.Tick { return calendarTicks(days[0], days[len(days)-1]) }
}

// calendarTicks labels the days from first to last. If they are more than a dozen, it labels every second day, every week and so on.
func calendarTicks(first, last time.Time) []plot.Tick {
	total := int(last.Sub(first).Hours() / 24)
	every := 1
	for _, every = range []int{1, 2, 7, 14, 28, 91, 364} {
		if total/every < 12 {
			break
		}
	}
	var marks []plot.Tick
	month := time.Month(0)
	for day := 0; day <= total; day += every {
		date := first.AddDate(0, 0, day)
		layout := "2"
		if every > 91 {
			layout = "Jan 2006"
		} else if date.Month() != month {
			layout = "2 Jan"
		}
		month = date.Month()
		marks = append(marks, plot.Tick{Value: float64(day), Label: date.Format(layout)})
	}
	return marks
}

// dayTicks labels the first step of each month, or of each year if there are more than two. If labels are too close, it leaves some out.
func dayTicks(days []time.Time) (marks []plot.Tick) {
	layout := "Jan"
	yearly := days[len(days)-1].Year()-days[0].Year() > 2
	if yearly {
		layout = "2006"
	}
	named := math.Inf(-1)
	for step, date := range days {
		if step > 0 && date.Format(layout) == days[step-1].Format(layout) {
			continue
		}
		mark := plot.Tick{Value: float64(step), Label: date.Format(layout)}
		if yearly && mark.Value < named+float64(len(days))/7 {
			mark.Label = "" // years have different numbers of steps
		} else {
			named = mark.Value
		}
		marks = append(marks, mark)
	}
	for i := 1; i < len(marks) && !yearly && len(marks) > 8; i += 2 {
		marks[i].Label = ""
	}
	return marks
}
