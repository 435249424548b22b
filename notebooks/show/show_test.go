package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/data/files"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec"
	"gophe/figures"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

func TestFirst(t *testing.T) {
	df := dataframe.New(series.New([]int{5, 6, 7}, series.Int, "n"))
	if got := First(2, df); got.Nrow() != 2 || got.Elem(1, 0).String() != "6" {
		t.Errorf("the first two of three rows are %v", got)
	}
	if got := First(9, df).Nrow(); got != 3 {
		t.Errorf("the first nine of three rows are %d", got)
	}
}

// The quick size is smaller than the paper's, and has a name of its own.
func TestSizes(t *testing.T) {
	for value, name := range map[string]string{"": "adult-online-quick", "quick": "adult-online-quick", "full": "adult-online"} {
		t.Setenv(sizeVariable, value)
		spec := Spec("adult-online", func(s *spec.Spec) { s.Protocol.MaxChunks = 100 })
		if spec.Name != name || (spec.Protocol.MaxChunks == 100) == Full() {
			t.Errorf("%q: %s has %d chunks at most", value, spec.Name, spec.Protocol.MaxChunks)
		}
	}
	filetest.WantError(t, filetest.Failure(isFull("fast")), "quick or full")
}

// A later cell finds the value that an earlier cell kept.
func TestKeep(t *testing.T) {
	t.Setenv("GONB_DIR", filepath.Join(t.TempDir(), "notebooks"))
	want := map[string][]float64{"a": {1, 2}, "b": nil}
	Keep("trace", want)
	if got := Kept[map[string][]float64]("trace"); !reflect.DeepEqual(got, want) {
		t.Errorf("kept %v, got %v", want, got)
	}
}

// One experiment runs on each backend that opens. The others have a row that says so.
func TestOnEachBackend(t *testing.T) {
	root := filetest.Must(filepath.Abs("../.."))(t)
	t.Setenv(files.PathVariable, filepath.Join(root, "data", "uci"))
	t.Setenv("GONB_DIR", filepath.Join(t.TempDir(), "notebooks"))
	t.Setenv("GOPHE_CACHE", t.TempDir()) // no plugin
	t.Setenv("GOPHE_CUDA_PLUGIN", "")
	s := filetest.Must(spec.Load("mushroom-by-group"))(t)
	s.Protocol.InitialEpochs, s.Protocol.MaxChunks, s.Methods, s.Seeds = 1, 2, s.Methods[:1], s.Seeds[:2]
	rows := OnEachBackend(s).Records()[1:]
	if len(rows) != 3 || rows[0][0] != backend.Go || strings.Contains(rows[0][3], "not") || rows[1][3] != "not on this "+
		"machine" || rows[2][3] != rows[1][3] {
		t.Errorf("the rows are %q", rows)
	}
	if found, _ := os.ReadDir(Results()); len(found) == 0 {
		t.Error("nothing was left in", Results())
	}
}

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

// A table has the types of its cells, escapes texts, and shows its first forty rows.
func TestTable(t *testing.T) {
	l := NewRows("item", "rows", "mean")
	l.Add("<NA>", 3, 0.125)
	l.Add("a & b", 1200, math.NaN())
	page := table(l.Frame())
	fixture.WantText(t, page, "<th>item</th><th>rows</th><th>mean</th>", `left">&lt;NA&gt;<`, `left">a &amp; b<`, `right">3<`,
		`right">0.1250<`, `right">1200<`, `right">–<`)
	long := table(dataframe.New(series.New(make([]int, maxRows+1), series.Int, "n")))
	fixture.WantText(t, long, "41 rows, of which the first 40 are shown")
	if rows := strings.Count(long, "<tr>") - 1; rows != maxRows || strings.Contains(page, "are shown") {
		t.Errorf("%d rows, want %d; a table of two rows ends %s", rows, maxRows, page)
	}
}
