package cell

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"gophe/data/files"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/figures"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// The quick size is smaller than the paper's, and has a name of its own.
func TestSizes(t *testing.T) {
	for value, name := range map[string]string{"": "adult-online-quick", "quick": "adult-online-quick", "full": "adult-online"} {
		t.Setenv(sizeVariable, value)
		spec := Spec("adult-online", func(s *spec.Spec) { s.Protocol.MaxChunks = 100 })
		filetest.Want(t, spec.Name, name, "the name at size %q", value)
		filetest.Want(t, spec.Protocol.MaxChunks == 100, !Full(), "%q: the chunks are limited", value)
	}
	filetest.WantError(t, filetest.Failure(isFull("fast")), "quick or full")
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
	filetest.Want(t, len(rows), 3, "rows")
	filetest.Want(t, rows[0][0], backend.Go, "the first backend")
	filetest.WantNone(t, rows[0][3], "not")
	filetest.Want(t, []string{rows[1][3], rows[2][3]}, []string{"not on this machine", "not on this machine"}, "the other backends")
	filetest.True(t, len(filetest.Must(os.ReadDir(Results()))(t)) > 0, "nothing was left in %s", Results())
}

// Two models share a step's time.
func TestSideBySide(t *testing.T) {
	t.Setenv(files.PathVariable, filetest.Must(filepath.Abs("../../data/uci"))(t))
	t.Setenv(backend.Variable, backend.Go)
	table := SideBySide(1, 2)
	step, share := table.Col("a step of all, ms").Float(), table.Col("a model's share, ms").Float()
	filetest.True(t, share[0] == step[0] && 2*share[1] == step[1] && table.Col("stream, rows a second").Min() > 0, "%v", table)
}

// A picture of a notebook becomes less than half as large, and its eye sees no difference: the colours move by little.
func TestCompact(t *testing.T) {
	f := filetest.Must(result.Read("../../experiments/out/two-items.json"))(t)
	fig := filetest.Must(figures.Figure5(f))(t)
	content := filetest.Must(fig.PNG(dpi))(t)
	small := filetest.Must(compact(content))(t)
	filetest.True(t, 2*len(small) <= len(content), "%d bytes became %d", len(content), len(small))
	before, after := decode(t, content), decode(t, small)
	filetest.Want(t, after.Bounds(), before.Bounds(), "the size")
	sum, n := 0.0, 0.0
	for y := range before.Bounds().Dy() {
		for x := range before.Bounds().Dx() {
			a, b := color.RGBAModel.Convert(before.At(x, y)).(color.RGBA), color.RGBAModel.Convert(after.At(x, y)).(color.RGBA)
			for _, d := range []float64{float64(a.R) - float64(b.R), float64(a.G) - float64(b.G), float64(a.B) - float64(b.B)} {
				sum, n = sum+d*d, n+1
			}
		}
	}
	filetest.Near(t, math.Sqrt(sum/n), 0, 2, "the move of colours, of 255")
	again := filetest.Must(compact(small))(t)
	filetest.True(t, len(again) <= len(small), "%d bytes became %d", len(small), len(again))
	filetest.True(t, filetest.Failure(compact([]byte("text"))) != nil, "text is a picture")
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
	filetest.WantWords(t, page, "<th>item</th><th>rows</th><th>mean</th>", `left">&lt;NA&gt;<`, `left">a &amp; b<`, `right">3<`,
		`right">0.1250<`, `right">1200<`, `right">–<`)
	long := table(dataframe.New(series.New(make([]int, maxRows+1), series.Int, "n")))
	filetest.WantWords(t, long, "41 rows, of which the first 40 are shown")
	filetest.Want(t, strings.Count(long, "<tr>")-1, maxRows, "rows")
	filetest.WantNone(t, page, "are shown")
}
