package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
)

// twoGenerations saves two states. It returns the path and the newest file's bytes.
func twoGenerations(t *testing.T, older, newest []byte) (path string, file []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state")
	s := mustOpen(t, path)
	mustSave(t, s, older)
	mustSave(t, s, newest)
	filetest.Check(t, s.Close())
	return path, filetest.Must(os.ReadFile(path))(t)
}

// write makes a new file. To write over the old one would make some file systems sync it.
func write(t testing.TB, name string, b []byte) {
	t.Helper()
	filetest.Check(t, removeFile(disk.System, name))
	filetest.Check(t, os.WriteFile(name, b, 0o666))
}

// wantFile checks the content of a file.
func wantFile(t testing.TB, name string, want []byte, what string) {
	t.Helper()
	filetest.Want(t, string(filetest.Must(os.ReadFile(name))(t)), string(want), "%s", what)
}

// damages counts what Peek did with damaged files.
type damages struct{ fellBack, refused int }

// look checks that Peek returns the older generation with a warning, or an error that names the file.
func (d *damages) look(t *testing.T, path string, older []byte, what string, at int) {
	t.Helper()
	loaded, err := Peek(path)
	switch {
	case err != nil && strings.Contains(err.Error(), path):
		d.refused++
	case err == nil && bytes.Equal(loaded.Payload, older) && loaded.Generation == 1 && loaded.Path == olderName(path) &&
		strings.Contains(loaded.Warning, path+" is damaged"):
		d.fellBack++
	default:
		t.Fatalf("%s at %d: generation %d, warning %q, %v", what, at, loaded.Generation, loaded.Warning, err)
	}
}

func flip(b []byte, bit int) []byte {
	c := bytes.Clone(b)
	c[bit/8] ^= 1 << (bit % 8)
	return c
}

// TestDamageEverywhere flips every bit of a small file, cuts it at every byte, and appends bytes to it.
func TestDamageEverywhere(t *testing.T) {
	older, newest := []byte("the state before"), []byte("the newest state")
	path, file := twoGenerations(t, older, newest)
	var flips, cuts damages
	for bit := range 8 * len(file) {
		write(t, path, flip(file, bit))
		flips.look(t, path, older, "a bit flipped", bit)
	}
	// Three flips make a later version of 1: of "1" they make "3", "5" and "9".
	filetest.Want(t, flips, damages{8*len(file) - 3, 3}, "flips")
	for size := range file {
		write(t, path, file[:size])
		cuts.look(t, path, older, "cut", size)
		write(t, path, append(bytes.Clone(file), file[:size+1]...))
		cuts.look(t, path, older, "bytes too many", size)
	}
	filetest.Want(t, cuts, damages{2 * len(file), 0}, "cuts")
	write(t, path, file)
	wantLoaded(Peek(path))(t, string(newest), 2)
	t.Logf("%d flips, %d cuts", 8*len(file), len(file))
}

// TestBothDamaged damages both generations. The error names both, and Save leaves both as they are.
func TestBothDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	path, file := twoGenerations(t, []byte("the state before"), []byte("the newest state"))
	older := filetest.Must(os.ReadFile(olderName(path)))(t)
	digit := len(formatName)
	for range 100 {
		first, second := digit, digit
		for first == digit || second == digit { // another version is no damage
			first, second = r.IntN(len(file)), r.IntN(len(older))
		}
		write(t, path, flip(file, 8*first+r.IntN(8)))
		write(t, olderName(path), older[:second])
		_, err := Peek(path)
		filetest.WantError(t, err, path+" is damaged", olderName(path)+" is damaged", "restore", "remove both")
	}
	filetest.Check(t, os.Remove(olderName(path)))
	filetest.WantError(t, filetest.Failure(Peek(path)), path+" is damaged", olderName(path)+" is missing")
	damaged := filetest.Must(os.ReadFile(path))(t)
	filetest.WantError(t, mustOpen(t, path).Save(saving(nil)), path+" is damaged")
	wantFile(t, path, damaged, "a damaged file without a second generation, after Save")
}

