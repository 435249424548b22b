package belief

import (
	"encoding/binary"
	"math"

	"github.com/pkg/errors"
)

// Image is a copy of parts, to which their later numbers are compared.
type Image struct {
	numbers [][]float64 // of each part; mean and variance in turn for a table
}

// NewImage returns a copy of the parts.
func NewImage(parts []Part) *Image {
	im := &Image{make([][]float64, len(parts))}
	for i, p := range parts {
		im.numbers[i] = make([]float64, p.Len*p.Layout().numbers())
		for k := range p.Len {
			im.put(i, p, k)
		}
	}
	return im
}

// put copies element k of a part into the image.
func (im *Image) put(part int, p Part, k int) {
	mean, variance := p.Get(k)
	if p.Dim == 0 {
		im.numbers[part][k] = mean
		return
	}
	im.numbers[part][2*k], im.numbers[part][2*k+1] = mean, variance
}

// at returns element k of a part as the image holds it.
func (im *Image) at(part int, p Part, k int) (mean, variance float64) {
	if p.Dim == 0 {
		return im.numbers[part][k], 0
	}
	return im.numbers[part][2*k], im.numbers[part][2*k+1]
}

// differs tells whether element k of a part differs from the image by a bit.
func (im *Image) differs(part int, p Part, k int) bool {
	mean, variance := p.Get(k)
	mean0, variance0 := im.at(part, p, k)
	return math.Float64bits(mean) != math.Float64bits(mean0) || math.Float64bits(variance) != math.Float64bits(variance0)
}

// Patch returns the elements of the parts that differ from the image by a bit. The parts must be the parts of the image.
func (im *Image) Patch(parts []Part) Patch {
	b := binary.AppendUvarint(nil, uint64(len(parts)))
	for i, p := range parts {
		var changed []int
		for k := range p.Len {
			if im.differs(i, p, k) {
				changed = append(changed, k)
			}
		}
		b = p.appendElements(b, changed)
	}
	return b
}

// appendElements appends the number of elements, the distances between their places, and their numbers.
func (p Part) appendElements(b []byte, at []int) []byte {
	b = binary.AppendUvarint(b, uint64(len(at)))
	before := 0
	for _, k := range at {
		b = binary.AppendUvarint(b, uint64(k-before))
		before = k
	}
	var number [8]byte
	size := p.Type.size()
	for _, k := range at {
		mean, variance := p.Get(k)
		p.Type.put(number[:], mean)
		b = append(b, number[:size]...)
		if p.Dim > 0 {
			p.Type.put(number[:], variance)
			b = append(b, number[:size]...)
		}
	}
	return b
}

// Reset sets all elements of the parts back to the image.
func (im *Image) Reset(parts []Part) {
	for i, p := range parts {
		for k := range p.Len {
			if im.differs(i, p, k) {
				mean, variance := im.at(i, p, k)
				p.Set(k, mean, variance)
			}
		}
	}
}

// Take copies the elements of a patch from the parts into the image.
func (im *Image) Take(parts []Part, p Patch) error {
	return p.Each(parts, func(part, k int, _, _ float64) { im.put(part, parts[part], k) })
}

// Trim drops all but the first n parts.
func (im *Image) Trim(n int) { im.numbers = im.numbers[:n] }

// Parts returns the image's numbers as parts that can only be read. like are the parts that the image was made of.
func (im *Image) Parts(like []Part) []Part {
	parts := make([]Part, len(like))
	for i, p := range like {
		parts[i] = p
		parts[i].Get = func(k int) (float64, float64) { return im.at(i, p, k) }
		parts[i].Set = nil
	}
	return parts
}

// Patch holds elements of parts and their new numbers, in bits. A patch may leave out the last parts.
type Patch []byte

// Apply sets the elements of the patch. It checks the whole patch first; after an error nothing has changed.
func (p Patch) Apply(parts []Part) error {
	return p.Each(parts, func(part, k int, mean, variance float64) { parts[part].Set(k, mean, variance) })
}

// Each calls do for each element with its new numbers, after a check of the whole patch.
func (p Patch) Each(parts []Part, do func(part, k int, mean, variance float64)) error {
	if err := p.walk(parts, func(int, int, float64, float64) {}); err != nil {
		return err
	}
	return p.walk(parts, do)
}

var errPatch = errors.New("this patch is damaged, or belongs to another model: its elements do not fit")

func (p Patch) walk(parts []Part, do func(part, k int, mean, variance float64)) error {
	b := []byte(p)
	next := func() (int, bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > math.MaxInt32 {
			return 0, false
		}
		b = b[n:]
		return int(v), true
	}
	n, ok := next()
	if !ok || n > len(parts) {
		return errPatch
	}
	parts = parts[:n]
	var at []int
	for i, part := range parts {
		n, ok := next()
		if !ok || n > part.Len {
			return errPatch
		}
		at = at[:0]
		k := 0
		for range n {
			step, ok := next()
			if k += step; !ok || k >= part.Len || step == 0 && len(at) > 0 {
				return errPatch
			}
			at = append(at, k)
		}
		size := part.Type.size()
		each := size * part.Layout().numbers()
		if len(b) < n*each {
			return errPatch
		}
		for j, k := range at {
			mean, variance := part.Type.get(b[j*each:]), 0.0
			if part.Dim > 0 {
				variance = part.Type.get(b[j*each+size:])
			}
			if !possible(mean, variance) {
				return errors.Errorf("the patch sets element %d of %s to mean %g and variance %g; want numbers, and a variance of 0 or more", k, part.Name, mean, variance)
			}
			do(i, k, mean, variance)
		}
		b = b[n*each:]
	}
	if len(b) > 0 {
		return errPatch
	}
	return nil
}
