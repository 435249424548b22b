package cell

import (
	"fmt"
	"html"
	"slices"
	"strconv"

	"gophe/figures/draw"
)

// Control is something that the reader moves: a slider, a list or a text field.
type Control struct {
	name, value string                  // value: at first
	html        string                  // its elements; their attributes tell play.js what to listen to
	takes       func(value string) bool // reports whether a value from the page is one that the control can have
	isNumber    bool
}

// Slider is a number between from and to, in steps, that begins at value.
func Slider(name string, from, to, step, value float64) Control {
	own, first := html.EscapeString(name), number(value)
	return Control{name: name, value: first, isNumber: true,
		html: fmt.Sprintf(`<label>%s <input type="range" data-name="%s" min="%s" max="%s" step="%s" value="%s"><output>%s</output></label>`,
			own, own, number(from), number(to), number(step), first, first),
		takes: func(value string) bool {
			v, err := strconv.ParseFloat(value, 64)
			return err == nil && v >= from && v <= to
		}}
}

// Player is a whole number between from and to, with buttons that move it by one and that let it run.
func Player(name string, from, to, value int) Control {
	c := Slider(name, float64(from), float64(to), 1, float64(value))
	c.html += `<button type="button" data-step="-1" title="one back">◂</button>` +
		`<button type="button" data-step="1" title="one on">▸</button>` +
		`<button type="button" data-run="1" title="run or pause">play</button>`
	return c
}

// Choice is one of several texts. It begins at the first.
func Choice(name string, options ...string) Control {
	own, list := html.EscapeString(name), ""
	for _, o := range options {
		list += "<option>" + html.EscapeString(o) + "</option>"
	}
	return Control{name: name, value: options[0], html: fmt.Sprintf(`<label>%s <select data-name="%s">%s</select></label>`, own, own, list),
		takes: func(value string) bool { return slices.Contains(options, value) }}
}

// Text is a text that the reader types.
func Text(name, value string) Control {
	own := html.EscapeString(name)
	return Control{name: name, value: value, takes: func(string) bool { return true },
		html: fmt.Sprintf(`<label>%s <input type="text" data-name="%s" value="%s" spellcheck="false"></label>`,
			own, own, html.EscapeString(value))}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// said returns the control and its value as text, for the line above a picture that no longer moves.
func (c Control) said(value string) string {
	if c.isNumber {
		v, _ := strconv.ParseFloat(value, 64)
		value = draw.Number(v)
	}
	return c.name + " = " + value
}
