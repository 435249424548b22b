package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"gophe/experiments/result"
	"gophe/figures"
	"gophe/phe/disk/filetest"
)

// A picture of a notebook becomes less than half as large, and its eye sees no difference: the colours move by little.
func TestCompact(t *testing.T) {
	f := filetest.Must(result.Read("../../experiments/out/two-items.json"))(t)
	fig := filetest.Must(figures.Figure5(f))(t)
	content := filetest.Must(fig.PNG(dpi))(t)
	small := filetest.Must(compact(content))(t)
	if 2*len(small) > len(content) {
		t.Errorf("%d bytes became %d", len(content), len(small))
	}
	before, after := decode(t, content), decode(t, small)
	if before.Bounds() != after.Bounds() {
		t.Fatalf("%v became %v", before.Bounds(), after.Bounds())
	}
	sum, n := 0.0, 0.0
	for y := range before.Bounds().Dy() {
		for x := range before.Bounds().Dx() {
			a, b := color.RGBAModel.Convert(before.At(x, y)).(color.RGBA), color.RGBAModel.Convert(after.At(x, y)).(color.RGBA)
			for _, d := range []float64{float64(a.R) - float64(b.R), float64(a.G) - float64(b.G), float64(a.B) - float64(b.B)} {
				sum, n = sum+d*d, n+1
			}
		}
	}
	if rms := math.Sqrt(sum / n); rms > 2 { // of 255
		t.Errorf("colours move by %.2f of 255", rms)
	}
	if again, err := compact(small); err != nil || len(again) > len(small) {
		t.Errorf("%d bytes became %d, %v", len(small), len(again), err)
	}
	if _, err := compact([]byte("text")); err == nil {
		t.Error("text is a picture")
	}
}

func decode(t *testing.T, content []byte) image.Image {
	t.Helper()
	return filetest.Must(png.Decode(bytes.NewReader(content)))(t)
}
