package driver_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gophe/phe/count"
	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// hostile is a model whose parts a test changes. It writes them with right checksums.
type hostile struct {
	state  any    // of the feed, as JSON
	header any    // of the beliefs, as JSON: configuration and lengths of the parts
	data   []byte // the parts
}

const beliefFormat = "gophe belief 2\n"

// takeApart returns a payload as hostile.
func takeApart(tb testing.TB, payload []byte) (h hostile) {
	tb.Helper()
	state, rest, _ := bytes.Cut(payload, []byte("\n"))
	end := bytes.Index(rest, []byte(beliefFormat))
	waiting := bytes.ReplaceAll(bytes.TrimSpace(rest[:end]), []byte("\n"), []byte(",")) // records
	rest, found := bytes.CutPrefix(rest[end:], []byte(beliefFormat))
	filetest.True(tb, found, "the format of beliefs is another one now")
	size := binary.LittleEndian.Uint64(rest)
	h.data = rest[8+size : len(rest)-sha256.Size]
	header := bytes.Replace(rest[8:8+size], []byte(`"queue":null`), fmt.Appendf(nil, `"queue":[%s]`, waiting), 1) // as older programs
	for _, part := range []struct {
		b  []byte
		to *any
	}{{state, &h.state}, {header, &h.header}} {
		d := json.NewDecoder(bytes.NewReader(part.b))
		d.UseNumber()
		filetest.Check(tb, d.Decode(part.to))
	}
	return h
}

// payload returns the model with right checksums.
func (h hostile) payload(tb testing.TB) []byte {
	tb.Helper()
	state, header := filetest.Must(json.Marshal(h.state))(tb), filetest.Must(json.Marshal(h.header))(tb)
	b := append([]byte(beliefFormat), binary.LittleEndian.AppendUint64(nil, uint64(len(header)))...)
	b = append(append(b, header...), h.data...)
	sum := sha256.Sum256(b)
	return append(append(append(state, '\n'), b...), sum[:]...)
}

// node is a value in JSON that can be replaced.
type node struct {
	value any
	set   func(any)
}

// nodes lists the values in a tree, parents first.
func nodes(list []node, value any, set func(any)) []node {
	list = append(list, node{value, set})
	switch v := value.(type) {
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			list = nodes(list, v[name], func(x any) { v[name] = x })
		}
	case []any:
		for i := range v {
			list = nodes(list, v[i], func(x any) { v[i] = x })
			if i == 3 && len(v) > 16 { // bins of a curve and rows of a score are alike
				break
			}
		}
	}
	return list
}

var (
	hostileNumbers = strings.Fields(`0 1 -1 2 3 7 16 19 20 21 50 51 63 64 65 500 501 4096 16384 16385 1048576 2147483647 2147483648
		4294967296 1099511627776 4611686018427387904 9223372036854775807 -9223372036854775808 0.5 1e-300 1e30 1e300 -1e300 1e308`)
	hostileWords = append([]string{"", "a", "b", "\xff"}, strings.Fields(`category number both time target dropped weight classes count
		softmax gaussian poisson bernoulli log2 sqrt = >= float32 float64 uint16 uint32 auto fm pairs none mackay signed-sum weighted-sum
		mean unix hour weekday 2006-01-02`)...)
)

