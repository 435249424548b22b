package play

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Position holds the values of all controls. It panics if asked for a name that no control has.
type Position struct {
	controls []Control
	values   map[string]string
}

// NewPosition returns the position in which controls begin.
func NewPosition(controls ...Control) Position {
	p := Position{controls: controls, values: map[string]string{}}
	for _, c := range controls {
		if _, twice := p.values[c.name]; twice {
			panic(fmt.Sprintf("play: two controls are called %q", c.name))
		}
		p.values[c.name] = c.value
	}
	return p
}

// With returns the position after a control was moved to a value.
func (p Position) With(name string, value any) Position {
	c := p.control(name)
	p.values = maps.Clone(p.values)
	text := fmt.Sprint(value)
	if !c.takes(text) {
		panic(fmt.Sprintf("play: %s cannot stand at %q", name, text))
	}
	p.values[name] = text
	return p
}

// moved returns the position after a message from the page. It reports false if the message fits no control.
func (p Position) moved(m message) (Position, bool) {
	i := slices.IndexFunc(p.controls, func(c Control) bool { return c.name == m.Name })
	if i < 0 || !p.controls[i].takes(m.Value) {
		return p, false
	}
	return p.With(m.Name, m.Value), true
}

func (p Position) control(name string) Control {
	i := slices.IndexFunc(p.controls, func(c Control) bool { return c.name == name })
	if i < 0 {
		panic(fmt.Sprintf("play: no control is called %q", name))
	}
	return p.controls[i]
}

// Number returns the value of a slider or a player.
func (p Position) Number(name string) float64 {
	v, err := strconv.ParseFloat(p.values[p.control(name).name], 64)
	if err != nil {
		panic(fmt.Sprintf("play: %s is not a number but %q", name, p.values[name]))
	}
	return v
}

// Count returns the value of a slider or a player as an integer.
func (p Position) Count(name string) int { return int(math.Round(p.Number(name))) }

// Text returns the value of a text field or a choice.
func (p Position) Text(name string) string { return p.values[p.control(name).name] }

// String lists the controls and their values.
func (p Position) String() string {
	var said []string
	for _, c := range p.controls {
		said = append(said, c.said(p.values[c.name]))
	}
	return strings.Join(said, ", ")
}
