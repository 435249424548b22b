package records

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pkg/errors"
)

// valueText appends the text of a value that is not null.
type valueText func(to []byte, v parquet.Value) []byte

// addColumns adds a column for each leaf of a group. The name joins the names on the path to the leaf by dots. The names of
// the levels that Parquet puts between a list or map and its elements are left out. So is the element's name if hidden.
func (p *parquetRows) addColumns(group *parquet.Column, path []string, hidden bool) error {
	isList, isMap := false, false
	if logical := group.Type().LogicalType(); logical != nil {
		_, isList = logical.Value.(*format.ListType)
		_, isMap = logical.Value.(*format.MapType)
	}
	for _, child := range group.Columns() {
		level := (isList || isMap) && child.Repeated()
		childPath := path
		if !level && !hidden {
			childPath = append(slices.Clip(path), child.Name())
		}
		if !child.Leaf() {
			if err := p.addColumns(child, childPath, level && isList && len(child.Columns()) == 1); err != nil {
				return err
			}
			continue
		}
		name := strings.Join(childPath, ".")
		if name == "" {
			name = numberedName(len(p.names))
		}
		e := p.elements[len(p.names)]
		text, err := textOf(child.Type(), e)
		if err != nil {
			return errors.WithMessagef(err, "column %s", name)
		}
		p.leaves = append(p.leaves, child)
		p.names = append(p.names, name)
		p.texts = append(p.texts, text)
		typeName, _, _ := strings.Cut(child.Type().String(), "(")
		isHalf := e.LogicalType.String() == "FLOAT16"
		p.decimal = append(p.decimal, isHalf || slices.Contains([]string{"FLOAT", "DOUBLE", "DECIMAL"}, typeName))
	}
	return nil
}

// textOf returns how values of a type are written.
func textOf(t parquet.Type, e *format.SchemaElement) (valueText, error) {
	if e.LogicalType.String() == "FLOAT16" && e.TypeLength.V == 2 { // which the library takes for bytes
		return func(to []byte, v parquet.Value) []byte { return appendFloat(to, half(v.ByteArray()), 32) }, nil
	}
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DecimalType:
			return decimalText(int(l.Scale))
		case *format.DateType:
			return func(to []byte, v parquet.Value) []byte {
				return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().AppendFormat(to, time.DateOnly)
			}, nil
		case *format.TimeType:
			return timeText(t.Kind(), l.Unit, "15:04:05.999999999"), nil
		case *format.TimestampType:
			return timeText(t.Kind(), l.Unit, time.RFC3339Nano), nil
		case *format.UUIDType:
			return appendUUID, nil
		case *format.NullType:
			if e.LogicalType.Value == nil { // the library knows no type of these values, and would write none
				break
			}
			return func(to []byte, _ parquet.Value) []byte { return to }, nil
		case *format.IntType:
			if !l.IsSigned && t.Kind() == parquet.Int32 {
				return func(to []byte, v parquet.Value) []byte { return strconv.AppendUint(to, uint64(v.Uint32()), 10) }, nil
			} else if !l.IsSigned {
				return func(to []byte, v parquet.Value) []byte { return strconv.AppendUint(to, v.Uint64(), 10) }, nil
			}
		}
	}
	if text := plainTexts[t.Kind()]; text != nil && t.String() != "INTERVAL" {
		return text, nil
	}
	return nil, errors.Errorf("type %v is not read; write the table without this column", t)
}

// plainTexts are how values are written that only their physical type describes.
var plainTexts = map[parquet.Kind]valueText{
	parquet.Boolean:           func(to []byte, v parquet.Value) []byte { return strconv.AppendBool(to, v.Boolean()) },
	parquet.Int32:             func(to []byte, v parquet.Value) []byte { return strconv.AppendInt(to, int64(v.Int32()), 10) },
	parquet.Int64:             func(to []byte, v parquet.Value) []byte { return strconv.AppendInt(to, v.Int64(), 10) },
	parquet.Int96:             func(to []byte, v parquet.Value) []byte { return appendInt96(to, v.Int96()) },
	parquet.Float:             func(to []byte, v parquet.Value) []byte { return appendFloat(to, float64(v.Float()), 32) },
	parquet.Double:            func(to []byte, v parquet.Value) []byte { return appendFloat(to, v.Double(), 64) },
	parquet.ByteArray:         func(to []byte, v parquet.Value) []byte { return append(to, v.ByteArray()...) },
	parquet.FixedLenByteArray: func(to []byte, v parquet.Value) []byte { return hex.AppendEncode(to, v.ByteArray()) },
}