// mutate changes the model as a program says: six bytes for each change.
func (h *hostile) mutate(program []byte) {
	for ; len(program) >= 6; program = program[6:] {
		all := nodes(nil, h.header, func(x any) { h.header = x })
		if program[0]%8 == 1 {
			all = nodes(nil, h.state, func(x any) { h.state = x })
		}
		first, by := (int(program[1])<<8|int(program[2]))%len(all), int(program[4])<<8|int(program[5])
		at := all[first]
		if program[0] < 240 { // otherwise a value may become one of another type
			for _, n := range slices.Concat(all[first:], all[:first]) {
				if suits(program[3]%9, n.value) {
					at = n
					break
				}
			}
		}
		switch program[3] % 9 {
		case 0, 1:
			at.set(json.Number(hostileNumbers[by%len(hostileNumbers)]))
		case 2: // a number and its equals, such as the buckets of a table and the length of its part
			to := json.Number(hostileNumbers[by%len(hostileNumbers)])
			for _, n := range all {
				if was, ok := n.value.(json.Number); ok && was == at.value {
					n.set(to)
				}
			}
		case 3:
			at.set(hostileWords[by%len(hostileWords)])
		case 4:
			at.set(nil)
		case 5:
			if copies, ok := copied(all[by%len(all)].value, 1); ok {
				at.set(copies[0])
			}
		case 6:
			if list, ok := at.value.([]any); ok && len(list) > 0 {
				at.set(list[:by%len(list)])
			}
		case 7:
			if list, ok := at.value.([]any); ok && len(list) > 0 {
				if more, ok := copied(list[0], by%600); ok {
					at.set(append(slices.Clone(list), more...))
				}
			}
		case 8:
			h.mutateData(by, program[1], program[2])
		}
	}
}

// suits tells whether a change is meant for values of this type.
func suits(change byte, value any) (ok bool) {
	switch change {
	case 0, 1, 2:
		_, ok = value.(json.Number)
	case 3:
		_, ok = value.(string)
	case 6, 7:
		_, ok = value.([]any)
	default:
		ok = true
	}
	return ok
}

// copied returns deep copies of a value, unless they are large: a tree that holds itself would have no end.
func copied(value any, n int) (list []any, ok bool) {
	b, err := json.Marshal(value)
	if err != nil || n*len(b) > 1<<18 {
		return nil, false
	}
	for range n {
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		var one any
		if d.Decode(&one) != nil {
			return nil, false
		}
		list = append(list, one)
	}
	return list, true
}

// mutateData changes the bytes of the parts, or fits their number to the lengths of the header.
func (h *hostile) mutateData(by int, what, value byte) {
	switch at := len(h.data) * by >> 16; what % 4 {
	case 0:
		h.data = h.data[:at]
	case 1:
		h.data = append(slices.Clone(h.data), make([]byte, 8*by)...)
	case 2:
		h.data = slices.Clone(h.data)
		for i := at; i < min(at+int(value), len(h.data)); i++ {
			h.data[i] = [...]byte{0, 0xff, 0x7e, value}[value%4]
		}
	case 3:
		var header struct {
			Parts []struct {
				Dim, Len int
				Type     string
			}
		}
		b, _ := json.Marshal(h.header)
		_ = json.Unmarshal(b, &header) // what cannot be read is 0
		size := 0
		for _, p := range header.Parts {
			width, _ := strconv.Atoi(strings.TrimLeft(p.Type, "floatuin"))
			size += min(max(p.Len, 0), 8<<20) * width / 8 * (1 + min(max(p.Dim, 0), 1))
		}
		if size = min(size, 32<<20); size > len(h.data) {
			h.data = append(slices.Clone(h.data), make([]byte, size-len(h.data))...)
		}
		h.data = h.data[:size]
	}
}

// hostileBases returns well-formed models of all kinds of targets.
func hostileBases(tb testing.TB) (bases [][]byte) {
	two := []schema.Column{{Name: "x", Kind: schema.Category, Separator: "|"}, {Name: "same", Kind: schema.Category, Same: "x"},
		{Name: "z", Kind: schema.Number, Edges: []float64{1, 2}},
		{Name: "at", Kind: schema.Time, Layout: "unix", Derived: []string{"hour", "weekday"}},
		{Name: "w", Kind: schema.Weight}, {Name: "y", Kind: schema.Label}}
	for i, t := range []schema.Target{{Kind: schema.Classes, Classes: []string{"0", "1"}},
		{Kind: schema.Classes, Classes: []string{"0", "1", schema.Other}, Weights: map[string]float64{"1": 3}},
		{Kind: schema.Amount}, {Kind: schema.Amount}, {Kind: schema.Count}} {
		t.Column = "y"
		o := stream.Options{Memory: 64 << 10, Waiting: 4}
		if i == 1 {
			o.Interactions = "fm"
		}
		l := filetest.Must(stream.New(schema.Schema{Target: t, Columns: two}, o))(tb)
		for n := range []int{30, 30, 30, 10, 30}[i] {
			r := schema.Record{fmt.Sprint(n%3, "|b"), fmt.Sprint(n % 4), fmt.Sprint(n % 7), fmt.Sprint(n << 12), "1", fmt.Sprint(n % 3)}
			if t.Kind == schema.Classes {
				r[5] = fmt.Sprint(n % 2)
			}
			filetest.Check(tb, l.Learn(r))
		}
		filetest.Must(l.Ask("a", schema.Record{"1", "2", "3", "4", "1", ""}))(tb)
		var b bytes.Buffer
		filetest.Check(tb, l.Write(&b, driver.State{Past: source.Past{Rows: 30, Earlier: []source.Input{{Name: "x"}}}}))
		bases = append(bases, b.Bytes())
	}
	return bases
}

