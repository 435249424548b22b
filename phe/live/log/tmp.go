package log

import (
	"encoding/json"
	"hash/crc32"

	"github.com/pkg/errors"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func place(v any) Position {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the positions of this package can be written
	}
	return b
}

func decode(p Position, to any) error {
	if len(p) == 0 {
		return nil
	}
	return errors.Wrap(json.Unmarshal(p, to), "the position in the log is not of this kind of log; was another program's model loaded?")
}
