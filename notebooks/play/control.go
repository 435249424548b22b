package play

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"gophe/figures/draw"
)

// Control is something that the reader moves: a slider, a list or a text field.
type Control struct {
	kind           kind
	name           string
	from, to, step float64
	options        []string
	value          string // at first
}

type kind string

const (
	slider kind = "slider"
	player kind = "player"
	choice kind = "choice"
	field  kind = "text"
)

// Slider is a number between from and to, in steps, that begins at value.
func Slider(name string, from, to, step, value float64) Control {
	return Control{kind: slider, name: name, from: from, to: to, step: step, value: number(value)}
}

// Player is a whole number between from and to, with buttons that move it by one and that let it run.
func Player(name string, from, to, value int) Control {
	return Control{kind: player, name: name, from: float64(from), to: float64(to), step: 1, value: strconv.Itoa(value)}
}

// Choice is one of several texts. It begins at the first.
func Choice(name string, options ...string) Control {
	return Control{kind: choice, name: name, options: options, value: options[0]}
}

// Text is a text that the reader types.
func Text(name, value string) Control { return Control{kind: field, name: name, value: value} }

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// html returns the control's elements. Their attributes tell play.js what to listen to.
func (c Control) html() string {
	name := html.EscapeString(c.name)
	switch c.kind {
	case slider, player:
		around := ""
		if c.kind == player {
			around = `<button type="button" data-step="-1" title="one back">◂</button><button type="button" data-step="1" title="one on">▸</button>` +
				`<button type="button" data-run="1" title="run or pause">play</button>`
		}
		return fmt.Sprintf(`<label>%s <input type="range" data-name="%s" min="%s" max="%s" step="%s" value="%s"><output>%s</output></label>%s`,
			name, name, number(c.from), number(c.to), number(c.step), c.value, c.value, around)
	case choice:
		var options strings.Builder
		for _, o := range c.options {
			fmt.Fprintf(&options, `<option>%s</option>`, html.EscapeString(o))
		}
		return fmt.Sprintf(`<label>%s <select data-name="%s">%s</select></label>`, name, name, options.String())
	default:
		return fmt.Sprintf(`<label>%s <input type="text" data-name="%s" value="%s" spellcheck="false"></label>`, name, name, html.EscapeString(c.value))
	}
}

// takes reports whether a value from the page is one that the control can have.
func (c Control) takes(value string) bool {
	switch c.kind {
	case field:
		return true
	case choice:
		return slices.Contains(c.options, value)
	}
	v, err := strconv.ParseFloat(value, 64)
	return err == nil && v >= c.from && v <= c.to
}

// said returns the control and its value as text, for the line above a picture that no longer moves.
func (c Control) said(value string) string {
	if c.kind == slider || c.kind == player {
		v, _ := strconv.ParseFloat(value, 64)
		value = draw.Number(v)
	}
	return c.name + " = " + value
}
