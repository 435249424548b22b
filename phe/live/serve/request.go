package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pkg/errors"

	"gophe/data/records"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream/schema"
)

// recordsRequest is the body of /v1/predict and /v1/learn: one record or several.
type recordsRequest struct {
	Record  fields   `json:"record"`
	Records []fields `json:"records"`
	ID      *string  `json:"id"`  // keeps the record until its label comes; /v1/predict only
	IDs     []string `json:"ids"` // one for each of Records
}

// labelsRequest is the body of /v1/label.
type labelsRequest struct {
	Labels []struct {
		ID     string `json:"id"`
		Target value  `json:"target"`
	} `json:"labels"`
}

// fields are the named values of a record.
type fields []field

type field struct {
	name   string
	value  value
	number bool // it has no quotes
}

// UnmarshalJSON reads an object whose values are strings, numbers, booleans or null.
func (f *fields) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if b[0] != '{' {
		return invalid("not_a_record", "a record is %.60s; write it as {\"COLUMN\": VALUE, …}", b)
	}
	if *f != nil {
		return invalid("twice", "the body gives a record, or a list of records, twice; give it once")
	}
	*f = fields{}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(b), jsontext.AllowDuplicateNames(true)) // it finds no error: the body was checked
	for _, _ = decoder.ReadToken(); decoder.PeekKind() == '"'; {
		token, _ := decoder.ReadToken()
		name := token.String()
		read, _ := decoder.ReadValue()
		v, ok := asField(read)
		if !ok {
			return invalid("not_a_value", "the column %q holds a list or an object; write a string, a number, true, false or null", name)
		}
		*f = append(*f, field{name, v, read.Kind() == '0'})
	}
	return nil
}

// value is a field of a record, as a table writes it.
type value string

// UnmarshalJSON reads a string, a number, a boolean or null.
func (v *value) UnmarshalJSON(b []byte) error {
	s, ok := asField(b)
	if !ok {
		return invalid("not_a_value", "a target is a list or an object; write a string, a number, true or false")
	}
	if *v != "" {
		return invalid("twice", "the body gives a target, or the list of labels, twice; give it once")
	}
	*v = s
	return nil
}

// asField returns a value of JSON as a field of a table. Null is an empty field, and a number is as it is written.
func asField(v jsontext.Value) (value, bool) {
	switch v.Kind() {
	case '{', '[':
		return "", false
	case 'n':
		return "", true
	case '"':
		v, _ = jsontext.AppendUnquote(nil, v) // no error, as above
	}
	return value(v), true
}

// readBody reads a request's body.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, at *seat) ([]byte, *problem) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, notJSON(strconv.Quote(r.Header.Get("Content-Type")))
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, notJSON("compressed by " + strconv.Quote(coding))
	}
	if r.ContentLength > s.options.MaxBody {
		return nil, bodyTooLarge(s.options.MaxBody)
	}
	if len(s.slots) == cap(s.slots) {
		return nil, busy()
	}
	b, err := at.read(http.MaxBytesReader(w, r.Body, s.options.MaxBody))
	var p *problem
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return nil, p
	case errors.As(err, &large):
		return nil, bodyTooLarge(s.options.MaxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refusing(http.StatusRequestTimeout, "slow", "the body did not come within %s; send it faster, or in smaller requests",
			s.options.ReadTimeout)
	case err != nil:
		return nil, malformed(err)
	}
	return b, nil
}

