package files

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// PathVariable is the environment variable that lists folders to search for data files before the checkout's own.
const PathVariable = "PHE_DATA"

// Module is the module whose go.mod marks the root of the checkout. Its owner may rename it.
var Module = strings.TrimSuffix(reflect.TypeFor[Source]().PkgPath(), "/data/files")

// searchFolders returns the folders to search, in order and without repetition. Own is the checkout's folder within data.
func searchFolders(own string) []string {
	folders := filepath.SplitList(os.Getenv(PathVariable))
	if root := checkout(); root != "" {
		folders = append(folders, filepath.Join(root, "data", own))
	}
	if executable, err := os.Executable(); err == nil {
		for _, folder := range parents(filepath.Dir(executable)) {
			folders = append(folders, filepath.Join(folder, "data", own))
		}
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(folders, func(folder string) bool {
		again := seen[folder]
		seen[folder] = true
		return again
	})
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

// isCheckout reports whether the folder's go.mod declares this module.
func isCheckout(folder string) bool {
	content, _ := os.ReadFile(filepath.Join(folder, "go.mod"))
	return regexp.MustCompile(`(?m)^\s*module\s+"?` + regexp.QuoteMeta(Module) + `"?(\s|$)`).Match(content)
}
