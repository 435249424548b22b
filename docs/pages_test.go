// Package docs tests the pages that people read first: their commands run, their links lead somewhere, and they stay short.
package docs

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"gophe/phe/cmd/phe/streaming"
	"gophe/phe/disk/filetest"
)

// byHand is the mark of a block of commands that the test does not run. Each of its lines has a comment that says why: its
// time, or its needs.
const byHand = "by-hand"

// runs are the pages whose commands TestProgram runs.
var runs = []string{"README.md", firstHour, "docs/commands.md", "docs/values.md", "docs/live-streams.md"}

// firstHour is the page whose commands run in an empty folder.
const firstHour = "docs/first-hour.md"

// block is a fenced block of commands.
type block struct {
	line   int // of the page, where the commands begin
	byHand bool
	text   string
	output string // of the commands: the block of text that follows at once; "" if none does
}

var fence = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// blocks returns a page's blocks of shell commands, in order.
func blocks(t *testing.T, page string) (all []block) {
	t.Helper()
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		b := block{line: strings.Count(page[:m[4]], "\n") + 1, text: page[m[4]:m[5]]}
		switch page[m[2]:m[3]] {
		case "sh":
		case "sh " + byHand:
			b.byHand = true
		case "text":
			if last := len(all) - 1; last >= 0 && strings.HasSuffix(page[:m[0]], all[last].text+"```\n\n") {
				all[last].output = page[m[4]:m[5]]
			}
			continue
		case "go", "json", "python":
			continue
		default:
			t.Errorf("line %d: a block of %q; commands are sh or sh %s", b.line-1, page[m[2]:m[3]], byHand)
		}
		all = append(all, b)
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(filetest.Must(os.ReadFile(path))(t))
}

// checkout returns a folder with a copy of the files that git tracks, or would track if they were added.
func checkout(t *testing.T) string {
	t.Helper()
	root := filetest.Must(filepath.Abs(".."))(t)
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("this is no checkout of git, so nothing says which files a clone has")
	}
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names := filetest.Must(list.Output())(t)
	folder := t.TempDir()
	for _, name := range strings.Split(strings.TrimRight(string(names), "\x00"), "\x00") {
		err := copyFile(filepath.Join(root, name), filepath.Join(folder, name))
		filetest.True(t, err == nil || os.IsNotExist(err), "%v", err) // a file may be removed, and not committed yet
	}
	return folder
}

// copyFile copies a file and its mode, and makes the folders for the copy.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm())
}

// A copy of the checkout, in which nothing was built, keeps the promises of the pages. The program is built once, by the rule that
// `make demo` needs. Each page's commands run in their order, and the pages run side by side.
func TestProgram(t *testing.T) {
	if !filetest.Long() {
		t.Skip("a minute of two processors: builds all in a copy of the checkout and runs the demo; GOPHE_TEST=long and .ci/run run it")
	}
	folder := checkout(t)
	build := exec.Command("make", "bin/phe")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cache := t.TempDir() // a reader begins without XLA
	for _, page := range runs {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			testCommands(t, folder, page, cache)
		})
	}
}

