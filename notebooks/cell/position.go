package cell

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
			panic(fmt.Sprintf("cell: two controls are called %q", c.name))
		}
		p.values[c.name] = c.value
	}
	return p
}

// moved returns the position with values from the page. A value that its control cannot have is left out.
func (p Position) moved(values map[string]string) Position {
	p.values = maps.Clone(p.values)
	for _, c := range p.controls {
		if value, ok := values[c.name]; ok && c.takes(value) {
			p.values[c.name] = value
		}
	}
	return p
}

func (p Position) control(name string) Control {
	i := slices.IndexFunc(p.controls, func(c Control) bool { return c.name == name })
	if i < 0 {
		panic(fmt.Sprintf("cell: no control is called %q", name))
	}
	return p.controls[i]
}

// Number returns the value of a slider or a player.
func (p Position) Number(name string) float64 {
	v, err := strconv.ParseFloat(p.values[p.control(name).name], 64)
	if err != nil {
		panic(fmt.Sprintf("cell: %s is not a number but %q", name, p.values[name]))
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
