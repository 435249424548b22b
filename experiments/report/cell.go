package report

import (
	"math"

	"gophe/experiments/measure"
)

// Cell is one measured number next to the paper's, as a mean over seeds. Nil means that a number does not exist, such as the
// paper's number of a frozen model.
type Cell struct {
	Quantity
	Paper      *float64 `json:"paper"`
	PaperSD    *float64 `json:"paper_sd"`
	Measured   *float64 `json:"measured"`
	MeasuredSD *float64 `json:"measured_sd"` // over draws if there are several, else over seeds; n−1
	Seeds      int      `json:"seeds"`       // of each draw
	Backend    string   `json:"backend"`
	Seconds    *float64 `json:"seconds"`              // wall time a seed, compilation included
	Spec       string   `json:"spec"`                 // the result that the cell is read from
	InPaper    bool     `json:"in_paper"`             // the paper has the cell; without a number where it prints a dash
	Substitute string   `json:"substitute,omitempty"` // the data set that was measured in place of the paper's
	Diverged   int      `json:"diverged,omitempty"`   // seeds that did, and are not in the mean
	Note       string   `json:"note,omitempty"`       // the reason for a difference, or a word about a substitute
	Reading    string   `json:"reading,omitempty"`    // of the paper's tables: of its program or of its text
	Draws      int      `json:"draws,omitempty"`      // of the hash functions, where there are several

	published string // the paper's data set that the cell is compared with
	variant   string // distinguishes results of one table and data set
}

// Quantity names what a cell measures.
type Quantity struct {
	Item       string `json:"item"` // the paper's table, or the result's name
	Dataset    string `json:"dataset"`
	Method     string `json:"method"` // with " (frozen)" where nothing was learned online
	Protocol   string `json:"protocol"`
	Convention string `json:"convention"`
	Metric     string `json:"metric"`
}

// apart returns the difference to the paper's number; nil if one of the two is missing.
func (c Cell) apart() *float64 {
	if c.Paper == nil || c.Measured == nil {
		return nil
	}
	return new(*c.Measured - *c.Paper)
}

// deviations returns the difference in the paper's standard deviations; nil if that is missing or 0, or if the data is another.
func (c Cell) deviations() *float64 {
	d := c.apart()
	if d == nil || c.Substitute != "" || c.PaperSD == nil || *c.PaperSD == 0 {
		return nil
	}
	return new(*d / *c.PaperSD)
}

// isOutside reports whether the cell is more than two of the paper's standard deviations away. A number of other data is not.
func (c Cell) isOutside() bool {
	d := c.apart()
	return d != nil && c.Substitute == "" && c.PaperSD != nil && math.Abs(*d) > 2**c.PaperSD
}

// differs reports whether the cell is outside, and at least half a point away. For errors in units sold it is a twentieth of a unit.
func (c Cell) differs() bool {
	return c.isOutside() && math.Abs(*c.apart()) >= measure.Named(c.Metric).Apart
}

// rounding is the most by which the paper's rounding moves a number.
func (c Cell) rounding() float64 { return math.Pow(10, -float64(measure.Named(c.Metric).Paper)) / 2 }

// isUnequal reports whether the means differ by more than the paper's rounding and two standard errors of their difference. The paper's
// means are over five runs (Sec. 4.1).
func (c Cell) isUnequal() bool {
	d := c.apart()
	return d != nil && c.Substitute == "" && c.PaperSD != nil && c.MeasuredSD != nil &&
		math.Abs(*d) > c.rounding()+2*math.Hypot(*c.PaperSD/math.Sqrt(5), *c.MeasuredSD/math.Sqrt(float64(c.Seeds)))
}

// outcome says how our number compares with the paper's.
type outcome string

// Only a number that was measured on the paper's data comes out or differs. A size comes out if it rounds to the paper's.
const (
	comesOut     outcome = "comes out"
	doesDiffer   outcome = "differs"
	otherData    outcome = "other data"
	notPublished outcome = "not published" // the paper prints a dash
	notRun       outcome = "not run"
	notInPaper   outcome = "not in the paper"
)

// outcome returns the outcome of the cell.
func (c Cell) outcome() outcome {
	switch {
	case !c.InPaper:
		return notInPaper
	case c.Measured == nil:
		return notRun
	case c.Paper == nil:
		return notPublished
	case c.Substitute != "":
		return otherData
	case c.differs(), c.isSize() && math.Abs(*c.apart()) > c.rounding():
		return doesDiffer
	}
	return comesOut
}

// isVague reports whether a cell comes out with every smaller number, too, because two of the paper's deviations reach down to 0.
func (c Cell) isVague() bool {
	return c.outcome() == comesOut && c.PaperSD != nil && 2**c.PaperSD >= *c.Paper
}

// isSize reports whether a cell is counted, not measured.
func (c Cell) isSize() bool {
	return c.Metric == measure.Parameters || c.Metric == measure.CompressionRatio
}

// printed returns the paper's number with the digits that the paper prints.
func (c Cell) printed() string {
	return measure.Estimate{Mean: c.Paper, SD: c.PaperSD}.Text(measure.Named(c.Metric).Paper)
}

// measured returns a cell's number, and the data set if it is not the paper's.
func measured(c Cell) string {
	text := measure.Estimate{Mean: c.Measured, SD: c.MeasuredSD}.Text(measure.Named(c.Metric).Digits)
	if c.Substitute != "" && c.Substitute != c.Dataset {
		text += " on " + c.Substitute
	}
	return text
}