// testCommands types the commands of a page into one shell. A free port takes the place of the server's.
func testCommands(t *testing.T, folder, page, cache string) {
	const mark = "the end of a block\n"
	content, script := read(t, filepath.Join(folder, page)), "trap 'kill $(jobs -p) || :' EXIT\n"
	all := slices.DeleteFunc(blocks(t, content), func(b block) bool { return b.byHand })
	for _, b := range all {
		script += b.text + "echo " + mark
	}
	l := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	filetest.Check(t, l.Close())
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	run, errs := exec.CommandContext(ctx, "bash", "-euxo", "pipefail", "-c", strings.ReplaceAll(script, "8417", port)), &strings.Builder{}
	run.Dir, run.Stderr, run.WaitDelay = folder, errs, time.Second
	run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
	run.Env = append(os.Environ(), "PHE_DATA=", "GOPHE_TRACE=", "GOPHE_CACHE="+cache,
		"PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
	if page == firstHour {
		run.Dir = t.TempDir()
	}
	output, err := run.Output()
	outputs := strings.Split(string(output), mark)
	for i, b := range all[:min(len(all), len(outputs))] {
		switch got := excerpt(b.output, outputs[i]); {
		case b.output == "" || age.ReplaceAllString(got, "") == age.ReplaceAllString(b.output, ""):
		case *update:
			content = strings.Replace(content, b.output, got, 1)
			filetest.Check(t, os.WriteFile(filepath.Join("..", page), []byte(content), 0o644))
		default:
			t.Errorf("%s, line %d: it shows\n%s\nand the commands print\n%s", page, b.line, b.output, got)
		}
	}
	filetest.True(t, err == nil, "%s, after %d of %d blocks: %v\n%s", page, len(outputs)-1, len(all), err, errs)
}

// age is the part of a server's answer that depends on the time.
var age = regexp.MustCompile(`"age_seconds":[\d.]+`)

// excerpt returns the lines of an output that a page shows. "…" stands for lines that are left out. The next line is found by its shape.
func excerpt(shown, output string) string {
	rest := strings.SplitAfter(output, "\n")
	var b strings.Builder
	for i, part := range strings.Split(shown, "…\n") {
		if i > 0 {
			b.WriteString("…\n")
			first, _, _ := strings.Cut(part, "\n")
			for len(rest) > 0 && shape(rest[0]) != shape(first) {
				rest = rest[1:]
			}
		}
		n := min(strings.Count(part, "\n"), len(rest))
		b.WriteString(strings.Join(rest[:n], ""))
		rest = rest[n:]
	}
	if !strings.HasSuffix(shown, "…\n") {
		b.WriteString(strings.Join(rest, ""))
	}
	return b.String()
}

// shape returns a text without its numbers and without the width of its columns.
func shape(text string) string {
	return strings.Join(strings.Fields(regexp.MustCompile(`[\d,.]+`).ReplaceAllString(text, "0")), " ")
}

// The README's first command prints the lines below it. A part of the shop's lines shows that the words are right, and all of them that the
// numbers are. The README and the first hour also say what labels 500 lines late give. With -update the lines are written anew.
func TestFirstCommand(t *testing.T) {
	page := read(t, "../README.md")
	b := blocks(t, page)[1]
	whole := filetest.Long() || *update
	got := excerpt(b.output, stream(t, b.text, whole))
	switch {
	case b.output == "", strings.Count(got, "\n") != strings.Count(b.output, "\n"):
		t.Fatalf("the command prints no lines of the form\n%s\nbut\n%s", b.output, got)
	case *update:
		filetest.Check(t, os.WriteFile("../README.md", []byte(strings.Replace(page, b.output, got, 1)), 0o644))
	case whole && got != b.output, shape(got) != shape(b.output):
		t.Errorf("the README shows\n%s\nand the command prints\n%s\nrun `go test ./docs -run TestFirstCommand -update`", b.output, got)
	}
	accuracy := func(output, model string) string {
		return regexp.MustCompile(`(?m)^` + model + ` .* ([\d.]+ %)`).FindStringSubmatch(output)[1]
	}
	yours := read(t, "first-hour.md")
	at := "and not " + accuracy(b.output, "this model") + "; the base rate has " + accuracy(b.output, "base rate")
	filetest.WantWords(t, yours, at)
	if !whole {
		return
	}
	late := accuracy(stream(t, b.text+" --delay 500", whole), "this model") + " (`--delay 500`)"
	filetest.WantWords(t, page, late)
	filetest.WantWords(t, yours, late)
}

// stream runs a command of `phe stream` on the shop's file or on its beginning, and returns its output.
func stream(t *testing.T, command string, whole bool) string {
	args := strings.Fields(strings.NewReplacer("'", "", "\\\n", "").Replace(command))[1:]
	args[1] = filepath.Join("..", args[1])
	if !whole {
		packed := filetest.Must(os.Open(args[1]))(t)
		defer packed.Close()
		plain := filetest.Must(zstd.NewReader(packed))(t)
		defer plain.Close()
		beginning := filetest.Must(io.ReadAll(io.LimitReader(plain, 1<<20)))(t)
		args[1] = filepath.Join(t.TempDir(), "retail.csv")
		filetest.Check(t, os.WriteFile(args[1], beginning[:1+bytes.LastIndexByte(beginning, '\n')], 0o644))
	}
	root, out := &cobra.Command{Use: "phe"}, &strings.Builder{}
	root.AddCommand(streaming.Commands()...)
	root.SetArgs(append(args, "--page=127.0.0.1:0", "--model", filepath.Join(t.TempDir(), "retail.phe")))
	root.SetOut(out)
	root.SetErr(io.Discard)
	filetest.Check(t, root.Execute())
	return out.String()
}

// A command that the test does not run says why.
func TestByHand(t *testing.T) {
	for path, page := range pages(t) {
		if path == "docs/your-stream.md" {
			continue // its commands are about files of the reader's
		}
		for _, b := range blocks(t, page) {
			runs := b.byHand || slices.Contains(runs, path)
			filetest.True(t, runs, "%s, line %d: TestProgram does not run this page; mark the block as %s", path, b.line, byHand)
			for i, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
				says := !b.byHand || strings.Contains(line, " # ") || strings.Contains(line, "go mod tidy")
				filetest.True(t, says, "%s, line %d: a comment must give the time of %q, or its needs", path, b.line+i, line)
			}
		}
	}
}

