package result

import (
	"bytes"
	"encoding/json"
	"strings"
)

// foldWidth is the longest line that fold makes of a value that could have several. A run of a classifier fits.
const foldWidth = 360

// fold lays JSON out for readers: a value has one line if it is short, else each of its parts has a line. It keeps the
// order of fields. The content must be valid JSON.
func fold(content []byte) []byte {
	var b bytes.Buffer
	foldValue(&b, content, 1)
	b.WriteByte('\n')
	return b.Bytes()
}

func foldValue(b *bytes.Buffer, value json.RawMessage, depth int) {
	value = bytes.TrimSpace(value)
	if len(value)+depth <= foldWidth && depth > 1 || value[0] != '{' && value[0] != '[' {
		_ = json.Compact(b, value) // it is valid
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	_, _ = decoder.Token()
	b.WriteByte(value[0])
	for first := true; decoder.More(); first = false {
		if !first {
			b.WriteByte(',')
		}
		b.WriteString("\n" + strings.Repeat(" ", depth))
		if value[0] == '{' {
			key, _ := decoder.Token()
			name, _ := json.Marshal(key)
			b.Write(name)
			b.WriteString(": ")
		}
		var part json.RawMessage
		_ = decoder.Decode(&part)
		foldValue(b, part, depth+1)
	}
	b.WriteString("\n" + strings.Repeat(" ", depth-1))
	b.WriteByte(value[len(value)-1])
}
