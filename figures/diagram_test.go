package figures

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// Figure 2 shows the encoder of Adult's spec, and the rows that package hash computes for its items.
func TestFigure2(t *testing.T) {
	adult := filetest.Must(spec.Load("adult-online"))(t)
	e := adult.Model.Encoder
	family := filetest.Must(hash.NewFamily(e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, 0))(t)
	want := numbered(e.NumBuckets, "Table", "E", fmt.Sprintf(": B = %d rows", e.NumBuckets))
	want = append(want, numbered(e.NumWeights, "Table", "W", fmt.Sprintf(": P = %d rows", e.NumWeights))...)
	var last []int32 // rows of the last function
	for _, item := range []string{"education_Bachelors", "education_Some-college", "workclass_Private"} {
		key := e.Hash.Key(item)
		rows := family.Buckets(nil, key)
		last = append(last, rows[len(rows)-1])
		want = append(want, item)
		for k, row := range rows {
			want = append(want, "h", fmt.Sprint(k+1), fmt.Sprintf("= %d", row))
		}
		want = append(want, "w", fmt.Sprintf("= %d", family.WeightRow(key)), "g")
	}
	got := texts(t, Figure2)
	caption := strings.Join(got[:slices.Index(got, "0")], " ")
	filetest.Want(t, got[slices.Index(got, "0"):slices.Index(got, "Item")], want, "the texts of the picture, by the program")
	filetest.WantWords(t, caption, fmt.Sprintf("K = %d hash functions", e.NumHashes),
		fmt.Sprintf("of the %d in a row of E", e.EmbeddingDim),
		fmt.Sprintf("Hash function %d sends all three to row %d;", e.NumHashes, last[0]))
	filetest.Want(t, len(slices.Compact(last)), 1, "rows to which the last function sends the items")
}

// numbered returns the numbers of a table's rows, and then its name.
func numbered(rows int, name ...string) (texts []string) {
	for row := range rows {
		texts = append(texts, fmt.Sprint(row))
	}
	return append(texts, name...)
}

// Figure 4 shows states z, counts y, the network's states r, and what is given at each event.
func TestFigure4(t *testing.T) {
	got := texts(t, Figure4)
	for _, want := range []string{"(a) How counts come about", "(b) How states are inferred", "i−1", "i", "E", "z", "y", "r", "x", "h",
		"Δ"} {
		filetest.True(t, slices.Contains(got, want), "the picture lacks %q", want)
	}
}

// texts returns the texts of an SVG in the order in which they are drawn.
func texts(t *testing.T, svg string) (all []string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return all
		}
		filetest.Check(t, err)
		if text, ok := token.(xml.CharData); ok && len(strings.TrimSpace(string(text))) > 0 {
			all = append(all, strings.TrimSpace(string(text)))
		}
	}
}
