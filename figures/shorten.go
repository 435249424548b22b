package figures

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
)

var (
	straight = regexp.MustCompile(` d="M[-0-9.,MLZ]*"`) // a path without curves
	corner   = regexp.MustCompile(`([MLZ])(?:([-0-9.]+),([-0-9.]+))?`)
)

// shorten tells the straight paths of an SVG by steps from corner to corner. That takes a third less room than the corners' places, and
// the large figures are little else. Places are rounded to 0.01 points before their difference is taken, so that no error adds up.
func shorten(svg []byte) []byte {
	return straight.ReplaceAllFunc(svg, func(path []byte) []byte {
		short, stepping := []byte(` d="`), false
		var x, y int
		for _, c := range corner.FindAllSubmatch(path, -1) {
			toX, toY := hundredths(c[2]), hundredths(c[3])
			switch {
			case c[1][0] == 'L' && !stepping:
				short = append(short, 'l')
				fallthrough
			case c[1][0] == 'L':
				short = appendNumber(appendNumber(short, toX-x), toY-y)
			case c[1][0] == 'M':
				short = appendNumber(appendNumber(append(short, 'M'), toX), toY)
			default:
				short = append(short, 'Z')
			}
			x, y, stepping = toX, toY, c[1][0] == 'L'
		}
		return append(short, '"')
	})
}

func hundredths(number []byte) int {
	value, _ := strconv.ParseFloat(string(number), 64) // it fails for Z alone, which has no numbers
	return int(math.Round(100 * value))
}

// appendNumber writes a number, with a space before it only where it would otherwise belong to the number before.
func appendNumber(short []byte, hundredths int) []byte {
	number := strconv.AppendFloat(nil, float64(hundredths)/100, 'f', -1, 64)
	if -100 < hundredths && hundredths < 100 {
		number = bytes.Replace(number, []byte("0."), []byte("."), 1)
	}
	if last := short[len(short)-1]; number[0] != '-' && '0' <= last && last <= '9' {
		short = append(short, ' ')
	}
	return append(short, number...)
}
