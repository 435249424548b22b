package records

import (
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pkg/errors"
)

// AppendObject appends a row as a JSON object on a line. A field that is not UTF-8 is an error.
func AppendObject(b []byte, columns, record []string) (_ []byte, err error) {
	for i, field := range record {
		b = append(b, "{,"[min(i, 1)])
		if b, err = jsontext.AppendQuote(b, columns[i]); err == nil {
			b, err = jsontext.AppendQuote(append(b, ':'), field)
		}
		if err != nil {
			return b, errors.WithStack(err)
		}
	}
	return append(b, "}\n"...), nil
}

// CSVLine returns fields as a line of CSV without its end. Whatever could be taken for a separator is in quotes.
func CSVLine(fields []string) string {
	var b strings.Builder
	for i, field := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		if len(fields) > 1 && !strings.ContainsFunc(field, needsQuotes) {
			b.WriteString(field)
			continue
		}
		b.WriteString(`"` + strings.ReplaceAll(field, `"`, `""`) + `"`)
	}
	return b.String()
}

func needsQuotes(c rune) bool {
	return c < 0x80 && c != '.' && c != '-' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}
