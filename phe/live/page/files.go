package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
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
}

// policy allows a browser to load what this server sends and nothing else. It also keeps the page out of other pages' frames.
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

// guarded adds the headers that isolate the page.
func guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next(w, r)
	}
}

// Has tells whether a page has an address.
func Has(address string) bool {
	_, err := fs.Stat(static, path.Join("static", address))
	return err == nil || address == "/events"
}

// file serves one file. A browser asks each time, and learns from the checksum that its copy is still valid.
func file(w http.ResponseWriter, r *http.Request) {
	name := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), "index.html")
	content, err := static.ReadFile("static/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(content)
	w.Header().Set("Content-Type", cmp.Or(types[path.Ext(name)], "text/plain; charset=utf-8"))
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", strconv.Quote(hex.EncodeToString(sum[:8])))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
