package outfile_test

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/disk/outfile"
	"gophe/phe/remedy"
)

// text returns a function that writes a text.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds checks a file's content, and that its folder has a number of files.
func holds(t *testing.T, path, want string, files int) {
	t.Helper()
	filetest.Want(t, string(filetest.Must(os.ReadFile(path))(t)), want, "content of %s", path)
	filetest.Want(t, len(filetest.Must(os.ReadDir(filepath.Dir(path)))(t)), files, "files beside %s", path)
}

// TestWrite writes a new file, and one that is there. A failed write leaves the old file or none.
func TestWrite(t *testing.T) {
	t.Parallel()
	p := outfile.Place{Path: filepath.Join(t.TempDir(), "out.csv"), Flag: "--to"}
	failed := errors.New("the rows end")
	half := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Wrap(cmp.Or(err, failed), "reading")
	}
	filetest.True(t, errors.Is(p.Write(half), failed), "a write of half a file is another error, or none")
	filetest.WantFiles(t, filepath.Dir(p.Path)) // a failed write leaves nothing
	filetest.Check(t, p.Write(text("first")))
	filetest.WantError(t, p.Write(text("second")), p.Path+" already exists", "--to", "remedy: overwrite")
	holds(t, p.Path, "first", 1)
	p.Overwrite = true
	filetest.Check(t, os.Chmod(p.Path, 0o600))
	filetest.True(t, errors.Is(p.Write(half), failed), "a write over a file is another error, or none")
	holds(t, p.Path, "first", 1)
	filetest.Check(t, p.Write(text("second")))
	holds(t, p.Path, "second", 1)
	mode := filetest.Must(os.Stat(p.Path))(t).Mode()
	filetest.True(t, runtime.GOOS == "windows" || mode.Perm() == 0o600, "the permissions became %v", mode)
	folder := outfile.Place{Path: filepath.Dir(p.Path), Flag: "--to", Overwrite: true}
	filetest.WantError(t, folder.Write(text("x")), "is a folder", "--to")
}

// TestOthers names an input in every way.
func TestOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	in := filepath.Join(folder, "in.csv")
	filetest.Check(t, os.WriteFile(in, []byte("rows"), 0o644))
	hard, soft, journal := filepath.Join(folder, "hard"), filepath.Join(folder, "soft"), filepath.Join(folder, "journal")
	filetest.Check(t, os.Link(in, hard))
	filetest.Check(t, os.Mkdir(journal, 0o755))
	if err := os.Symlink(folder, soft); err != nil {
		t.Skip("no symbolic links here")
	}
	filetest.Check(t, outfile.Place{Path: "forecasts.csv", Others: []string{""}}.Check())
	others := []string{in, journal, filepath.Join(folder, "absent.old")}
	for _, path := range []string{in, hard, filepath.Join(soft, "in.csv"), filepath.Join(journal, "1"), filepath.Join(soft, "absent.old"),
		filepath.Join(folder, "journal", "..", "in.csv")} {
		p := outfile.Place{Path: path, Flag: "--to", Others: others, Overwrite: true}
		filetest.WantError(t, p.Write(text("x")), "the output would be written over", "--to")
	}
	filetest.Check(t, outfile.Place{Path: filepath.Join(folder, "absent"), Others: others}.Write(text("x")))
	holds(t, in, "rows", 5)
	link := filepath.Join(folder, "link") // gives way, and its file stays
	filetest.Check(t, os.Symlink(in, link))
	filetest.Check(t, outfile.Place{Path: link, Overwrite: true}.Write(text("x")))
	holds(t, link, "x", 6)
	holds(t, in, "rows", 6)
}

// TestKinds: a file of another kind stays, itself, behind a link and in the folder of a journal, whatever the user wants. No error
// advises to replace it.
func TestKinds(t *testing.T) {
	t.Parallel()
	csv := outfile.Kind{Name: "forecasts", Begins: `record,(?s:.*)novelty\n`}
	things := []string{"gophe checkpoint 1\n{}\n\x00\x01", "gophe journal 1 0\x00", "gophe series 2\n(\xb5\x2f\xfd", `{"name": "x"}`,
		"years of work\n",
		"c,y\n1,2\n", "record,x\n"}
	arrays := []string{"\x00\x00\x80\x3f", "\x7b\x00\x00\x00", "good\xff\xfe"}
	for _, c := range []struct {
		kind      outfile.Kind
		own, not  []string
		overwrite bool
	}{
		{csv, []string{"record,a,novelty\n1,2,3\n", ""}, append(arrays, things...), true},
		{csv, []string{""}, append(arrays, things...), false},
		{outfile.Numbers, append(arrays, ""), things, true},
	} {
		for _, content := range append(c.own, c.not...) {
			isOwn := !slices.Contains(c.not, content)
			for form, link := range map[string]func(string, string) error{"file": os.Rename, "hard link": os.Link, "link": os.Symlink} {
				folder := t.TempDir()
				from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
				filetest.Check(t, os.WriteFile(from, []byte(content), 0o644))
				filetest.Check(t, link(from, to))
				err := outfile.Place{Path: to, Flag: "--to", Overwrite: c.overwrite, Kind: c.kind}.Write(text("new"))
				now := filetest.Must(os.ReadFile(to))(t)
				if isOwn && (err != nil || string(now) != "new") || !isOwn && (err == nil || string(now) != content ||
					remedy.Of(err) != "") {
					t.Errorf("%s over a %s of %q: %v", c.kind.Name, form, content, err)
				}
			}
		}
	}
	journal := filepath.Join(t.TempDir(), "m.phe.journal")
	filetest.Check(t, os.Mkdir(journal, 0o755))
	filetest.Check(t, os.WriteFile(filepath.Join(journal, "00000000000000000001.journal"), nil, 0o644))
	for _, name := range []string{"f.csv", "deep/er/f.csv", "00000000000000000001.journal"} {
		filetest.WantError(t, outfile.Place{Path: filepath.Join(journal, name)}.Check(), "into the journal "+journal)
	}
}

// TestSync: a file that cannot be brought to the disk is an error. Linux syncs no file of /proc.
func TestSync(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no file that cannot be synced")
	}
	filetest.WantError(t, outfile.Place{Path: "/proc/self/comm"}.Write(text("phe")), "sync", "free some space")
}

// TestDevice writes to a device, whose place nothing takes.
func TestDevice(t *testing.T) {
	t.Parallel()
	before := filetest.Must(os.Stat(os.DevNull))(t)
	filetest.Check(t, outfile.Place{Path: os.DevNull, Flag: "--to"}.Write(text("x")))
	filetest.Want(t, filetest.Must(os.Stat(os.DevNull))(t).Mode(), before.Mode(), "mode")
}

// TestMany writes several files of a folder at the same time.
func TestMany(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			p := outfile.Place{Path: filepath.Join(folder, strconv.Itoa(n)), Overwrite: true}
			for range 50 {
				err := p.Write(text(p.Path))
				filetest.True(t, err == nil, "%v", err)
			}
		})
	}
	all.Wait()
	holds(t, filepath.Join(folder, "3"), filepath.Join(folder, "3"), 4)
}