// use does with a model what programs do.
func use(l *stream.Learner) {
	r := make(schema.Record, len(l.Schema.Columns))
	_, _ = l.Predict(r)
	for i := range r {
		r[i] = "1"
	}
	_, _ = l.Predict(r)
	_ = l.Distribution(r, func(d count.Distribution) { _ = d.Quantile(0.5) })
	_, _ = l.Ask("b", r)
	for range 25 { // more than the scale of a number waits for
		_, _, _ = l.Step(r)
	}
	_, _ = l.Label("a", "1"), l.Label("b", "1")
	_ = l.Report().String()
	_, _ = json.Marshal(l.Moment())
	_, _ = json.Marshal(l.Inspect())
	_ = l.Write(io.Discard)
}

const hostileMemory = 512 << 20

// A model that is well-formed and hostile is refused, or works. It never panics or hangs, nor takes more memory than its limit.
func FuzzHostileModel(f *testing.F) {
	bases := hostileBases(f)
	f.Add(uint8(0), []byte{})
	for i := range bases {
		programs := []string{"\x00\x00\x05\x02\x00\x16", "\x00\x00\x40\x07\x01\x00", "\x00\x03\x00\x08\x40\x00",
			"\x01\x00\x02\x00\x00\x1b", "\x00\x00\x20\x05\x00\x30"}
		if !filetest.Long() {
			programs = programs[i%3 : i%3+2]
		}
		for k, program := range programs {
			f.Add(uint8(i), []byte(program+string([]byte{0, 0, byte(17*k + i), byte(k), 0, byte(i)})))
		}
	}
	f.Fuzz(func(t *testing.T, base uint8, program []byte) { try(t, bases, base, program) })
}

// try changes a model by a program, and loads and uses it.
func try(t *testing.T, bases [][]byte, base uint8, program []byte) {
	t.Helper()
	h := takeApart(t, bases[int(base)%len(bases)])
	h.mutate(program[:min(len(program), 60)])
	payload := h.payload(t)
	watch := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("model %d, %x keeps the program busy", base, program)) })
	defer watch.Stop()
	took := filetest.Allocated(func() {
		l, _, err := driver.Load(checkpoint.Loaded{Payload: payload})
		if err == nil {
			use(l)
		}
		filetest.True(t, err == nil || len(program) > 0, "model %d as it is: %v", base, err)
	})
	filetest.True(t, took <= hostileMemory, "model %d, %x of %d bytes takes %d MB", base, program, len(payload), took>>20)
}

// The long form tries random programs too. Without the fuzzer's marks they run ten times as fast.
func TestHostileModels(t *testing.T) {
	if !filetest.Long() {
		t.Skip("takes a minute or two")
	}
	bases, rng := hostileBases(t), rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		program := make([]byte, 6*(1+rng.IntN(5)))
		for i := range program {
			program[i] = byte(rng.Uint32())
		}
		base := uint8(rng.Uint32())
		if !t.Run(fmt.Sprintf("%d %x", base, program), func(t *testing.T) { try(t, bases, base, program) }) {
			return
		}
	}
}

