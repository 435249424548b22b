package serve

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gophe/phe/disk/filetest"
)

// document is /openapi.json and a compiler of the schemas in it.
type document struct {
	content  map[string]any
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
	mu       sync.Mutex
}

const documentURL = "http://example.invalid/openapi.json"

var theDocument = sync.OnceValues(func() (*document, error) {
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(description))
	if err != nil {
		return nil, err
	}
	d := &document{content: content.(map[string]any), compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	return d, d.compiler.AddResource(documentURL, content)
})

// at returns the part of the document at some names, and the pointer to it. It follows references.
func (d *document) at(pointer string, names ...string) (map[string]any, string) {
	part := d.content
	for _, name := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if name != "" {
			part, _ = part[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)].(map[string]any)
		}
	}
	for _, name := range names {
		next, _ := part[name].(map[string]any)
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if reference, ok := next["$ref"].(string); ok {
			next, pointer = d.at(strings.TrimPrefix(reference, "#"))
		}
		part = next
	}
	return part, pointer
}

// schema returns the compiled schema at a pointer.
func (d *document) schema(t testing.TB, pointer string) *jsonschema.Schema {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.schemas[pointer] == nil {
		s := filetest.Must(d.compiler.Compile(documentURL + "#" + pointer))(t)
		d.schemas[pointer] = s
	}
	return d.schemas[pointer]
}

func mustDocument(t testing.TB) *document {
	t.Helper()
	return filetest.Must(theDocument())(t)
}

// checkDescribed checks that an answer is as the document says: its status, its headers, its content type and its body.
func checkDescribed(t testing.TB, s *Server, method, path string, got response) {
	t.Helper()
	d := mustDocument(t)
	rt := s.find(path)
	if rt.method == "" || method != rt.method && got.status != http.StatusMethodNotAllowed {
		return
	}
	kind, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
	answer, pointer := d.at("", "paths", path, strings.ToLower(rt.method), "responses", strconv.Itoa(got.status))
	if answer == nil {
		t.Fatalf("%s %s answers %d %s, which /openapi.json does not have", method, path, got.status, got.body)
	}
	headers, _ := answer["headers"].(map[string]any)
	for name := range headers {
		filetest.True(t, got.header.Get(name) != "" || strings.Contains(got.body, "not ready"),
			"%s %s answers %d without the header %s", method, path, got.status, name)
	}
	content, pointer := d.at(pointer, "content", kind)
	if content == nil {
		t.Fatalf("%s %s answers %d with %q, which /openapi.json does not have", method, path, got.status, kind)
	}
	if kind != "application/json" || path == "/openapi.json" {
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(got.body))
	if err == nil {
		_, pointer = d.at(pointer, "schema")
		err = d.schema(t, pointer).Validate(value)
	}
	if err != nil {
		t.Errorf("%s %s answers %d %.300s: %v", method, path, got.status, got.body, err)
	}
}

// TestDescribed: the document describes every path and no other one, and it is the document that is served.
func TestDescribed(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{})
	d := mustDocument(t)
	var described, served []string
	for path, methods := range d.content["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, rt := range s.routes {
		served = append(served, rt.method+" "+rt.path)
		operation, _ := d.at("", "paths", rt.path, strings.ToLower(rt.method))
		_, open := operation["security"]
		filetest.Want(t, open, rt.needs == needsNothing, "%s is described as open", rt.path)
	}
	slices.Sort(described)
	slices.Sort(served)
	filetest.Want(t, served, described, "the paths that are served")
	got := call(t, s, "GET", "/openapi.json", "")
	got.is(t, 200)
	filetest.Want(t, got.body, string(description), "the document")
}

// TestRequestsDescribed: the document accepts and refuses the same bodies as the server.
func TestRequestsDescribed(t *testing.T) {
	s := mustOpen(t, filetest.Folder(t), Options{})
	d := mustDocument(t)
	for _, c := range []struct {
		path, body string
		fine       bool
	}{
		{"/v1/predict", `{"record":{"customer":"a","price":3.5,"member":true,"product":null},"id":"o-1"}`, true},
		{"/v1/predict", `{"records":[{},{"customer":7}],"ids":["o-2","o-3"]}`, true},
		{"/v1/learn", `{"record":{"customer":"a","buys":"yes"}}`, true},
		{"/v1/label", `{"labels":[{"id":"o-1","target":"no"}]}`, true},
		{"/v1/predict", `{"records":[]}`, false},
		{"/v1/predict", `{"rows":[{}]}`, false},
		{"/v1/predict", `{"records":[{"customer":["a","b"],"buys":{}}]}`, true},
		{"/v1/label", `{"labels":[{"id":"o-9","target":{}}]}`, false},
		{"/v1/predict", `{"records":[null]}`, false},
		{"/v1/predict", `{"record":{},"id":5}`, false},
		{"/v1/learn", `{"record":"a"}`, false},
		{"/v1/label", `{"labels":[{"id":"","target":"no"}]}`, false},
		{"/v1/label", `{"labels":[{"id":"o-9","target":null}]}`, false},
		{"/v1/explain", `{"records":[{"customer":"a"},{"price":3.5}]}`, true},
		{"/v1/explain", `{"record":{"customer":"a"},"id":"o-4"}`, false},
		{"/v1/explain", `{"record":{"customer":"a"},"class":"no"}`, true},
		{"/v1/predict", `{"record":{"customer":"a"},"class":"no"}`, false},
	} {
		value := filetest.Must(jsonschema.UnmarshalJSON(strings.NewReader(c.body)))(t)
		_, pointer := d.at("", "paths", c.path, "post", "requestBody", "content", "application/json", "schema")
		err := d.schema(t, pointer).Validate(value)
		filetest.Want(t, err == nil, c.fine, "%s %s: the document says %v; accepted", c.path, c.body, err)
		got := call(t, s, "POST", c.path, c.body)
		filetest.Want(t, got.status == 200, c.fine, "%s %s: answered %d %s; accepted", c.path, c.body, got.status, got.body)
	}
}
