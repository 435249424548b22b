package serve

import (
	"bytes"
	"cmp"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pkg/errors"

	"gophe/phe/remedy"
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
	return bytes.TrimPrefix(b, []byte("\ufeff")), nil // the byte order mark, with which some programs begin a body
}

// decode reads JSON strictly: an unknown field, a field that comes twice and a string that is not UTF-8 are errors.
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
		kind := strings.NewReplacer("[", "list", "{", "object").Replace(semantic.JSONKind.String())
		return malformed(errors.Errorf("%s takes no %s", cmp.Or(semantic.JSONPointer, "the whole"), kind))
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

// place names a record of a request.
func place(i, of int) string {
	if of == 1 {
		return ""
	}
	return "record " + strconv.Itoa(i+1) + ": "
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
