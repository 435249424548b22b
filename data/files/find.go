package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// Find returns the path of the source's first file, or of the zip file that holds all its files.
//
// It searches the folders of PHE_DATA, then the source's folder in the checkout around the working directory. Last comes the same folder
// next to the executable and in every folder above it. Within a folder, FILE.zst comes before FILE.gz, then FILE, then NAME.zip.
// The source's other files must lie next to the first. The error names every folder that was searched, and a remedy.
func (s Source) Find() (path string, err error) {
	paths, err := s.FindAll()
	if err != nil {
		return "", err
	}
	return paths[0], nil
}

// FindAll returns the path of each file. If a zip file holds them, every path is the path of the zip file.
func (s Source) FindAll() (paths []string, err error) {
	names := s.Files[0].forms()
	if s.Files[0].Zipped != "" {
		names = append(names, s.zipName())
	}
	folders := searchFolders(s.Folder)
	for _, folder := range folders {
		if first, ok := firstFile(folder, names...); ok {
			return s.nextTo(first)
		}
	}
	for i, folder := range folders {
		folders[i] = folder + folderDefect(folder)
	}
	text := fmt.Sprintf("found none of %s; looked in:\n\t%s\n%s", strings.Join(names, ", "), strings.Join(folders, "\n\t"), s.Remedy())
	if s.isCommitted() {
		return nil, errors.New(text)
	}
	return nil, errors.WithStack(notHere(text))
}

// nextTo returns the paths of all files, given the path of the first.
func (s Source) nextTo(first string) (paths []string, err error) {
	paths = []string{first}
	for _, f := range s.Files[1:] {
		path, ok := first, true
		if filepath.Base(first) != s.zipName() {
			path, ok = firstFile(filepath.Dir(first), f.forms()...)
		}
		if !ok {
			return nil, errors.Errorf("found %s, but none of %s beside it; put the file there", first, strings.Join(f.forms(), ", "))
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// forms returns the names that the file may have, in the order in which they are tried.
func (f File) forms() []string { return []string{f.Name + ".zst", f.Name + ".gz", f.Name} }

// notHere is the error for files that the checkout lacks. [errors.Is] takes it for [fs.ErrNotExist].
type notHere string

// Error returns the message.
func (n notHere) Error() string { return string(n) }

// Is reports whether target is the error of a missing file.
func (n notHere) Is(target error) bool { return target == fs.ErrNotExist }

// firstFile returns the path of the first name that is a file in the folder.
func firstFile(folder string, names ...string) (path string, ok bool) {
	for _, name := range names {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, true
		}
	}
	return "", false
}

// folderDefect returns the reason why a folder cannot be searched, in parentheses, or "".
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
