package belief

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/pkg/errors"
)

// File is a set of beliefs as bytes hold it: named tables and named lists of numbers, beside a configuration in JSON. The
// bytes begin with a line that names the format and end with a checksum. What was written is read back bit for bit.
type File struct {
	Kind   string          // what it is of, such as "onepass"
	Config json.RawMessage // the owner's, to make the owner anew
	Tables map[string]Table
	Lists  map[string][]float64
}

// format is the first line of a file. Another layout needs another number.
const format = "gophe belief 1\n"

// header stands behind the format: JSON that tells what the numbers after it are.
type header struct {
	Kind   string          `json:"kind"`
	Config json.RawMessage `json:"config,omitempty"`
	Tables []tableHeader   `json:"tables,omitempty"`
	Lists  []listHeader    `json:"lists,omitempty"`
}

type tableHeader struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
	Dim  int    `json:"dim"`
}

type listHeader struct {
	Name string `json:"name"`
	Len  int    `json:"len"`
}

// MarshalBinary returns the file's bytes. Equal files give equal bytes.
func (f File) MarshalBinary() ([]byte, error) {
	h := header{Kind: f.Kind, Config: f.Config}
	var numbers []float64
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		t := f.Tables[name]
		if err := t.Validate(); err != nil {
			return nil, errors.WithMessagef(err, "table %s", name)
		}
		h.Tables = append(h.Tables, tableHeader{name, t.Rows(), t.Dim})
		numbers = append(append(numbers, t.Mean...), t.Variance...)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Lists)) {
		h.Lists = append(h.Lists, listHeader{name, len(f.Lists[name])})
		numbers = append(numbers, f.Lists[name]...)
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, errors.Wrap(err, "encoding the header of beliefs")
	}
	b := append([]byte(format), binary.LittleEndian.AppendUint64(nil, uint64(len(head)))...)
	b = append(b, head...)
	b = slices.Grow(b, 8*len(numbers)+sha256.Size)
	for _, v := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// UnmarshalBinary reads a file's bytes. Bytes that are damaged, cut off or of another format are an error.
func (f *File) UnmarshalBinary(b []byte) error {
	rest, ok := bytes.CutPrefix(b, []byte(format))
	if !ok {
		return errors.New("these are no beliefs, or of another version of the program")
	}
	if len(rest) < 8+sha256.Size || sha256.Sum256(b[:len(b)-sha256.Size]) != [sha256.Size]byte(b[len(b)-sha256.Size:]) {
		return errors.New("these beliefs are damaged or cut off: their checksum is wrong; take an older copy")
	}
	rest = rest[:len(rest)-sha256.Size]
	size := binary.LittleEndian.Uint64(rest)
	if size > uint64(len(rest)-8) {
		return errors.New("the header of these beliefs is longer than they are")
	}
	var h header
	if err := json.Unmarshal(rest[8:8+size], &h); err != nil {
		return errors.Wrap(err, "the header of these beliefs")
	}
	return f.fill(h, rest[8+size:])
}

// fill takes the numbers that the header describes.
func (f *File) fill(h header, numbers []byte) error {
	take := func(n int) ([]float64, error) {
		if n < 0 || n > len(numbers)/8 {
			return nil, errors.Errorf("%d numbers where %d are left", n, len(numbers)/8)
		}
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(numbers[8*i:]))
		}
		numbers = numbers[8*n:]
		return values, nil
	}
	*f = File{Kind: h.Kind, Config: h.Config, Tables: map[string]Table{}, Lists: map[string][]float64{}}
	for _, t := range h.Tables {
		if t.Dim < 1 || t.Rows < 0 || t.Rows > math.MaxInt32 || t.Dim > math.MaxInt32 {
			return errors.Errorf("table %s of %d by %d", t.Name, t.Rows, t.Dim)
		}
		mean, err := take(t.Rows * t.Dim)
		if err != nil {
			return errors.WithMessagef(err, "table %s", t.Name)
		}
		variance, err := take(t.Rows * t.Dim)
		if err != nil {
			return errors.WithMessagef(err, "table %s", t.Name)
		}
		f.Tables[t.Name] = Table{t.Dim, mean, variance}
		if err := f.Tables[t.Name].Validate(); err != nil {
			return errors.WithMessagef(err, "table %s", t.Name)
		}
	}
	for _, l := range h.Lists {
		values, err := take(l.Len)
		if err != nil {
			return errors.WithMessagef(err, "list %s", l.Name)
		}
		f.Lists[l.Name] = values
	}
	if len(numbers) > 0 {
		return errors.Errorf("%d bytes follow the last list", len(numbers))
	}
	return nil
}

// WriteTo writes the file's bytes.
func (f File) WriteTo(w io.Writer) (int64, error) {
	b, err := f.MarshalBinary()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	return int64(n), errors.Wrap(err, "writing beliefs")
}

// ReadFrom reads a file until the reader's end.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return int64(len(b)), errors.Wrap(err, "reading beliefs")
	}
	return int64(len(b)), f.UnmarshalBinary(b)
}
