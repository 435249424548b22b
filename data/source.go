package data

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

//go:embed sources.json
var sourcesJSON string

// Source is what is known of a data file before it is opened: its shape, checksums, licence and citation.
type Source struct {
	Name       string `json:"name"`
	Title      string `json:"title"`
	File       string `json:"file"`        // NAME.csv.gz; NAME.csv.zst where gzip leaves megabytes
	Rows       int    `json:"rows"`        // data rows of the file, incomplete ones included
	Columns    int    `json:"columns"`     // columns of the file, label included
	FileSHA256 string `json:"file_sha256"` // hexadecimal, of the file as committed
	CSVSHA256  string `json:"csv_sha256"`  // hexadecimal, of the uncompressed content
	Origin     string `json:"origin"`      // page of the publisher
	Licence    string `json:"licence"`
	Citation   string `json:"citation"`
}

// Sources returns every declared data file, including those that Load cannot read yet.
// It panics if the embedded sources.json is malformed, which is a defect of the build.
func Sources() []Source {
	decoder := json.NewDecoder(strings.NewReader(sourcesJSON))
	decoder.DisallowUnknownFields()
	var sources []Source
	if err := decoder.Decode(&sources); err != nil {
		panic(errors.Wrap(err, "data/sources.json, embedded in the program"))
	}
	return sources
}

// PathVariable is the environment variable that lists folders to search for data files before the checkout's own.
const PathVariable = "PHE_DATA"

// modulePath is the module whose go.mod marks the root of the checkout. Its owner may rename it.
var modulePath = strings.TrimSuffix(reflect.TypeFor[Source]().PkgPath(), "/data")

// Find returns the path of the file: the first NAME.csv.zst, NAME.csv.gz or NAME.csv (in this order within a folder) along
// the folders of PHE_DATA, then in data/uci of the checkout around the working directory, then in data/uci beside the
// executable or any folder above it. The error names every folder looked in, and the remedy.
func (s Source) Find() (path string, err error) {
	folders := searchFolders("uci")
	for _, folder := range folders {
		if path, ok := firstFile(folder, s.Name+".csv.zst", s.Name+".csv.gz", s.Name+".csv"); ok {
			return path, nil
		}
	}
	for i, folder := range folders {
		folders[i] = folder + folderDefect(folder)
	}
	return "", errors.Errorf("found neither %s nor %s.csv; looked in:\n\t%s\nrun inside a checkout of %s, or set %s to the folder that holds the file",
		s.File, s.Name, strings.Join(folders, "\n\t"), modulePath, PathVariable)
}

// folderDefect says why nothing can be found in a folder, or "" if it is a folder.
func folderDefect(folder string) string {
	info, err := os.Stat(folder)
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		return fmt.Sprintf(" (%v)", path.Err)
	case err == nil && !info.IsDir():
		return " (a file, not a folder)"
	}
	return ""
}

// searchFolders lists the folders that Find searches, in order and without repetition: own is the checkout's, in data.
func searchFolders(own string) []string {
	var folders []string
	add := func(folder string) {
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range filepath.SplitList(os.Getenv(PathVariable)) {
		if folder != "" {
			add(folder)
		}
	}
	if root := checkout(); root != "" {
		add(filepath.Join(root, "data", own))
	}
	if executable, err := os.Executable(); err == nil {
		for _, folder := range parents(filepath.Dir(executable)) {
			add(filepath.Join(folder, "data", own))
		}
	}
	return folders
}

// checkout returns the root of the checkout around the working directory, or "".
func checkout() string {
	working, err := os.Getwd()
	if err != nil {
		return ""
	}
	for _, folder := range parents(working) {
		if isCheckout(folder) {
			return folder
		}
	}
	return ""
}

// parents returns the folder and every folder above it, the root last.
func parents(folder string) []string {
	all := []string{folder}
	for above := filepath.Dir(folder); above != folder; folder, above = above, filepath.Dir(above) {
		all = append(all, above)
	}
	return all
}

// isCheckout reports whether the folder's go.mod is ours.
func isCheckout(folder string) bool {
	content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(content) {
		if fields := strings.Fields(string(line)); len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`) == modulePath
		}
	}
	return false
}
