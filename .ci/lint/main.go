// Command lint checks that the repository's English is plain, and that the files of a package call downwards.
//
//	go run ./.ci/lint [-v]
//
// It reads the files that git tracks: comments, the longer strings of Go programs, Markdown pages and notebooks. It counts phrases that
// make a reader decode a sentence, and -v lists them. It exits with status 1 if 1,000 words of a top folder hold more than two, or if more
// than a fifth of the arrows between the files of a package run upwards in the order that its doc.go names.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

const (
	maxRate  = 2.0 // phrases in 1,000 words of a top folder
	minWords = 500 // a folder with fewer words has no rate of its own: one phrase would decide it
)

func main() {
	verbose := flag.Bool("v", false, "list every phrase found, with its file and line")
	flag.Parse()
	if err := run(os.Stdout, ".", *verbose); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// count holds the numbers of words and of hard phrases.
type count struct{ words, phrases int }

// rate returns the number of phrases in 1,000 words.
func (c count) rate() float64 { return 1000 * float64(c.phrases) / float64(max(c.words, 1)) }

// run reads the repository at root and prints the rate of each top folder. A rate that is too high is an error.
func run(w io.Writer, root string, verbose bool) error {
	paths, err := tracked(root)
	if err != nil {
		return err
	}
	folders := map[string]count{}
	for _, path := range paths {
		if filepath.Base(path) == "doc.go" {
			all, up, err := checkOrder(root, path)
			if err != nil {
				return err
			}
			if verbose && all > 0 {
				fmt.Fprintf(w, "%s: %d of %d arrows run upwards: %v\n", path, len(up), all, up)
			}
		}
		texts, err := read(root, path)
		if err != nil {
			return err
		}
		top, _, below := strings.Cut(path, "/")
		if !below {
			top = "."
		}
		for _, t := range texts {
			found := t.phrases()
			if verbose {
				for _, p := range found {
					fmt.Fprintf(w, "%s:%d: %s\n", path, p.line, p.shown)
				}
			}
			folders[top] = count{folders[top].words + t.count(), folders[top].phrases + len(found)}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		c := folders[name]
		fmt.Fprintf(w, "%-12s %5.2f hard phrases in 1,000 words (%d in %d)\n", name, c.rate(), c.phrases, c.words)
		if c.words >= minWords && c.rate() > maxRate && err == nil {
			err = errors.Errorf("%s has %.2f hard phrases in 1,000 words, above %g: -v lists them", name, c.rate(), maxRate)
		}
	}
	return err
}

// tracked lists the files that git tracks and that exist.
func tracked(root string) ([]string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return nil, errors.Wrap(err, "list the tracked files")
	}
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(path string) bool {
		info, err := os.Stat(filepath.Join(root, path))
		return path == "" || err != nil || !info.Mode().IsRegular()
	}), nil
}
