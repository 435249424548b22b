package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gophe/phe/hash"
)

// Figure2 shows the encoder of Table 1's row Adult (Supp. E.3), with the hash functions of the authors' program.
const (
	shownBuckets = 7  // B
	shownHashes  = 3  // K
	shownWeights = 11 // P
	shownDim     = 20 // d
)

// shownItems are items of two columns of Adult, which share the tables.
var shownItems = []string{"education_Bachelors", "education_Some-college", "workclass_Private"}

// Figure2 draws Fig. 2, how an item becomes an embedding, for three items of Adult. Package hash computes the rows of both
// tables. Nothing in the diagram comes from a result.
func Figure2() (*Figure, error) {
	family, err := hash.NewFamily(hash.Authors, shownHashes, shownBuckets, shownWeights, 0)
	if err != nil {
		return nil, errors.WithMessage(err, "Figure 2")
	}
	var e encoder
	for i, item := range shownItems {
		key := hash.Authors.Key(item)
		e = append(e, hashedItem{
			name: item, color: []color.NRGBA{blue, vermilion, green}[i],
			buckets: family.Buckets(nil, key), weightRow: family.WeightRow(key),
		})
	}
	return New(e, pageWidth, encoderHeight, e.caption()), nil
}

// encoder is the diagram, with the items from top to bottom.
type encoder []hashedItem

// hashedItem is an item and its table rows.
type hashedItem struct {
	name      string
	color     color.NRGBA
	buckets   []int32 // rows of E
	weightRow int32   // of W
}

// caption returns the caption, which names the collisions.
func (e encoder) caption() string {
	says := []string{fmt.Sprintf("How three items of Adult become embeddings under Table 1's encoder; the rows are those that the program computes. "+
		"K = %d hash functions point an item to rows of table E, which all items of all columns share, and w points it to a row of table W. "+
		"A bell is a belief N(μ, σ²) about one number, whose first prior is N(0,1); of the %d in a row of E and in an embedding some are drawn. "+
		"Assembly g adds up the item's rows of E, weighted by its row of W: the embedding is a distribution, too.",
		shownHashes, shownDim)}
	for k := range shownHashes {
		differs := slices.ContainsFunc(e, func(item hashedItem) bool { return item.buckets[k] != e[0].buckets[k] })
		if !differs {
			says = append(says, fmt.Sprintf("Hash function %d sends all three to row %d; the other functions tell them apart.", k+1, e[0].buckets[k]))
		}
	}
	return strings.Join(says, " ")
}

// The diagram's measures, in points from the left and from the top.
const (
	headRoom  = vg.Length(16) // above a table and above the items
	itemWidth = vg.Length(86)

	chipAt     = vg.Length(106) // a hash function's box
	chipWidth  = vg.Length(40)
	chipHeight = vg.Length(12)
	chipStep   = vg.Length(14) // from one to the next
	itemStep   = vg.Length(76) // from one item to the next

	tableAt    = vg.Length(212)
	numberRoom = vg.Length(13) // of the rows' numbers
	cellWidth  = vg.Length(16)
	rowE       = vg.Length(16) // height
	rowW       = vg.Length(8.5)
	fanIn      = vg.Length(4.5) // between two arrows at one row

	assemblyAt     = vg.Length(404) // centre
	assemblyRadius = vg.Length(10)
	embeddingAt    = vg.Length(425)

	encoderHeight = 2*headRoom + shownBuckets*rowE + shownWeights*rowW + 8
)

// way is one of an item's rows: the path from its hash function's box to the table, and from there to the assembly.
type way struct {
	item     int
	row      tableRow
	from     vg.Point // at the box
	rank     int      // among the item's rows, from the top
	of, lane int      // lane of its row, from the top, and the number of lanes
}

// tableRow is a row of E or W.
type tableRow struct {
	isWeight bool
	row      int32
}

