package files

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"io"
	"path"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"
)

// packers maps the extension of a compressed file to the program that makes such files.
var packers = map[string]string{".gz": "gzip", ".zst": "zstd"}

// The checkout's files were compressed with a window of 8 MiB; a decoder keeps a whole window in memory.
const (
	zstdMagic  = "\x28\xb5\x2f\xfd"
	zstdWindow = 32 << 20
)

// unpack decompresses a file. The extension of its name says how.
func unpack(name string, packed *bufio.Reader) (io.Reader, error) {
	if filepath.Ext(name) == ".gz" {
		return gzip.NewReader(packed)
	}
	if head, err := packed.Peek(len(zstdMagic)); err != nil || string(head) != zstdMagic {
		return nil, errors.New("its first bytes are not zstd's") // the decoder would notice only on the first read
	}
	return zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
}

// openZipped opens a file inside a zip file, in any folder; nothing is unpacked to disk. In errors its path is the path of the zip
// file followed by the path inside. Call finish at the end.
func openZipped(archivePath, name string) (*content, error) {
	archive, err := zip.OpenReader(archivePath)
	if err != nil {
		return nil, errors.Wrapf(err, "%s: not a zip file, or cut off", archivePath)
	}
	var inside []*zip.File
	for _, f := range archive.File {
		if path.Base(f.Name) == name {
			inside = append(inside, f)
		}
	}
	if len(inside) != 1 {
		archive.Close()
		return nil, errors.Errorf("%s: %d files named %s inside, want 1", archivePath, len(inside), name)
	}
	c := &content{path: filepath.Join(archivePath, filepath.FromSlash(inside[0].Name)), file: archive, packed: true, hash: sha256.New()}
	if c.plain, err = inside[0].Open(); err != nil {
		archive.Close()
		return nil, errors.Wrapf(err, "%s: damaged", c.path)
	}
	return c, nil
}
