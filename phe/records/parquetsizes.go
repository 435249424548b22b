package records

import (
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/pkg/errors"
)

// Bounds of the footer. A common one has less than 10 levels, and 100 bytes for each column of a row group.
const (
	maxFooter = 16 << 20
	maxLevels = 32

	columnsLevel = 3 // of the list of a row group's columns
)

// sized passes over the footer or the header of a page.
type sized struct {
	thrift.BytesReader
	room int // for structures in lists, in 35 bytes of memory: one inside a column takes 1 at most, and another one 16
}

// measure returns the length of the Thrift structure with which a text begins. It is an error if the text ends within a list or string. The
// decoder would take the memory for all of the list first.
func measure(text []byte) (int, error) {
	s := &sized{new(thrift.CompactProtocol).NewReaderFromBytes(text), 1<<21 + len(text)/2}
	err := s.pass(1, thrift.STRUCT, 0)
	return s.BytesRead(), errors.WithMessagef(err, "byte %d of its structure", s.BytesRead())
}

// pass passes over values of one type.
func (s *sized) pass(size int32, of thrift.Type, level int) (err error) {
	if s.room < 0 || level > maxLevels {
		return errors.Errorf("%d items at level %d are too many, or too deep", size, level)
	}
	for i := int32(0); i < size && err == nil; i++ {
		switch of {
		case thrift.STRUCT:
			var field thrift.Field
			for err == nil {
				if field, err = s.ReadField(); err != nil || field.Type == thrift.STOP {
					break
				}
				if field.Type > thrift.FALSE { // a truth value has no bytes
					err = s.pass(1, field.Type, level+1)
				}
			}
		case thrift.LIST, thrift.SET:
			var list thrift.List
			if list, err = s.ReadList(); list.Type == thrift.STRUCT && level > columnsLevel {
				s.room -= int(list.Size)
			} else if list.Type == thrift.STRUCT {
				s.room -= 16 * int(list.Size)
			}
			if err == nil {
				err = s.pass(list.Size, list.Type, level+1)
			}
		case thrift.BINARY:
			_, err = s.ReadBytes() // which compares the length, and copies nothing
		case thrift.TRUE, thrift.FALSE, thrift.I8:
			_, err = s.ReadInt8()
		case thrift.I16, thrift.I32, thrift.I64:
			_, err = s.ReadInt64()
		case thrift.DOUBLE:
			_, err = s.ReadFloat64()
		default: // such as a map, which Parquet has nowhere
			err = errors.Errorf("type %d is not known", of)
		}
	}
	return errors.WithStack(err)
}
