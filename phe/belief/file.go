package belief

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/pkg/errors"
)

// File is a copy of a set of beliefs: named tables, named lists of numbers, and the configuration of their owner. Writing and
// reading keep every bit.
type File struct {
	Kind   string          // kind of the owner, such as "onepass"
	Config json.RawMessage // configuration of the owner
	Tables map[string]Table
	Lists  map[string][]float64
}

// parts returns the file's tables and then its lists, each sorted by name.
func (f File) parts() (parts []Part) {
	for _, name := range slices.Sorted(maps.Keys(f.Tables)) {
		t := f.Tables[name]
		parts = append(parts, Part{Name: name, Dim: t.Dim, Len: len(t.Mean), Type: Float64, Get: func(i int) (float64, float64) { return t.Mean[i], t.Variance[i] }})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Lists)) {
		list := f.Lists[name]
		parts = append(parts, Part{Name: name, Len: len(list), Type: Float64, Get: func(i int) (float64, float64) { return list[i], 0 }})
	}
	return parts
}

// MarshalBinary returns the file's bytes, as Write writes them. Equal files give equal bytes.
func (f File) MarshalBinary() ([]byte, error) {
	for name, t := range f.Tables {
		if err := t.Validate(); err != nil {
			return nil, errors.WithMessagef(err, "table %s", name)
		}
	}
	var b bytes.Buffer
	err := Write(&b, f.Kind, f.Config, f.parts())
	return b.Bytes(), err
}

// UnmarshalBinary reads a file's bytes. It returns an error for bytes that are damaged, truncated or of another format.
func (f *File) UnmarshalBinary(b []byte) error {
	in := bufio.NewReader(bytes.NewReader(b))
	if err := f.read(in); err != nil {
		return err
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return errors.New("bytes follow the checksum of these beliefs")
	}
	return nil
}

// read reads beliefs of an unknown owner.
func (f *File) read(in *bufio.Reader) error {
	tables, lists := map[string]*Table{}, map[string]*[]float64{}
	var header Header
	err := Read(in, func(h Header) (parts []Part, err error) {
		header = h
		for _, l := range h.Parts {
			p := Part{Name: l.Name, Dim: l.Dim, Len: l.Len, Type: l.Type}
			switch {
			case l.Dim > math.MaxInt32 || l.Dim > 0 && l.Len%l.Dim != 0:
				return nil, errors.Errorf("the part %+v is impossible; take an undamaged file", l)
			case tables[l.Name] != nil || lists[l.Name] != nil:
				return nil, errors.Errorf("two parts have the name %s; take an undamaged file", l.Name)
			case l.Dim > 0:
				t := &Table{Dim: l.Dim}
				tables[l.Name] = t
				p.Set = func(_ int, mean, variance float64) {
					t.Mean, t.Variance = append(t.Mean, mean), append(t.Variance, variance)
				}
			default:
				list := &[]float64{}
				lists[l.Name] = list
				p.Set = func(_ int, v, _ float64) { *list = append(*list, v) }
			}
			parts = append(parts, p)
		}
		return parts, nil
	})
	if err != nil {
		return err
	}
	*f = File{Kind: header.Kind, Config: header.Config, Tables: map[string]Table{}, Lists: map[string][]float64{}}
	for name, t := range tables {
		f.Tables[name] = *t
	}
	for name, list := range lists {
		f.Lists[name] = *list
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

// ReadFrom reads a file up to the reader's end.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return int64(len(b)), errors.Wrap(err, "reading beliefs")
	}
	return int64(len(b)), f.UnmarshalBinary(b)
}
