package records

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pkg/errors"
)

// maxWindow bounds the memory that a zstd file can ask for.
const maxWindow = 64 << 20

// source reads the content of a file or stream. It decompresses gzip and zstd.
type source struct {
	name        string
	raw         io.Reader
	back        io.Seeker // seeks in raw; nil if raw is a stream
	file        *os.File  // the file that close closes; nil if raw is the caller's
	base        int64     // position of raw at the beginning
	size        int64     // size of raw; 0 if unknown
	count       int64     // number of bytes read from raw
	waits       func()    // called before raw is read; may be nil
	stored      *bufio.Reader
	compression string        // "gzip", "zstd" or ""
	plain       io.Reader     // of the decompressed bytes
	zstd        *zstd.Decoder // kept, because a decoder is costly to make
}

// openFile opens a file as it is stored, or standard input for "-". Standard input and a named pipe are streams.
func openFile(path string) (*source, error) {
	in := &source{name: "standard input", raw: os.Stdin}
	file := os.Stdin
	if path != "-" {
		var err error
		if file, err = os.Open(path); err != nil {
			return nil, errors.Wrap(err, "opening a table; check the path and the right to read it")
		}
		in.name, in.raw, in.file = path, file, file
	}
	switch info, err := file.Stat(); {
	case err == nil && info.IsDir():
		file.Close()
		return nil, errors.Errorf("%s is a folder; name a file in it", in.name)
	case err == nil && info.Mode().IsRegular():
		in.size = info.Size()
		if in.file != nil {
			in.back = file
		}
	}
	return in, nil
}

// start reads the first bytes of raw to detect its compression.
func (s *source) start() error {
	s.stored = bufio.NewReaderSize(counter{s}, 64<<10)
	magic, err := s.stored.Peek(4)
	if err != nil && err != io.EOF {
		return errors.Wrapf(err, "reading %s", s.name)
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		s.compression = "gzip"
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		s.compression = "zstd"
	}
	return s.decompress()
}

// until returns a reader of a stream whose Read returns when the context ends, even if the stream is silent.
func until(ctx context.Context, stream io.Reader) io.Reader {
	from, to := io.Pipe()
	context.AfterFunc(ctx, func() { to.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(to, stream)
		to.CloseWithError(err)
	}()
	return from
}

// counter counts the bytes that are read from raw.
type counter struct{ *source }

// Read implements io.Reader.
func (c counter) Read(p []byte) (int, error) {
	if c.waits != nil {
		c.waits()
	}
	n, err := c.raw.Read(p)
	c.count += int64(n)
	return n, err
}

// decompress starts reading at the beginning of the stored bytes.
func (s *source) decompress() error {
	switch s.compression {
	case "gzip":
		unzip, err := gzip.NewReader(s.stored)
		if err != nil {
			return s.explain(err)
		}
		s.plain = unzip
	case "zstd":
		if s.zstd != nil {
			return s.explain(s.zstd.Reset(s.stored))
		}
		decoder, err := zstd.NewReader(s.stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow),
			zstd.WithDecoderLowmem(true))
		if err != nil {
			return s.explain(err)
		}
		s.zstd, s.plain = decoder, decoder
	default:
		s.plain = s.stored
	}
	return nil
}

// Read implements io.Reader. An error other than io.EOF says what to do.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.plain.Read(p)
	if err != nil && err != io.EOF {
		err = s.explain(err)
	}
	return n, err
}

// explain adds the file's name and a remedy to an error of raw or of a decompressor.
func (s *source) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case s.compression == "" || errors.Is(err, context.Canceled):
		return errors.Wrapf(err, "reading %s", s.name)
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return errors.Errorf("%s needs more than %d MiB to decompress; compress it again with zstd without --long", s.name, maxWindow>>20)
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		return errors.Errorf("%s is cut off: its %s data ends too early; copy or download it again", s.name, s.compression)
	}
	return errors.Wrapf(err, "%s has damaged %s data; copy or download it again", s.name, s.compression)
}

// goTo makes Read continue after the first offset bytes of the content.
func (s *source) goTo(offset int64) error {
	if s.back == nil {
		return errors.Errorf("%s is a stream and cannot go to a position; save it to a file first", s.name)
	}
	to := s.base
	if s.compression == "" {
		to += offset
	}
	if _, err := s.back.Seek(to, io.SeekStart); err != nil {
		return errors.Wrapf(err, "going to a position in %s", s.name)
	}
	s.count = to - s.base
	s.stored.Reset(counter{s})
	if err := s.decompress(); err != nil || s.compression == "" {
		return err
	}
	n, err := io.CopyN(io.Discard, s, offset)
	if err == io.EOF {
		return errors.Errorf("%s has %d bytes of text, but the position is at byte %d; start from the beginning of the file", s.name, n,
			offset)
	}
	return err
}

// close releases the decompressor and the file.
func (s *source) close() error {
	if s.zstd != nil {
		s.zstd.Close()
	}
	if s.file == nil {
		return nil
	}
	return errors.Wrapf(s.file.Close(), "closing %s", s.name)
}
