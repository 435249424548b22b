package source

import (
	"cmp"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

// filesIn returns the files of a folder. If it has none but folders such as month=2, it returns the files of that partitioned table.
func filesIn(folder string) (files []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, errors.Wrap(err, "reading a folder; check the right to read it")
	}
	hidden, parts := true, false // as _SUCCESS is in a partitioned table
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && e.Name()[0] != '.' {
			files, hidden = append(files, path), hidden && e.Name()[0] == '_'
		}
		parts = parts || e.IsDir() && strings.Contains(e.Name(), "=")
	}
	if !parts || !hidden {
		return files, nil
	}
	files = nil
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return errors.Wrap(err, "reading a partitioned table; check the right to read it")
		case e.IsDir() && path != folder && !strings.Contains(e.Name(), "="):
			return fs.SkipDir
		case !e.IsDir() && filepath.Dir(path) != filepath.Clean(folder) && e.Name()[0] != '.' && e.Name()[0] != '_':
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// partition returns the names and values of columns in a path, as in month=2/day=%20/x.csv. A missing value has a name of its own.
func partition(path string) (columns [][2]string) {
	for folder := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		name, value, is := strings.Cut(folder, "=")
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		if value == "__HIVE_DEFAULT_PARTITION__" {
			value = ""
		}
		if is && name != "" {
			columns = append(columns, [2]string{name, value})
		}
	}
	return columns
}

// byParts compares paths folder by folder. Of the values of one column, numbers come first, by their size.
func byParts(a, b string) int {
	split := func(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }
	return slices.CompareFunc(split(a), split(b), func(a, b string) int {
		ofA, valueA, _ := strings.Cut(a, "=")
		ofB, valueB, _ := strings.Cut(b, "=")
		x, word := strconv.ParseFloat(valueA, 64)
		y, otherWord := strconv.ParseFloat(valueB, 64)
		switch {
		case ofA != ofB || word != nil && otherWord != nil:
			return strings.Compare(a, b)
		case word != nil:
			return 1
		case otherWord != nil:
			return -1
		}
		return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
	})
}