// TestSaveAfterDamage: the next save replaces the damaged file, and not the older generation, the only whole one.
func TestSaveAfterDamage(t *testing.T) {
	path, file := twoGenerations(t, []byte("1"), []byte("2"))
	write(t, path, flip(file, 8*len(file)-1))
	older := filetest.Must(os.ReadFile(olderName(path)))(t)
	s := mustOpen(t, path)
	loaded := filetest.Must(Peek(s.Path))(t)
	filetest.True(t, loaded.Warning != "", "damage without a warning")
	mustSave(t, s, []byte("3"))
	wantFile(t, olderName(path), older, "the only whole generation")
	wantLoaded(Peek(s.Path))(t, "3", 2)
}

// TestOlderCopy: a copy of an earlier generation in the place of the newest is refused, since the next save would destroy the newer
// generation. The user chooses by removing either.
func TestOlderCopy(t *testing.T) {
	path, _ := twoGenerations(t, []byte("1"), []byte("2"))
	backup := filetest.Must(os.ReadFile(olderName(path)))(t)
	s := mustOpen(t, path)
	mustSave(t, s, []byte("3"))
	mustSave(t, s, []byte("4"))
	write(t, path, backup)
	_, err := Peek(path)
	filetest.WantError(t, err, "generation 1", "generation 3", "remove "+path+" to go on with the newer one")
	filetest.Check(t, s.Close())
	s = mustOpen(t, path) // the next start
	filetest.WantError(t, s.Save(func(io.Writer) error { return nil }), "is an older copy")
	for remove, want := range map[string]string{path: "3", olderName(path): "1"} {
		copied := filepath.Join(t.TempDir(), "state")
		for _, name := range []string{path, olderName(path)} {
			if name != remove {
				write(t, copied+strings.TrimPrefix(name, path), filetest.Must(os.ReadFile(name))(t))
			}
		}
		loaded := filetest.Must(Peek(copied))(t)
		filetest.Want(t, string(loaded.Payload), want, "the state without %s", remove)
	}
}

// TestSparse: files are made large, without a byte on the disk. That takes no memory.
func TestSparse(t *testing.T) {
	path, file := twoGenerations(t, []byte("older"), []byte("newest"))
	const size = 1 << 27
	announced := fmt.Appendf(nil, `%s{"payload": %d`, firstLine, size-64-sha256.Size)
	announced = fmt.Appendf(nil, "%-62s}\n", announced)
	for _, content := range [][]byte{file, nil, announced} {
		write(t, path, content)
		filetest.Check(t, os.Truncate(path, size))
		took := filetest.Allocated(func() { new(damages).look(t, path, []byte("older"), "a hole", len(content)) })
		filetest.True(t, took <= 1<<20, "%d MB for a file of %d bytes and a hole", took>>20, len(content))
	}
}

// FuzzLoad parses arbitrary bytes, and bytes to which the right checksum was added. Whatever is taken for whole must have the
// right checksum and the announced length.
func FuzzLoad(f *testing.F) {
	whole := handMade("gophe checkpoint 1\n", "payload")
	f.Add(whole, 0)
	f.Add(whole[:len(whole)-sha256.Size], 7)
	f.Add(handMade("gophe checkpoint 2\n", "payload"), 0)
	f.Add([]byte("gophe checkpoint 1\n{\"payload\":-1}\n"), 0)
	f.Add([]byte("gophe checkpoint 1\n{\"payload\":9223372036854775807}\n"), 0)
	f.Add([]byte("gophe checkpoint 1\nnull\n"), 1)
	f.Fuzz(func(t *testing.T, b []byte, sealed int) {
		if sealed > 0 && sealed <= len(b) { // seal as if the last bytes were the payload
			lines, payload := b[:len(b)-sealed], b[len(b)-sealed:]
			sum := sha256.Sum256(append(bytes.Clone(payload), lines...))
			b = append(bytes.Clone(b), sum[:]...)
		}
		h, payload, err := parse(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			filetest.True(t, payload == nil, "%d bytes beside the error %v", len(payload), err)
			return
		}
		filetest.Want(t, int64(len(payload)), h.Payload, "the payload's bytes")
		head := b[:len(b)-sha256.Size-len(payload)]
		sum := sha256.Sum256(append(bytes.Clone(payload), head...))
		isWhole := bytes.HasSuffix(b, append(bytes.Clone(payload), sum[:]...)) && bytes.HasPrefix(b, []byte("gophe checkpoint 1\n"))
		filetest.True(t, isWhole, "taken for whole: %q", b)
	})
}
