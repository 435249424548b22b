package ncf_test

import (
	"runtime"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"
)

// watched returns the recommender's network. It notes the shapes of all that its programs read, each time that one is built.
func watched(m *ncf.Model, programs *[][]string) learn.Network {
	n := m.Network
	outputs := n.Outputs
	n.Outputs = func(p learn.Pass) learn.Outputs {
		var shapes []string
		g := p.Index.Graph()
		for i := range g.NumParameters() {
			shapes = append(shapes, g.GetParameterByHandle(graph.ParameterHandle(i)).Shape().String())
		}
		*programs = append(*programs, shapes)
		return outputs(p)
	}
	return n
}

// What an update and a prediction cost depends on their ratings and not on the tables: with ten thousand rows and with a million,
// their programs read arrays of the same shapes, they are built as often, and the host allocates as much.
func TestCostDoesNotDependOnTables(t *testing.T) {
	d := toyData()
	var programs [2][][]string
	var allocated [2]uint64
	sizes := []int{10009, 1000003}
	for i, size := range sizes {
		c := methods[0].config()
		c.Encoder.NumBuckets, c.Encoder.NumWeights = size, size
		m := filetest.Must(ncf.New(c))(t)
		l := filetest.Must(learn.New(watched(m, &programs[i]), c.Config, learn.Options{Backend: nettest.Backend(t)}))(t)
		defer l.Close()
		led := nettest.Led{Learner: l}
		led.All = filetest.Must(m.Batch(d))(t)
		filetest.Check(t, l.Restore(blank(c, size))) // at less cost than a draw
		days := [][]int32{rowsOf(0, 40), rowsOf(30, 80), rowsOf(5, 45)}
		for k, day := range days {
			if k == 1 {
				allocated[i] = totalAllocated() // the first day has compiled
			}
			led.Predict(t, day, 0)
			filetest.Check(t, led.Update(day, 2))
		}
		allocated[i] = totalAllocated() - allocated[i]
		if n := len(programs[i]); n == 0 || n > 4 {
			t.Errorf("the programs of %d rows were built %d times for days of one size", size, n)
		}
	}
	filetest.Want(t, programs[0], programs[1], "programs of tables of %d rows, and of %d", sizes[0], sizes[1])
	t.Logf("the host allocates %d and %d bytes for two days", allocated[0], allocated[1])
	// A copy of the smallest table, of means of W, takes eight million bytes.
	filetest.True(t, allocated[1] <= allocated[0]+1<<20,
		"with tables of %d rows the host allocates %d bytes for two days, and with %d rows %d", sizes[0], allocated[0], sizes[1], allocated[1])
}

// blank is a state of tables of zeros, so that every σ is 1, and of θ in its order.
func blank(c ncf.Config, size int) (s learn.Snapshot) {
	dim, hashes := c.Encoder.EmbeddingDim, c.Encoder.NumHashes
	for _, n := range []int{size * dim, size * dim, size * hashes, size * hashes, 2 * dim * c.Hidden, dim * c.Hidden, c.Hidden, c.Hidden, 1, len(c.Labels) * c.Hidden} {
		s.Parameters = append(s.Parameters, make([]float32, n))
	}
	return
}

func totalAllocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