// Draw draws, from the left, items, hash functions, tables, assembly and embeddings.
func (e encoder) Draw(c draw.Canvas) ([]Mark, error) {
	ways := e.ways(c)
	e.drawTables(c, ways)
	for _, w := range ways {
		e.drawWay(c, w)
	}
	for i, item := range e {
		item.draw(c, e.middle(c, i))
	}
	heads := []struct {
		middle vg.Length
		label  label
	}{
		{itemWidth / 2, label{{text: "Item "}, {text: "s", isSymbol: true}}},
		{chipAt + chipWidth/2, label{{text: "Hash functions"}}},
		{assemblyAt, label{{text: "Assembly"}}},
		{embeddingAt + 2*cellWidth, label{{text: "Embedding"}}},
	}
	for _, head := range heads {
		head.label.draw(c, vg.Point{X: c.Min.X + head.middle, Y: c.Max.Y - headRoom/2}, titleSize-0.5, black)
	}
	return nil, nil
}

// middle returns the height of an item.
func (e encoder) middle(c draw.Canvas, i int) vg.Length {
	centre := c.Max.Y - headRoom - (encoderHeight-headRoom)/2
	return centre + itemStep*(vg.Length(len(e)-1)/2-vg.Length(i))
}

// ways returns the ways of all items, from the top.
func (e encoder) ways(c draw.Canvas) (ways []way) {
	count := map[tableRow]int{}
	for i, item := range e {
		var own []way
		for k, row := range item.rows() {
			from := vg.Point{X: c.Min.X + chipAt + chipWidth, Y: e.middle(c, i) + chipAbove(k)}
			own = append(own, way{item: i, row: row, from: from, lane: count[row]})
			count[row]++
		}
		for k := range own {
			for _, other := range own {
				if !other.row.isWeight && (own[k].row.isWeight || other.row.row < own[k].row.row) {
					own[k].rank++
				}
			}
		}
		ways = append(ways, own...)
	}
	for i := range ways {
		ways[i].of = count[ways[i].row]
	}
	return ways
}

// rows returns the item's rows of E, in the order of the hash functions, and its row of W.
func (item hashedItem) rows() (rows []tableRow) {
	for _, bucket := range item.buckets {
		rows = append(rows, tableRow{false, bucket})
	}
	return append(rows, tableRow{true, item.weightRow})
}

// chipAbove returns the distance from an item's middle up to the box of its row k.
func chipAbove(k int) vg.Length { return chipStep * (shownHashes/2.0 - vg.Length(k)) }

// at returns the height of a row's middle.
func (r tableRow) at(c draw.Canvas) vg.Length {
	if r.isWeight {
		return c.Max.Y - 2*headRoom - shownBuckets*rowE - rowW*(vg.Length(r.row)+0.5)
	}
	return c.Max.Y - headRoom - rowE*(vg.Length(r.row)+0.5)
}

// right returns the x of a row's right end.
func (r tableRow) right(c draw.Canvas) vg.Length {
	cells := vg.Length(6)
	if r.isWeight {
		cells = shownHashes
	}
	return c.Min.X + tableAt + numberRoom + cells*cellWidth
}

// drawTables draws table E and, below it, table W. A row in use has the tints of the items that use it.
func (e encoder) drawTables(c draw.Canvas, ways []way) {
	users := map[tableRow][]color.Color{}
	for _, w := range ways {
		users[w.row] = append(users[w.row], tint(e[w.item].color))
	}
	left := c.Min.X + tableAt
	table := func(isWeight bool, rows int, height vg.Length, name label) {
		for row := range rows {
			r := tableRow{isWeight, int32(row)}
			y := r.at(c)
			drawBeliefs(c, rectangle(left+numberRoom, y-height/2, r.right(c), y+height/2), users[r], isWeight)
			style := textStyle(min(labelSize, height-1.5), color.Gray{70})
			style.XAlign = text.XCenter
			c.FillText(style, vg.Point{X: left + numberRoom/2, Y: y + 0.5}, fmt.Sprint(row))
		}
		first, last := tableRow{isWeight, 0}, tableRow{isWeight, int32(rows - 1)}
		border(c, rectangle(left, last.at(c)-height/2, first.right(c), first.at(c)+height/2), draw.LineStyle{Color: color.Gray{70}, Width: thin})
		name.drawFrom(c, vg.Point{X: left, Y: first.at(c) + height/2 + headRoom/2}, titleSize-0.5, black)
	}
	table(false, shownBuckets, rowE, label{{text: "Table "}, {text: "E", isSymbol: true}, {text: fmt.Sprintf(": B = %d rows", shownBuckets)}})
	table(true, shownWeights, rowW, label{{text: "Table "}, {text: "W", isSymbol: true}, {text: fmt.Sprintf(": P = %d rows", shownWeights)}})
}

