package serve

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pkg/errors"

	"gophe/phe/records"
	"gophe/phe/remedy"
	"gophe/phe/remedy/nearest"
	"gophe/phe/stream/schema"
)

// recordsRequest is the body of /v1/predict and /v1/learn: one record or several.
type recordsRequest struct {
	Record  *jsontext.Value  `json:"record"`
	Records []jsontext.Value `json:"records"`
	ID      *string          `json:"id"`  // keeps the record until its label comes; /v1/predict only
	IDs     []string         `json:"ids"` // one for each of Records
}

// explainRequest is the body of /v1/explain.
type explainRequest struct {
	recordsRequest
	Class string `json:"class"`
}

// labelsRequest is the body of /v1/label.
type labelsRequest struct {
	Labels []struct {
		ID     string          `json:"id"`
		Target *jsontext.Value `json:"target"`
	} `json:"labels"`
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
	return bytes.TrimPrefix(b, []byte("\ufeff")), nil // some programs begin a body with this mark, as some files begin
}

// decode reads JSON strictly: an unknown field is an error, and so are a field that comes twice and a string that JSON cannot hold byte for
// byte.
func decode(b []byte, into any) *problem {
	err := json.Unmarshal(b, into, json.RejectUnknownMembers(true), json.MatchCaseInsensitiveNames(true))
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case err == nil:
		return nil
	case len(bytes.TrimSpace(b)) == 0:
		return malformed(errors.New("it is empty"))
	case errors.As(err, &semantic) && semantic.Err == json.ErrUnknownName:
		return malformed(errors.Errorf("unknown field %.60q", semantic.JSONPointer.LastToken()))
	case semantic != nil:
		return malformed(errors.Errorf("%s takes no %s", cmp.Or(semantic.JSONPointer, "the whole"), semantic.JSONKind))
	case !errors.As(err, &syntax):
		return malformed(err)
	}
	at, isWhole := syntax.ByteOffset, jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	switch in := syntax.JSONPointer.Parent(); {
	case !isWhole:
		return malformed(errors.Errorf("%s at byte %d", syntax.Err, at+1))
	case syntax.Err == jsontext.ErrDuplicateName && in == "":
		return invalid("twice", "the body gives %q twice; give it once", syntax.JSONPointer.LastToken())
	case syntax.Err == jsontext.ErrDuplicateName:
		return invalid("column_twice", "%.60q comes twice in %.60s; give it once", syntax.JSONPointer.LastToken(), in)
	case b[at] == '\\':
		return invalid("not_utf8", "the body has half a letter, %s, at byte %d; send both halves, or the letter in UTF-8", b[at:at+6], at+1)
	}
	return invalid("not_utf8", "the body is not UTF-8 at byte %d; send it in UTF-8", at+1)
}

// list returns an operation that asks for the records of a body, with their ids if they have any. learns says that they will be learned.
func (s *Server) list(body []byte, learns bool) (op operation, p *problem) {
	var q recordsRequest
	if p := decode(body, &q); p != nil {
		return op, p
	}
	return s.listed(&q, learns)
}

func (s *Server) listed(q *recordsRequest, learns bool) (op operation, p *problem) {
	all := q.Records
	op.IDs = q.IDs
	switch {
	case q.Record != nil && q.Records != nil:
		return op, invalid("two_lists", "the body has \"record\" and \"records\"; give one of them")
	case q.Record != nil:
		all = []jsontext.Value{*q.Record}
		if q.ID != nil {
			op.IDs = append(op.IDs, *q.ID)
		}
	case q.ID != nil:
		return op, invalid("ids", "the body has \"records\" and \"id\"; give \"ids\", one for each record")
	}
	switch {
	case len(all) == 0:
		return op, invalid("no_records", "the body has no records; write {\"records\": [{\"COLUMN\": VALUE, …}]}")
	case len(all) > s.options.MaxRecords:
		return op, tooLarge("more than %d records", s.options.MaxRecords)
	case len(all)*len(s.columns) > maxFields:
		return op, tooLarge("fields are limited to %d, and %d records of %d columns have more", maxFields, len(all), len(s.columns))
	case len(op.IDs) > 0 && len(op.IDs) != len(all):
		return op, invalid("ids", "%d ids for %d records; give one for each record, or none", len(op.IDs), len(all))
	}
	read := objects.Get().(*records.Object)
	defer objects.Put(read)
	read.Nested = s.nested
	for i, object := range all {
		r, unknown, p := s.record(read, object, learns)
		if p != nil {
			p.Message = place(i, len(all)) + p.Message
			return op, p
		}
		op.Ask = append(op.Ask, r)
		for _, name := range unknown {
			if name = fmt.Sprintf("%.60s", name); len(op.Ignored) <= maxUnknown && !slices.Contains(op.Ignored, name) {
				op.Ignored = append(op.Ignored, name)
			}
		}
	}
	if len(op.Ignored) > maxUnknown {
		op.Ignored[maxUnknown] = "…"
	}
	return op, checkIDs(op.IDs)
}

// objects have memory that the next request takes.
var objects = sync.Pool{New: func() any { return new(records.Object) }}

// place names a record of a request.
func place(i, of int) string {
	if of == 1 {
		return ""
	}
	return "record " + strconv.Itoa(i+1) + ": "
}

// maxUnknown is the number of unknown columns that an answer names. Each may be compared with all columns.
const maxUnknown = 10

// record puts the fields of an object into the schema's order, and returns the names that are no columns. Columns without a value are
// missing. Where both are found, a name is probably mistyped.
func (s *Server) record(read *records.Object, object jsontext.Value, learns bool) (r schema.Record, unknown []string, p *problem) {
	if object.Kind() != '{' {
		return nil, nil, invalid("not_a_record", "it is %.60s; write it as {\"COLUMN\": VALUE, …}", object)
	}
	r, given := make(schema.Record, len(s.columns)), make([]bool, len(s.columns))
	_ = read.Fields(object, func(name, v []byte) { // decode has checked the object
		at, found := s.columns[string(name)]
		switch {
		case found && r[at] != "": // as "a.b" and {"a": {"b"}}
			p = invalid("column_twice", "the column %.60q comes twice; give it once", name)
		case found:
			r[at], given[at] = string(read.Text(v, s.marks[at])), true
		case len(unknown) <= maxUnknown:
			unknown = append(unknown, string(name))
		}
	})
	if p == nil && len(unknown) > 0 {
		p = s.mistyped(unknown[:min(maxUnknown, len(unknown))], given, learns)
	}
	return r, unknown, p
}

// mistyped returns the problem of a record with unknown names that lacks columns which the model reads; nil if it lacks none.
func (s *Server) mistyped(unknown []string, given []bool, learns bool) *problem {
	var lacks []string
	for i, c := range s.schema.Columns {
		if c.Needed(learns) && !given[i] {
			lacks = append(lacks, c.Name)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	said := ""
	for _, name := range unknown {
		said += fmt.Sprintf("%.60q is no column of this model%s; ", name, nearest.Hint(name, lacks))
	}
	return invalid("unknown_column", "%sthe record lacks %q; give each, or null where there is no value",
		said, lacks[:min(maxUnknown, len(lacks))])
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
		return invalid("bad_field", "%sthe column %q holds %.60q: %s; correct it and send the request again; %s",
			where, f.Column, f.Value, f.Problem, remedy.HowRead)
	}
	return invalid("bad_field", "%s%s", where, err)
}
