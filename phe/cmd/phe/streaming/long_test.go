package streaming

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/usage"
)

// Memory and processor time per row do not grow over 20 million rows, half of which bring a user who never came before. What lives is
// compared with no rows on their way. Resident memory has the program's pages too, which come in with their first use.
func TestTwentyMillionRows(t *testing.T) {
	if os.Getenv("GOPHE_TEST") != "long" {
		t.Skip("two minutes of one processor; GOPHE_TEST=long runs it")
	}
	const rows, samples = 20_000_000, 100
	out := stdin(t)
	learned := make(chan string, 1)
	go func() {
		text, _, err := phe(t, "stream", "-", "--target", "bought", "--model", filepath.Join(t.TempDir(), "long.phe"))
		learned <- fmt.Sprint(text, err)
	}()
	var resident, live [10]float64 // means and least over the tenths
	var heap runtime.MemStats
	var took [10]time.Duration
	began := usage.ProcessorTime()
	users := &shoppers{out: bufio.NewWriterSize(out, 1<<16), rng: rand.New(rand.NewPCG(1, 2))}
	users.out.WriteString("user,product,shop,hour,bought\n")
	for i := range samples {
		users.visit(rows / samples)
		tenth := i * len(resident) / samples
		for range 20 { // meanwhile the learner comes to the end of the pipe
			runtime.GC()
			runtime.ReadMemStats(&heap)
			live[tenth] = min(cmp.Or(live[tenth], math.Inf(1)), float64(heap.HeapAlloc))
		}
		resident[tenth] += usage.Resident() * float64(len(resident)) / samples
		took[tenth] = usage.ProcessorTime() - began
	}
	filetest.Check(t, users.out.Flush())
	filetest.Check(t, out.Close())
	t.Log(<-learned)
	for tenth := range resident {
		if tenth > 0 {
			t.Logf("tenth %d: %.1f MB resident, %.2f MB live, %.2f µs of processor time a row, the making of the row included", tenth+1,
				resident[tenth]/1e6, live[tenth]/1e6, (took[tenth]-took[tenth-1]).Seconds()*1e6/(rows/10))
		}
	}
	last := len(resident) - 1
	filetest.Near(t, live[last]/live[0], 1, 0.02, "live memory of the last tenth, by the first")
	filetest.Near(t, resident[last]/resident[0], 1, 0.05, "resident memory of the last tenth, by the first")
	first, end := took[0], took[last]-took[last-1]
	filetest.True(t, end.Seconds() <= 1.1*first.Seconds(), "the first tenth took %v of processor time, and the last %v", first, end)
}

// shoppers writes visits of users to a pipe. Every second user is new.
type shoppers struct {
	out   *bufio.Writer
	rng   *rand.Rand
	users uint64
	line  []byte
}

func (s *shoppers) visit(n int) {
	for range n {
		user := s.users
		if s.rng.Uint64()%2 == 0 || user == 0 {
			s.users++
		} else {
			user = s.rng.Uint64N(user)
		}
		product, shop, hour := uint64(5000*s.rng.ExpFloat64()), s.rng.Uint64N(200), s.rng.Uint64N(24)
		s.line = s.line[:0] // so that the test itself allocates nothing
		for i, v := range []uint64{user, product, shop, hour} {
			s.line = append(strconv.AppendUint(append(s.line, "upsh"[i]), v, 10), ',')
		}
		if 2*effect(user)+2*effect(product<<32)+2*effect(shop<<48) > 1.5*s.rng.NormFloat64()+0.5 {
			s.line = append(s.line, "yes\n"...)
		} else {
			s.line = append(s.line, "no\n"...)
		}
		_, _ = s.out.Write(s.line) // Flush returns the error
	}
}

// effect is an item's own, from −1 to 1.
func effect(item uint64) float64 {
	item *= 0x9e3779b97f4a7c15
	item = (item ^ item>>29) * 0xbf58476d1ce4e5b9
	return float64(int64(item)) / (1 << 63)
}
