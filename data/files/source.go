// Package files declares data files, finds them, reads their content and verifies their checksums. It also downloads published files.
//
// The files come with the checkout, or users download them: their declaration is a [Source]. Call Source.FindAll, then File.Read for each
// file, then Source.Accept. Source.Fetch downloads a file, and Source.Verify checks all files without parsing rows.
package files

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// Source declares a data set's files before they are opened: their size, checksums, licence and citation.
type Source struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Folder    string `json:"folder"`            // folder of the checkout, within data
	Rows      int    `json:"rows"`              // data rows of the first file, incomplete rows included
	Columns   int    `json:"columns,omitempty"` // columns of a UCI file, label included
	Films     int    `json:"films,omitempty"`   // rows of MovieLens' movies.csv; not every film has a rating
	Files     []File `json:"files"`
	ZipFolder string `json:"zip_folder,omitempty"` // URL of the folder in which NAME.zip is published; "": it is not published
	ZipBytes  int64  `json:"zip_bytes,omitempty"`  // approximate size of NAME.zip; 0: it is not published
	ZipMD5    string `json:"zip_md5,omitempty"`    // "": unknown
	Origin    string `json:"origin"`               // the publisher's page
	Licence   string `json:"licence"`
	Citation  string `json:"citation"`
}

// File declares one file of a source. Checksums are hexadecimal.
//
// The licence keeps some files out of the checkout. Users download them, and their lines may end in LF or in CR LF. SHA256 is the
// checksum with LF line ends, MD5 the publisher's, with CR LF.
type File struct {
	Name            string `json:"name"`                       // such as adult.csv; a compressed file has .gz or .zst after it
	Committed       string `json:"committed,omitempty"`        // file name in the checkout; "": the checkout lacks the file
	CommittedSHA256 string `json:"committed_sha256,omitempty"` // checksum of the file in the checkout
	SHA256          string `json:"sha256,omitempty"`           // checksum of the uncompressed content
	MD5             string `json:"md5,omitempty"`              // checksum of the published content, for files whose SHA256 is unknown
	Zipped          string `json:"zipped,omitempty"`           // file name inside NAME.zip
}

// Decode decodes an embedded JSON list. It panics if the list is malformed, which is a defect of the build.
func Decode(file, text string) []Source {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var sources []Source
	if err := decoder.Decode(&sources); err != nil {
		panic(errors.Wrapf(err, "%s, embedded in the program", file))
	}
	return sources
}

// LookUp returns the source with a name.
func LookUp(sources []Source, name string) (s Source, ok bool) {
	i := slices.IndexFunc(sources, func(s Source) bool { return s.Name == name })
	if i < 0 {
		return Source{}, false
	}
	return sources[i], true
}

// Names returns the names of sources.
func Names(sources []Source) []string {
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	return names
}

// zipName returns the name of the publisher's zip file.
func (s Source) zipName() string { return s.Name + ".zip" }

// isCommitted reports whether the checkout holds the source's files.
func (s Source) isCommitted() bool { return len(s.Files) > 0 && s.Files[0].Committed != "" }

// Remedy tells a user how to get the files.
func (s Source) Remedy() string {
	switch {
	case s.isCommitted():
		return "run inside a checkout of " + Module + ", or set " + PathVariable + " to the folder that holds the file"
	case s.ZipBytes > 0:
		return "fetch it with: phe data fetch " + s.Name + "; or set " + PathVariable + " to the folder that holds it"
	}
	return "take its two files from " + s.Origin + " and set " + PathVariable + " to the folder that holds them"
}