// pages returns the pages of Markdown in the root, in docs and in docs/reproduction, by their paths.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"../*.md", "*.md", "reproduction/*.md"} {
		for _, path := range filetest.Some(t, filetest.Must(filepath.Glob(pattern))(t), "pages "+pattern) {
			name := filepath.ToSlash(filepath.Join("docs", path))
			all[name] = read(t, path)
		}
	}
	filetest.True(t, len(all) >= 8, "%d pages", len(all))
	return all
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the names that GitHub gives a page's headings.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		all[strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return all
}

// Every link within the checkout leads to a file, and to a heading of it.
func TestLinks(t *testing.T) {
	for path, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := filepath.Join("..", path)
			if file != "" {
				target = filepath.Join("..", filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link %s: %v", path, m[1], err)
			} else if anchor != "" && !anchors(read(t, target))[anchor] {
				t.Errorf("%s: link %s: there is no such heading", path, m[1])
			}
		}
	}
}

// REPRODUCTION.md is an index: 8 KB, and 8 KB of links in its concordance, at most. Each page of docs/reproduction is short too, and every
// page is linked from the index.
func TestReproduction(t *testing.T) {
	index := read(t, "../REPRODUCTION.md")
	filetest.True(t, len(index) <= 16<<10, "%d bytes", len(index))
	for _, file := range filetest.Some(t, filetest.Must(os.ReadDir("reproduction"))(t), "pages") {
		content, most := read(t, filepath.Join("reproduction", file.Name())), 26<<10
		switch filepath.Ext(file.Name()) {
		case ".md":
			filetest.WantWords(t, index, "(docs/reproduction/"+file.Name()+")")
			narrow(t, file.Name(), content)
		case ".html":
			most = 300 << 10
			filetest.True(t, !strings.Contains(content, "://"), "%s needs a network", file.Name())
		default:
			continue
		}
		filetest.True(t, len(content) <= most, "%s: %d bytes", file.Name(), len(content))
	}
}

// narrow fails if a table of a page has more than five columns.
func narrow(t *testing.T, name, page string) {
	t.Helper()
	for line := range strings.Lines(page) {
		few := !strings.HasPrefix(line, "|") || strings.Count(line, "|") <= 5+1
		filetest.True(t, few, "%s: more than five columns: %s", name, line)
	}
}

// The README is short: 10 KB, two pictures, one table with at most five columns. Its first command stands within the first 25 lines.
func TestReadme(t *testing.T) {
	page := read(t, "../README.md")
	filetest.True(t, len(page) <= 10<<10, "%d bytes", len(page))
	filetest.Want(t, strings.Count(page, "!["), 2, "pictures")
	before, after, found := strings.Cut(page, "\n<!-- streams ")
	table, after, closed := strings.Cut(after, "\n<!-- end -->")
	filetest.True(t, found && closed, "the program fills no table")
	filetest.WantNone(t, before+after, "\n|")
	filetest.True(t, strings.Count(table, "\n|") <= 2+8, "%d lines of the table", strings.Count(table, "\n|"))
	narrow(t, "README.md", table)
	for _, b := range blocks(t, page)[:2] {
		filetest.True(t, b.line <= 25, "the first commands stand on line %d", b.line)
	}
}