// half returns a number of two bytes.
func half(b []byte) float64 {
	bits := binary.LittleEndian.Uint16(b)
	x := float64(math.Float32frombits(uint32(bits&0x7fff)<<13)) * 0x1p112 // exponents begin at -15 here, and at -127 there
	if bits&0x7c00 == 0x7c00 {                                            // infinity, or no number
		x = float64(math.Float32frombits(uint32(bits)<<13 | 0x7f800000))
	}
	return math.Copysign(x, 0.5-float64(bits>>15))
}

// appendFloat writes a number as JSON does: 1000000 and not 1e+06.
func appendFloat(to []byte, x float64, bits int) []byte {
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(to, x, 'e', -1, bits)
	}
	return strconv.AppendFloat(to, x, 'f', -1, bits)
}

// timeText writes the time since 1970, or since midnight, in a layout.
func timeText(kind parquet.Kind, unit format.TimeUnit, layout string) valueText {
	if kind == parquet.Int32 { // milliseconds since midnight
		return func(to []byte, v parquet.Value) []byte {
			return time.UnixMilli(int64(v.Int32())).UTC().AppendFormat(to, layout)
		}
	}
	since := time.UnixMicro
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		since = time.UnixMilli
	case *format.NanoSeconds:
		since = func(n int64) time.Time { return time.Unix(0, n) }
	}
	last, text := int64(0), []byte(nil) // neighbouring rows often have one time
	return func(to []byte, v parquet.Value) []byte {
		if n := v.Int64(); n != last || text == nil {
			last, text = n, since(n).UTC().AppendFormat(text[:0], layout)
		}
		return append(to, text...)
	}
}

// appendInt96 writes the old form of a timestamp: nanoseconds since midnight, and the Julian day.
func appendInt96(to []byte, v deprecated.Int96) []byte {
	const julian1970 = 2440588
	days := int64(v[2]) - julian1970
	nanoseconds := int64(v[1])<<32 | int64(v[0])
	return time.Unix(days*24*60*60, nanoseconds).UTC().AppendFormat(to, time.RFC3339Nano)
}

func appendUUID(to []byte, v parquet.Value) []byte {
	for i, b := range v.ByteArray() {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			to = append(to, '-')
		}
		to = hex.AppendEncode(to, []byte{b})
	}
	return to
}

// decimalText writes an integer, or the bytes of one, with scale digits after the point.
func decimalText(scale int) (valueText, error) {
	const maxScale, maxBytes = 1000, 64 // beyond any database; more would only cost time in a damaged file
	if scale < 0 || scale > maxScale {
		return nil, errors.Errorf("a decimal with %d digits after the point is not read; write the table without this column", scale)
	}
	return func(to []byte, v parquet.Value) []byte {
		switch v.Kind() {
		case parquet.Int32:
			return appendDecimal(to, strconv.AppendInt(nil, int64(v.Int32()), 10), scale)
		case parquet.Int64:
			return appendDecimal(to, strconv.AppendInt(nil, v.Int64(), 10), scale)
		}
		digits := v.ByteArray()
		if len(digits) > maxBytes {
			return hex.AppendEncode(to, digits)
		}
		n := new(big.Int).SetBytes(digits)
		if len(digits) > 0 && digits[0] >= 0x80 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(digits))))
		}
		return appendDecimal(to, n.Append(nil, 10), scale)
	}, nil
}

// appendDecimal puts a point before the last scale digits.
func appendDecimal(to, digits []byte, scale int) []byte {
	if digits[0] == '-' {
		to, digits = append(to, '-'), digits[1:]
	}
	if scale == 0 {
		return append(to, digits...)
	}
	if short := scale + 1 - len(digits); short > 0 {
		digits = append(slices.Repeat([]byte("0"), short), digits...)
	}
	point := len(digits) - scale
	return append(append(append(to, digits[:point]...), '.'), digits[point:]...)
}
