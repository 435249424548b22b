package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/records"
)

// TestFingerprint edits one byte of a large file after it was learned. A check of all bytes must find the byte, and say where it is. The
// check without it must find the byte in the first and last 64 KiB at once, and elsewhere after some starts.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	const size = 80<<20 + 12345 // more than maxPlaces blocks of 64 KiB
	path := filepath.Join(filetest.Folder(t), "rows.csv")
	file := filetest.Must(os.Create(path))(t)
	defer file.Close()
	filetest.Check(t, file.Truncate(size))
	at := func(offset int64, b byte) {
		t.Helper()
		filetest.Must(file.WriteAt([]byte{b}, offset))(t)
	}
	for i := range int64(1000) {
		at(i*size/1000, byte(i))
	}
	s, all := Past{Input: filetest.Must(identify(path, size))(t), Rows: 1000}, Fingerprint{}
	filetest.Check(t, all.extend(file, size))
	var pieces Fingerprint
	filetest.Check(t, read(file, 0, 1, pieces.add))
	filetest.Check(t, read(file, 1, 70<<20, pieces.add))
	filetest.Check(t, pieces.extend(file, size))
	filetest.Want(t, pieces, all, "the fingerprint in pieces")
	filetest.True(t, all.blocks() <= maxPlaces, "the fingerprint has %d blocks", all.blocks())
	filetest.Want(t, all.Block, 128<<10, "bytes of a block")
	for range 40 { // the rest of a sample is drawn by chance
		filetest.True(t, slices.Contains(all.sample(), all.blocks()-1), "a sample leaves out the last block")
	}
	choose := func(check func(done, all int64)) error {
		s.Position = encode(filePosition{Position: records.Position{Record: 1000, Offset: size, Line: 1000}, Fingerprint: all})
		_, err := s.choose([]string{path}, false, check)
		return err
	}
	shown := int64(0)
	compared := func(done, all int64) {
		filetest.True(t, shown <= done && done <= all, "%d bytes of %d are compared after %d", done, all, shown)
		shown = done
	}
	filetest.Check(t, choose(nil))
	filetest.Check(t, choose(compared))
	filetest.True(t, shown >= size-128<<10, "the progress ends at byte %d of %d", shown, size)
	for _, offset := range []int64{1, disk.HeadBytes - 1, 128 << 10, 40<<20 + 77, size - minBlock, size - 1} {
		at(offset, 0xff)
		block := offset &^ (128<<10 - 1)
		shown = 0
		where := fmt.Sprintf("has changed in the part that was learned, its first 1,000 records: bytes %d to %d differ", block,
			min(block+128<<10, size)-1)
		filetest.WantError(t, choose(compared), where, "put that part back", "remedy: learn again")
		starts := 1
		for ; starts < 200 && choose(nil) == nil; starts++ {
		}
		filetest.True(t, starts < 200, "byte %d was edited, and no start of %d noticed it", offset, starts)
		always := offset < disk.HeadBytes || offset >= size-minBlock
		filetest.True(t, !always || starts == 1, "byte %d was edited, and only start %d noticed it", offset, starts)
		at(offset, 0)
	}
	for _, hostile := range []Fingerprint{{Bytes: 1 << 60, Block: 1}, {Bytes: size}, {Bytes: -5, Block: minBlock},
		{Bytes: size, Block: minBlock, Places: make([]byte, 7)}} {
		all = hostile // of a model that no program wrote
		filetest.Check(t, choose(compared))
	}
}

// The sum of records tells where fields and records end.
func TestCheckSum(t *testing.T) {
	split := checkSum(checkSum(0, []string{"a"}), []string{"b"})
	filetest.True(t, checkSum(0, []string{"ab", "c"}) != checkSum(0, []string{"a", "bc"}), "the sum does not see where fields end")
	filetest.True(t, split != checkSum(0, []string{"a", "b"}), "the sum does not see where records end")
}
