// Command prose checks that the repository's English is plain.
//
//	go run ./.ci/prose [-v] [-max RATE] [FOLDER]
//
// It reads the tracked files: comments, error and help texts, Markdown pages and notebooks. It counts phrases that make a
// reader decode a sentence. The command exits with status 1 if 1,000 words hold more
// than RATE such phrases, in the whole repository or in one of its top folders.
package main

import (
	"cmp"
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

// smallest is the number of words below which a top folder has no rate of its own: one phrase would decide it.
const smallest = 500

func main() {
	verbose := flag.Bool("v", false, "list every phrase found, with its file and line")
	most := flag.Float64("max", 2, "highest `rate` of phrases in 1,000 words")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	if err := run(os.Stdout, root, *verbose, *most); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run reads the repository at root and prints its figures.
func run(w io.Writer, root string, verbose bool, most float64) error {
	paths, err := tracked(root)
	if err != nil {
		return err
	}
	var all figures
	folders, files := map[string]figures{}, map[string]figures{}
	for _, path := range paths {
		texts, err := read(root, path)
		if err != nil {
			return err
		}
		for _, t := range texts {
			found := t.phrases()
			if verbose {
				for _, p := range found {
					fmt.Fprintf(w, "%s:%d: %s\n", path, p.line, p.shown)
				}
			}
			f := t.measure(len(found))
			all, folders[top(path)], files[path] = all.plus(f), folders[top(path)].plus(f), files[path].plus(f)
		}
	}
	show(w, all, folders, files, most)
	return judge(all, folders, most)
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

// top returns the first folder of a path, or "." for a file at the root.
func top(path string) string {
	if folder, _, below := strings.Cut(path, "/"); below {
		return folder
	}
	return "."
}

// figures counts the words and phrases of texts.
type figures struct {
	words, phrases             int
	commentWords, commentStops int // words and sentences of comments alone
}

func (f figures) plus(g figures) figures {
	return figures{f.words + g.words, f.phrases + g.phrases, f.commentWords + g.commentWords, f.commentStops + g.commentStops}
}

// rate returns the number of phrases in 1,000 words.
func (f figures) rate() float64 {
	return 1000 * float64(f.phrases) / float64(max(f.words, 1))
}

// String returns the rate of phrases and the length of sentences.
func (f figures) String() string {
	return fmt.Sprintf("%5.2f in 1,000 words (%d in %d); a comment's sentence has %.1f words",
		f.rate(), f.phrases, f.words, float64(f.commentWords)/float64(max(f.commentStops, 1)))
}

// show prints a line for each top folder and a line for everything. It adds the worst files if a figure is too high.
func show(w io.Writer, all figures, folders, files map[string]figures, most float64) {
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		fmt.Fprintf(w, "%-12s %s\n", name, folders[name])
	}
	fmt.Fprintf(w, "%-12s %s\n", "all", all)
	if judge(all, folders, most) == nil {
		return
	}
	worst := slices.Sorted(maps.Keys(files))
	slices.SortStableFunc(worst, func(a, b string) int { return cmp.Compare(files[b].phrases, files[a].phrases) })
	fmt.Fprintln(w, "the files with the most phrases:")
	for _, name := range worst[:min(15, len(worst))] {
		fmt.Fprintf(w, "  %4d %s\n", files[name].phrases, name)
	}
}

// judge refuses a rate above most.
func judge(all figures, folders map[string]figures, most float64) error {
	if all.rate() > most {
		return errors.Errorf("%.2f hard phrases in 1,000 words, above %g: -v lists them", all.rate(), most)
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		if f := folders[name]; f.words >= smallest && f.rate() > most {
			return errors.Errorf("%s has %.2f hard phrases in 1,000 words, above %g: -v lists them", name, f.rate(), most)
		}
	}
	return nil
}
