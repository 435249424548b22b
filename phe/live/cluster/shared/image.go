package shared

import (
	"encoding/binary"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// image is a copy of parts, to which their later numbers are compared.
type image struct {
	numbers [][]float64 // of each part; mean and variance in turn for a table
}

// newImage returns a copy of the parts.
func newImage(parts []belief.Part) *image {
	im := &image{make([][]float64, len(parts))}
	for i, p := range parts {
		im.numbers[i] = make([]float64, p.Len*min(2, 1+p.Dim))
		for k := range p.Len {
			im.put(i, p, k)
		}
	}
	return im
}

// put copies element k of a part into the image.
func (im *image) put(part int, p belief.Part, k int) {
	mean, variance := p.Get(k)
	if p.Dim == 0 {
		im.numbers[part][k] = mean
		return
	}
	im.numbers[part][2*k], im.numbers[part][2*k+1] = mean, variance
}

// at returns element k of a part as the image holds it.
func (im *image) at(part int, p belief.Part, k int) (mean, variance float64) {
	if p.Dim == 0 {
		return im.numbers[part][k], 0
	}
	return im.numbers[part][2*k], im.numbers[part][2*k+1]
}

// differs tells whether element k of a part differs from the image by a bit.
func (im *image) differs(part int, p belief.Part, k int) bool {
	mean, variance := p.Get(k)
	mean0, variance0 := im.at(part, p, k)
	return math.Float64bits(mean) != math.Float64bits(mean0) || math.Float64bits(variance) != math.Float64bits(variance0)
}

// changes returns the elements of the parts that differ from the image by a bit. The parts must be the parts of the image.
func (im *image) changes(parts []belief.Part) patch {
	b := binary.AppendUvarint(nil, uint64(len(parts)))
	for i, p := range parts {
		var changed []int
		for k := range p.Len {
			if im.differs(i, p, k) {
				changed = append(changed, k)
			}
		}
		b = binary.AppendUvarint(b, uint64(len(changed)))
		before := 0
		for _, k := range changed {
			b = binary.AppendUvarint(b, uint64(k-before)) // the distances between places, then the elements
			before = k
		}
		for _, k := range changed {
			b = p.Append(b, k)
		}
	}
	return b
}

// reset sets all elements of the parts back to the image.
func (im *image) reset(parts []belief.Part) {
	for i, p := range parts {
		for k := range p.Len {
			if im.differs(i, p, k) {
				mean, variance := im.at(i, p, k)
				p.Set(k, mean, variance)
			}
		}
	}
}

// take copies the elements of a patch from the parts into the image.
func (im *image) take(parts []belief.Part, p patch) error {
	return p.each(parts, func(part, k int, _, _ float64) { im.put(part, parts[part], k) })
}

// trim drops all but the first n parts.
func (im *image) trim(n int) { im.numbers = im.numbers[:n] }

// parts returns the image's numbers as parts that can only be read. like are the parts that the image was made of.
func (im *image) parts(like []belief.Part) []belief.Part {
	parts := make([]belief.Part, len(like))
	for i, p := range like {
		parts[i] = p
		parts[i].Get = func(k int) (float64, float64) { return im.at(i, p, k) }
		parts[i].Set = nil
	}
	return parts
}

// patch holds elements of parts and their new numbers, in bits. A patch may leave out the last parts.
type patch []byte

// apply sets the elements of the patch. It checks the whole patch first; after an error nothing has changed.
func (p patch) apply(parts []belief.Part) error {
	return p.each(parts, func(part, k int, mean, variance float64) { parts[part].Set(k, mean, variance) })
}

// each calls do for each element with its new numbers, after a check of the whole patch.
func (p patch) each(parts []belief.Part, do func(part, k int, mean, variance float64)) error {
	if err := p.walk(parts, func(int, int, float64, float64) {}); err != nil {
		return err
	}
	return p.walk(parts, do)
}

var errPatch = errors.New("this patch is damaged, or belongs to another model: its elements do not fit")

func (p patch) walk(parts []belief.Part, do func(part, k int, mean, variance float64)) error {
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
		each := part.Size()
		if len(b) < n*each {
			return errPatch
		}
		for j, k := range at {
			mean, variance, err := part.Parse(b[j*each:], k)
			if err != nil {
				return errors.WithMessage(err, "a patch")
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
