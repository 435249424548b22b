package belief

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/pkg/errors"
)

// Part is access to a table or a list of numbers in its owner's memory. Write and Read go through it number by number, so a large
// table is never copied. A Part of a Header is only the shape, as the file has it.
type Part struct {
	Name string `json:"name"`
	Dim  int    `json:"dim,omitempty"` // numbers in a row of a table; 0 marks a list
	Len  int    `json:"len"`           // number of beliefs in a table, or of numbers in a list
	Type string `json:"type"`          // type of the numbers in a file: float64, float32, uint32, uint16 or uint64

	Get func(i int) (mean, variance float64) `json:"-"` // in a list, the mean is the number
	Set func(i int, mean, variance float64)  `json:"-"`

	whole func(from, to int) any // a part of a list of integers, which are all valid; Write and Read prefer it to Get and Set
}

// Bits returns the part of a list of 64 bits each, such as hashes.
func Bits(name string, list []uint64) Part {
	return Part{Name: name, Len: len(list), Type: "uint64", whole: func(from, to int) any { return list[from:to] }}
}

// List returns the part of a list. A file holds the numbers as memory does.
func List[N uint16 | uint32 | float32 | float64](name string, list []N) Part {
	p := Part{Name: name, Len: len(list), Type: fmt.Sprintf("%T", N(0)),
		Get: func(i int) (float64, float64) { return float64(list[i]), 0 },
		Set: func(i int, v, _ float64) { list[i] = N(v) }}
	if N(1)/2 == 0 { // integers
		p.whole = func(from, to int) any { return list[from:to] }
	}
	return p
}

// sizes are the numbers of bytes of the types.
var sizes = map[string]int{"float64": 8, "uint64": 8, "float32": 4, "uint32": 4, "uint16": 2}

// Size returns the number of bytes of an element in a file; 0 for an unknown type.
func (p Part) Size() int {
	if p.Dim > 0 {
		return 2 * sizes[p.Type]
	}
	return sizes[p.Type]
}

// shape describes the part. Parts of one shape have one description.
func (p Part) shape() string {
	return fmt.Sprintf("%q of %d %q in rows of %d", p.Name, p.Len, p.Type, p.Dim)
}

// append appends an element to b, as a file holds it.
func (p *Part) append(b []byte, mean, variance float64) []byte {
	b = appendNumber(b, p.Type, mean)
	if p.Dim > 0 {
		b = appendNumber(b, p.Type, variance)
	}
	return b
}

// parse reads element i from the beginning of b, as append wrote it. Only finite numbers are valid: others would spread to every forecast.
func (p *Part) parse(b []byte, i int) (mean, variance float64, err error) {
	mean, b = parseNumber(b, p.Type)
	if p.Dim > 0 {
		variance, _ = parseNumber(b, p.Type)
	}
	if !(math.Abs(mean) <= math.MaxFloat64 && variance >= 0 && variance <= math.MaxFloat64) {
		err = errors.Errorf("%s holds mean %g and variance %g at %d; want numbers, and a variance of 0 or more", p.Name, mean, variance, i)
	}
	return mean, variance, err
}

func appendNumber(b []byte, kind string, v float64) []byte {
	switch kind {
	case "float64":
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	case "float32":
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	case "uint32":
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	default:
		return binary.LittleEndian.AppendUint16(b, uint16(v))
	}
}

// parseNumber reads a number that appendNumber wrote, and returns the bytes after it.
func parseNumber(b []byte, kind string) (v float64, rest []byte) {
	switch kind {
	case "float64":
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
	case "float32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), b[4:]
	case "uint32":
		return float64(binary.LittleEndian.Uint32(b)), b[4:]
	default:
		return float64(binary.LittleEndian.Uint16(b)), b[2:]
	}
}

// format is the first line of a file. Another layout needs another number.
const format = "gophe belief 2\n"

// Header is the JSON line after the format. It describes the numbers that follow.
type Header struct {
	Kind   string          `json:"kind"`             // kind of the owner, such as "onepass"
	Config json.RawMessage `json:"config,omitempty"` // configuration of the owner
	Parts  []Part          `json:"parts"`
}

// bytes returns the number of bytes of all parts in a file. It returns an error if a part is impossible.
func (h Header) bytes() (n int64, err error) {
	for _, p := range h.Parts {
		each := int64(p.Size())
		if p.Dim < 0 || p.Len < 0 || each == 0 || int64(p.Len) > (math.MaxInt64-n)/each {
			return 0, errors.Errorf("the part %s is impossible; take an undamaged file", p.shape())
		}
		n += each * int64(p.Len)
	}
	return n, nil
}