// The sizes that a model names are compared with its file before memory is taken for them. The short form tries every tenth.
func TestHostileSizes(t *testing.T) {
	tried := 0
	for i, base := range hostileBases(t) {
		h := takeApart(t, base)
		for _, n := range nodes(nil, h.header, nil) {
			object, ok := n.value.(map[string]any)
			if !ok {
				continue
			}
			for _, name := range []string{"buckets", "evidence", "latent_rows", "latents", "columns", "slots", "contexts", "len"} {
				was, ok := object[name].(json.Number)
				for _, size := range []string{"1099511627776", "268435456", "9223372036854775807", "-1"} {
					if tried++; !ok || tried%17 > 0 && !filetest.Long() {
						continue
					}
					object[name] = json.Number(size)
					payload := h.payload(t)
					object[name] = was
					took := filetest.Allocated(func() {
						_, err := stream.Read(payload[bytes.IndexByte(payload, '\n')+1:])
						filetest.True(t, err != nil, "model %d, %s %s: no error", i, name, size)
					})
					filetest.True(t, took <= 16<<20, "model %d, %s %s: %d MB", i, name, size, took>>20)
				}
			}
		}
	}
}

// Numbers from which the arithmetic of a learner cannot go on are refused. Each of these was a panic.
func TestHostileNumbers(t *testing.T) {
	bases := hostileBases(t)
	for _, test := range []struct {
		base        int
		path, value string
	}{
		{0, "scale.center", "2"}, {0, "waiting.queue.0.forecasts.exact.classes", "[]"}, {0, "design.exact.learner.hashes", "2"},
		{0, "design.experts.0.learner.numbers", "1"}, {0, "design.experts.1.learner.pull", `"mackay"`},
		{1, "scale.spread", "0.1"}, {1, "design.experts.0.learner.outputs", "2"}, {1, "schema.target.weights.1", "1e308"},
		{2, "design.experts.0.learner.head", `"bernoulli"`}, {3, "scale.first.0.weight", "-1e300"},
		{4, "design.experts.0.counts", "null"}, {4, "design.experts.0.counts.contexts", "4611686018427387904"},
	} {
		h := takeApart(t, bases[test.base])
		names := append([]string{"config"}, strings.Split(test.path, ".")...)
		at := h.header
		for i, name := range names {
			if list, ok := at.([]any); ok {
				at = list[filetest.Must(strconv.Atoi(name))(t)]
				continue
			}
			object := at.(map[string]any)
			if i == len(names)-1 {
				mayLack := test.base == 1 || name == "numbers" || name == "center"
				filetest.True(t, object[name] != nil || mayLack, "no %s", test.path)
				object[name] = json.RawMessage(test.value)
			}
			at = object[name]
		}
		l, _, err := driver.Load(checkpoint.Loaded{Payload: h.payload(t)})
		if err == nil {
			use(l)
			t.Errorf("%s = %s was taken", test.path, test.value)
		}
	}
}

// A model that an older program has spoilt names the generation before it. If that is spoilt too, the rows must be learned again.
func TestSpoiltModel(t *testing.T) {
	good := hostileBases(t)[0]
	h := takeApart(t, slices.Clone(good))
	codes := h.header.(map[string]any)["parts"].([]any)[0].(map[string]any)["len"].(json.Number)
	first := 2 * filetest.Must(codes.Int64())(t) // after table E: each of its codes of two bytes is a belief
	binary.LittleEndian.PutUint64(h.data[first:], math.Float64bits(math.NaN()))
	path, spoilt := filepath.Join(filetest.Folder(t), "m.phe"), h.payload(t)
	store := filetest.Must(checkpoint.Open(disk.System, path))(t)
	defer store.Close()
	const again = "learn the rows again under another name"
	for _, c := range []struct {
		payload []byte
		words   []string // of the error, which begins with the fault
	}{{good, nil}, {spoilt, []string{"; rename " + path + ".old, saved ", ", to " + path + " to go on from there, or " + again}}, {spoilt,
		[]string{"; " + again}}} {
		filetest.Check(t, store.Save(func(w io.Writer) error { _, err := w.Write(c.payload); return err }))
		_, _, err := driver.Load(filetest.Must(checkpoint.Peek(path))(t))
		if c.words == nil {
			filetest.Check(t, err)
			continue
		}
		filetest.WantError(t, err, append(c.words, "theta holds mean NaN", "remedy: other model")...)
	}
}
