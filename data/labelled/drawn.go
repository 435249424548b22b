package labelled

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strconv"

	"gophe/data/column"
)

// drawnColumn describes a column of Drawn. A new item comes with the probability of a Pitman–Yor process, so that the vocabulary
// grows for ever, and few items are much more frequent than the others. A column without strength has a fixed number of items.
type drawnColumn struct {
	name               string
	strength, discount float64 // of the Pitman–Yor process
	items              int     // of a column whose items are all equally frequent
	effect             float64 // standard deviation of an item's share of the logit
}

// drawnColumns are the columns of Drawn. Their items are drawn independently, so that no column tells another one's item.
var drawnColumns = []drawnColumn{
	{name: "product", strength: 100, discount: 0.4, effect: 1},
	{name: "user", strength: 400, discount: 0.5, effect: 1},
	{name: "hour", items: 24, effect: 0.3},
	{name: "channel", items: 5, effect: 0.3},
}

const (
	drawnRows = 60000
	drawnSeed = 1234
)

// Drawn generates a table of 60,000 rows whose truth is known: the logit of a row is the sum of an effect for each of its items. Users and
// products keep coming, and "product" is incremental. Truth holds the probability from which each label was drawn.
//
// It is always the same table. SHA256 is the checksum of its items and labels.
func Drawn() *Table {
	rng := rand.New(rand.NewPCG(drawnSeed, 0))
	t := &Table{Name: "drawn", Classes: []string{"no", "yes"}, Verified: true}
	t.Labels, t.Truth = make([]int32, drawnRows), make([]float64, drawnRows)
	logits, sum := make([]float64, drawnRows), sha256.New()
	for _, c := range drawnColumns {
		items := c.draw(rng)
		var effects []float64
		values := make([]string, drawnRows)
		for row, item := range items {
			for int(item) >= len(effects) {
				effects = append(effects, c.effect*rng.NormFloat64())
			}
			logits[row] += effects[item]
			values[row] = strconv.Itoa(int(item))
		}
		t.Categorical = append(t.Categorical, column.Categorical{Name: c.name, Values: values})
		_ = binary.Write(sum, binary.LittleEndian, items) // a hash takes all bytes
	}
	for row, logit := range logits {
		t.Truth[row] = 1 / (1 + math.Exp(-logit))
		if rng.Float64() < t.Truth[row] {
			t.Labels[row] = 1
		}
	}
	_ = binary.Write(sum, binary.LittleEndian, t.Labels)
	t.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return t
}

// draw returns the item of each row, numbered in the order of arrival.
func (c drawnColumn) draw(rng *rand.Rand) []int32 {
	rows := make([]int32, drawnRows)
	var counts []float64
	for row := range rows {
		if c.items > 0 {
			rows[row] = rng.Int32N(int32(c.items))
			continue
		}
		if rng.Float64()*(float64(row)+c.strength) < c.strength+c.discount*float64(len(counts)) {
			rows[row] = int32(len(counts))
			counts = append(counts, 1)
			continue
		}
		for { // an earlier row's item, in proportion to its count less the discount
			item := rows[rng.IntN(row)]
			if rng.Float64()*counts[item] < counts[item]-c.discount {
				rows[row] = item
				counts[item]++
				break
			}
		}
	}
	return rows
}
