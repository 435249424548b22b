package figures

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/phe/hash"
)

// The diagram shows the encoder of Table 1's row Adult.
func TestFigure2ShowsTheEncoderOfAdult(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "experiments", "specs", "adult-online.json"))
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Model struct {
			Encoder struct {
				Buckets int          `json:"num_buckets"`
				Hashes  int          `json:"num_hashes"`
				Weights int          `json:"num_weights"`
				Dim     int          `json:"embedding_dim"`
				Hash    hash.Variant `json:"hash"`
			} `json:"encoder"`
		} `json:"model"`
	}
	if err := json.Unmarshal(content, &spec); err != nil {
		t.Fatal(err)
	}
	e := spec.Model.Encoder
	if e.Buckets != shownBuckets || e.Hashes != shownHashes || e.Weights != shownWeights || e.Dim != shownDim || e.Hash != hash.Authors {
		t.Errorf("the spec has %+v", e)
	}
}

// The diagram shows the rows of package hash, and the collisions that its caption names. The test of package hash checks the
// rows against Python's integers and the authors' constants.
func TestFigure2(t *testing.T) {
	fig, err := Figure2()
	if err != nil {
		t.Fatal(err)
	}
	e := fig.content.(encoder)
	for i, want := range []hashedItem{
		{name: "education_Bachelors", buckets: []int32{0, 4, 1}, weightRow: 0},
		{name: "education_Some-college", buckets: []int32{2, 5, 1}, weightRow: 5},
		{name: "workclass_Private", buckets: []int32{5, 6, 1}, weightRow: 4},
	} {
		if got := e[i]; got.name != want.name || !slices.Equal(got.buckets, want.buckets) || got.weightRow != want.weightRow {
			t.Errorf("item %d is %+v, want %+v", i, got, want)
		}
		if width := (label{{text: e[i].name}}).width(labelSize); width > itemWidth-4 {
			t.Errorf("%s is %.0f points wide; its box has %.0f", e[i].name, width, itemWidth)
		}
	}
	for k := range shownHashes - 1 {
		if e[0].buckets[k] == e[1].buckets[k] || e[1].buckets[k] == e[2].buckets[k] || e[0].buckets[k] == e[2].buckets[k] {
			t.Errorf("function %d does not tell the items apart", k+1)
		}
	}
	if !strings.Contains(fig.Caption, "Hash function 3 sends all three to row 1;") {
		t.Errorf("caption: %s", fig.Caption)
	}
	checkDiagram(t, fig, ">education_Some-college<", ">Assembly<", ">= 4<")
}

func TestFigure4(t *testing.T) {
	checkDiagram(t, Figure4(), ">(a) How counts come about<", ">(b) How states are inferred<", ">i−1<", ">Δ<", "font-style:italic")
}

// checkDiagram saves the figure and looks for texts in the SVG.
func checkDiagram(t *testing.T, fig *Figure, texts ...string) {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"diagram.png", "diagram.svg"} {
		if err := fig.Save(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	svg, err := os.ReadFile(filepath.Join(folder, "diagram.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range texts {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the SVG lacks %q", want)
		}
	}
}