// decode reads JSON strictly: an unknown field is an error, and so is a string that JSON cannot hold byte for byte.
func decode(b []byte, into any) *problem {
	switch at := records.Broken(b); {
	case at < 0:
	case b[at] == '\\':
		return invalid("not_utf8", "the body has half a letter, %s, at byte %d; send both halves, or the letter in UTF-8", b[at:at+6], at+1)
	default:
		return invalid("not_utf8", "the body is not UTF-8 at byte %d; send it in UTF-8", at+1)
	}
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	var p *problem
	switch err := decoder.Decode(into); {
	case errors.As(err, &p):
		return p
	case err == io.EOF:
		return malformed(errors.New("it is empty"))
	case err != nil:
		return malformed(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return malformed(errors.Errorf("something follows the JSON at byte %d", decoder.InputOffset()))
	}
	return nil
}

// list returns the records of a body in the schema's order, and their ids if they have any.
func (s *Server) list(body []byte) (list []schema.Record, ids []string, p *problem) {
	var q recordsRequest
	if p := decode(body, &q); p != nil {
		return nil, nil, p
	}
	all := q.Records
	ids = q.IDs
	switch {
	case q.Record != nil && q.Records != nil:
		return nil, nil, invalid("two_lists", "the body has \"record\" and \"records\"; give one of them")
	case q.Record != nil:
		all = []fields{q.Record}
		if q.ID != nil {
			ids = append(ids, *q.ID)
		}
	case q.ID != nil:
		return nil, nil, invalid("ids", "the body has \"records\" and \"id\"; give \"ids\", one for each record")
	}
	switch {
	case len(all) == 0:
		return nil, nil, invalid("no_records", "the body has no records; write {\"records\": [{\"COLUMN\": VALUE, …}]}")
	case len(all) > s.options.MaxRecords:
		return nil, nil, tooLarge("more than %d records", s.options.MaxRecords)
	case len(all)*len(s.columns) > maxFields:
		return nil, nil, tooLarge("fields are limited to %d, and %d records of %d columns have more", maxFields, len(all), len(s.columns))
	case len(ids) > 0 && len(ids) != len(all):
		return nil, nil, invalid("ids", "%d ids for %d records; give one for each record, or none", len(ids), len(all))
	}
	for i, f := range all {
		if f == nil {
			return nil, nil, invalid("not_a_record", "%sit is null; write it as {\"COLUMN\": VALUE, …}", place(i, len(all)))
		}
		r, p := s.record(f)
		if p != nil {
			p.Message = place(i, len(all)) + p.Message
			return nil, nil, p
		}
		list = append(list, r)
	}
	return list, ids, checkIDs(ids)
}

// place names a record of a request.
func place(i, of int) string {
	if of == 1 {
		return ""
	}
	return "record " + strconv.Itoa(i+1) + ": "
}

// maxUnknown is the number of unknown columns that an answer names. Each is compared with all columns.
const maxUnknown = 10

// record puts named values into the schema's order. Columns without a value are missing.
func (s *Server) record(named fields) (schema.Record, *problem) {
	r, given := make(schema.Record, len(s.columns)), make([]bool, len(s.columns))
	var unknown []string
	for _, f := range named {
		at, found := s.columns[f.name]
		switch {
		case !found && len(unknown) >= maxUnknown:
			return nil, invalid("unknown_column", "%s; …", strings.Join(unknown, "; "))
		case !found:
			unknown = append(unknown, fmt.Sprintf("%q is no column of this model%s", f.name, nearest.Column(f.name, s.schema.Names())))
		case given[at]:
			return nil, invalid("column_twice", "the column %q comes twice; give it once", f.name)
		default:
			r[at], given[at] = string(f.value), true
			if f.number && s.schema.Columns[at].DecimalComma { // a number of JSON has a point
				r[at] = strings.Replace(r[at], ".", ",", 1)
			}
		}
	}
	if len(unknown) > 0 {
		return nil, invalid("unknown_column", "%s", strings.Join(unknown, "; "))
	}
	return r, nil
}

// checkIDs returns the problem of a request's ids; nil if they are right.
func checkIDs(ids []string) *problem {
	seen := map[string]bool{}
	for _, id := range ids {
		switch {
		case id == "" || len(id) > maxID:
			return invalid("ids", "an id has %d bytes; give 1 to %d", len(id), maxID)
		case seen[id]:
			return invalid("ids", "the id %q comes twice; give each record its own", id)
		}
		seen[id] = true
	}
	return nil
}

// badField returns the problem of a record's field.
func badField(err error, where string) *problem {
	var f *schema.FieldError
	if errors.As(err, &f) {
		const limit = 60
		value := f.Value
		if len(value) > limit {
			value = value[:limit] + "…"
		}
		return invalid("bad_field", "%sthe column %q holds %q: %s; correct it and send the request again", where, f.Column, value, f.Problem)
	}
	return invalid("bad_field", "%s%s", where, err)
}
