package log

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/records"
)

// isOld reports whether a stream is the log of rows that `phe cluster feed` wrote, which this program had before its first release.
func isOld(stream string) bool {
	return strings.HasPrefix(stream, "phe_") && strings.HasSuffix(stream, "_rows")
}

// oldRows returns a message of such a log, and any other as it is, with the header that names the columns of CSV. It held the number of its
// first row, the number of its rows, and each row's fields with their lengths.
func oldRows(msg message, columns []string) (body []byte, names string, err error) {
	if !isOld(msg.stream) || msg.columns != "" || bytes.HasPrefix(msg.body, []byte("{\"")) {
		return msg.body, msg.columns, nil
	}
	b, damaged := msg.body, false
	number := func(most int) int {
		v, n := binary.Uvarint(b)
		if damaged = damaged || n <= 0 || v > uint64(most); damaged {
			return 0
		}
		b = b[n:]
		return int(v)
	}
	var objects, lines []byte
	var letters error // that are not UTF-8, which JSON cannot hold
	number(math.MaxInt)
	for range number(len(b)) {
		record := make([]string, number(len(columns)))
		for k := range record {
			size := number(len(b))
			damaged = damaged || size > len(b)
			size = min(size, len(b))
			record[k], b = string(b[:size]), b[size:]
		}
		if damaged = damaged || len(record) != len(columns); damaged {
			break
		}
		if objects, err = records.AppendObject(objects, columns, record); err != nil {
			letters = err
		}
		lines = append(append(lines, records.CSVLine(record)...), '\n')
	}
	switch {
	case damaged || len(b) > 0:
		return nil, "", errors.New("this chunk of rows is damaged, or has other columns")
	case letters != nil:
		return lines, records.CSVLine(columns), nil
	}
	return objects, "", nil
}
