package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"time"
)

//go:embed static
var static embed.FS

// types are the content types of the page's files. The machine's own table of types may differ, most often on Windows.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8",
}

// policy allows a browser to load what this server sends and nothing else. It also keeps the page out of other pages' frames.
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

// routes returns the handler of each address.
func (p *Page) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /events", guarded(http.HandlerFunc(p.events)))
	entries, err := fs.ReadDir(static, "static")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, e := range entries {
		content, err := static.ReadFile("static/" + e.Name())
		if err != nil {
			panic(err) // as above
		}
		address := "GET /" + e.Name()
		if e.Name() == "index.html" {
			address = "GET /{$}"
		}
		mux.Handle(address, guarded(file(e.Name(), content)))
	}
	return mux
}

// guarded adds the headers that isolate the page.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// file serves one file. A browser asks each time, and learns from the checksum that its copy is still valid.
func file(name string, content []byte) http.Handler {
	kind, known := types[path.Ext(name)]
	if !known {
		kind = types[""]
	}
	sum := sha256.Sum256(content)
	tag := strconv.Quote(hex.EncodeToString(sum[:8]))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
}