// A model's memory may exceed the numbers in its file by these.
const (
	maxTimes  = 4
	maxBeside = 64 << 20 // bytes
)

// Fits returns an error if an owner of the header's parts would take far more memory than the parts take in the file. An owner asks
// before it takes memory for sizes that its configuration names.
func (h Header) Fits(bytes float64) error {
	n, err := h.bytes()
	if err == nil && !(bytes <= maxTimes*float64(n)+maxBeside) {
		err = errors.Errorf("this model asks for %.3g bytes of memory, and its file holds %d; its sizes are wrong: take an undamaged file",
			bytes, n)
	}
	return err
}

// Write writes parts with the kind and the configuration of their owner. The bytes begin with a line that names the format and end
// with a checksum. Equal parts give equal bytes.
func Write(w io.Writer, kind string, config json.RawMessage, parts []Part) error {
	for _, p := range parts {
		if p.Size() == 0 {
			return errors.Errorf("part %s has numbers of the unknown type %q", p.Name, p.Type)
		}
	}
	head, err := json.Marshal(Header{kind, config, parts})
	if err != nil {
		return errors.Wrap(err, "encoding the header of beliefs")
	}
	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	out.WriteString(format) // a bufio.Writer keeps its first error until Flush
	out.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(head))))
	out.Write(head)
	var b []byte
	for _, p := range parts {
		const chunk = 512
		for from := 0; from < p.Len && p.whole != nil; from += chunk {
			b, _ = binary.Append(b[:0], binary.LittleEndian, p.whole(from, min(from+chunk, p.Len)))
			out.Write(b)
		}
		for i := 0; i < p.Len && p.whole == nil; i++ {
			mean, variance := p.Get(i)
			b = p.append(b[:0], mean, variance)
			if _, _, err := p.parse(b, i); err != nil { // as Read would, after rounding
				return err
			}
			out.Write(b)
		}
	}
	if err := out.Flush(); err != nil {
		return errors.Wrap(err, "writing beliefs")
	}
	_, err = w.Write(sum.Sum(nil))
	return errors.Wrap(err, "writing beliefs")
}

// Read reads the bytes that Write wrote from the beginning of b, and returns the rest of b. It passes the header to open, which returns
// the parts to fill. After an error the parts may hold any numbers, so drop their owner. Bytes that are damaged, truncated or of another
// format are an error. So is a header that announces more numbers than follow: then open is not called, and no memory is taken.
func Read(b []byte, open func(h Header) ([]Part, error)) (rest []byte, err error) {
	h, rest, err := parseHeader(b)
	if err != nil {
		return nil, err
	}
	parts, err := open(h)
	if err != nil {
		return nil, err
	}
	if len(parts) != len(h.Parts) {
		return nil, errors.Errorf("these beliefs have %d parts, and their owner has %d", len(h.Parts), len(parts))
	}
	for i, p := range parts {
		if p.shape() != h.Parts[i].shape() {
			return nil, errors.Errorf("part %s of these beliefs is %s of their owner", h.Parts[i].shape(), p.shape())
		}
		if p.whole != nil {
			binary.Decode(rest, binary.LittleEndian, p.whole(0, p.Len))
			rest = rest[p.Len*p.Size():]
		}
		for k, each := 0, p.Size(); k < p.Len && p.whole == nil; k++ {
			mean, variance, err := p.parse(rest, k)
			if err != nil {
				return nil, err
			}
			p.Set(k, mean, variance)
			rest = rest[each:]
		}
	}
	want := sha256.Sum256(b[:len(b)-len(rest)])
	if !bytes.HasPrefix(rest, want[:]) {
		return nil, errDamaged
	}
	return rest[len(want):], nil
}

var errDamaged = errors.New("these beliefs are damaged or cut off: their checksum is wrong; take an older copy")

// parseHeader returns the header and the bytes after it, which are enough for its parts.
func parseHeader(b []byte) (h Header, rest []byte, err error) {
	rest, found := bytes.CutPrefix(b, []byte(format))
	if !found {
		return h, nil, errors.New("these are no beliefs, or of another version of the program")
	}
	if len(rest) < 8 {
		return h, nil, errDamaged
	}
	size, rest := binary.LittleEndian.Uint64(rest), rest[8:]
	if size > uint64(len(rest)) {
		return h, nil, errDamaged
	}
	if err := json.Unmarshal(rest[:size], &h); err != nil {
		return h, nil, errors.Wrap(err, "the header of these beliefs")
	}
	rest = rest[size:]
	n, err := h.bytes()
	if err == nil && n > int64(len(rest)) {
		err = errDamaged
	}
	return h, rest, err
}