// drawBeliefs draws cells with a bell each, on stripes of the fills, the first on top. If the row is not whole, dots in the
// last cell but one stand for the cells left out.
func drawBeliefs(c draw.Canvas, r vg.Rectangle, fills []color.Color, whole bool) {
	size := r.Size()
	for i, fill := range fills {
		stripe := size.Y / vg.Length(len(fills))
		fillBox(c, fill, r.Min.X, r.Max.Y-stripe*vg.Length(i+1), r.Max.X, r.Max.Y-stripe*vg.Length(i))
	}
	cells := int(math.Round(float64(size.X / cellWidth)))
	for i := range cells {
		at := r.Min.X + cellWidth*vg.Length(i)
		if !whole && i == cells-2 {
			ellipsis(c, vg.Point{X: at + cellWidth/2, Y: r.Min.Y + size.Y/2})
			continue
		}
		bell(c, rectangle(at+1.5, r.Min.Y+1, at+cellWidth-1.5, r.Max.Y-1.5), color.Gray{110})
	}
	border(c, r, draw.LineStyle{Color: color.Gray{170}, Width: thin})
}

// drawWay draws an item's way through one row, and the hash function that chooses the row.
func (e encoder) drawWay(c draw.Canvas, w way) {
	item := e[w.item]
	line := inkOf(item.color)
	y := w.row.at(c) - fanIn*(vg.Length(w.lane)-vg.Length(w.of-1)/2)
	arrow(c, w.from, 0, vg.Point{X: c.Min.X + tableAt, Y: y}, 0, line)
	centre := vg.Point{X: c.Min.X + assemblyAt, Y: e.middle(c, w.item)}
	below := fanIn * (vg.Length(w.rank) - shownHashes/2.0) // the centre
	rim := vg.Length(math.Sqrt(float64(assemblyRadius*assemblyRadius - below*below)))
	end := vg.Point{X: centre.X - rim, Y: centre.Y - below}
	leaves := tableRow{}.right(c) // beyond E, which is wider than W
	if w.row.isWeight {
		c.StrokeLine2(line, w.row.right(c), y, leaves, y)
	}
	arrow(c, vg.Point{X: leaves, Y: y}, 0, end, 4*float64(below), line)
}

// draw draws the name of the item, its hash functions, its assembly and its embedding.
func (item hashedItem) draw(c draw.Canvas, middle vg.Length) {
	line := inkOf(item.color)
	left := c.Min.X
	box(c, rectangle(left, middle-9, left+itemWidth, middle+9), tint(item.color), line, label{{text: item.name}})
	for k, r := range item.rows() {
		l := symbol("h", fmt.Sprint(k+1))
		if r.isWeight {
			l = symbol("w", "")
		}
		y := middle + chipAbove(k)
		arrow(c, vg.Point{X: left + itemWidth, Y: middle}, 0, vg.Point{X: left + chipAt, Y: y}, 0, line)
		box(c, rectangle(left+chipAt, y-chipHeight/2, left+chipAt+chipWidth, y+chipHeight/2), color.White, line, append(l, span{text: fmt.Sprintf(" = %d", r.row)}))
	}
	embedding := rectangle(left+embeddingAt, middle-rowE/2, left+embeddingAt+4*cellWidth, middle+rowE/2)
	arrow(c, vg.Point{X: left + assemblyAt + assemblyRadius, Y: middle}, 0, vg.Point{X: embedding.Min.X, Y: middle}, 0, line)
	assembly := place{at: vg.Point{X: left + assemblyAt, Y: middle}, radius: assemblyRadius}
	assembly.draw(c, color.White, line, symbol("g", ""))
	drawBeliefs(c, embedding, []color.Color{tint(item.color)}, false)
	border(c, embedding, line)
}
