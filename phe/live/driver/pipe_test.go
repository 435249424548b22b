package driver

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
)

// TestPipeWaits lets a pipe pause. Meanwhile the feed must save the records that have come, and must be able to stop.
func TestPipeWaits(t *testing.T) {
	t.Parallel()
	const rows = 100
	content := generate(rows, "number")
	start := bytes.Join(lines(content)[:rows/2+1], nil)
	from, to := io.Pipe()
	defer to.Close()
	go func() { _, _ = to.Write(start) }() // the pipe gives no more for now
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j := job{Input: "-", Folder: filetest.Folder(t), Target: "number", Every: 5 * time.Millisecond}
	file := filetest.Must(store.OpenFile(j.model()))(t)
	in := filetest.Must(pipe(ctx, from))(t)
	l := filetest.Must(learner("number"))(t)
	ended := make(chan error)
	go func() {
		ended <- newDriver(l, State{Past: source.Past{Input: source.Input{Name: "standard input"}}}, file, in).Run(ctx, j.options())
	}()
	filetest.Until(t, "a checkpoint is saved while the pipe pauses", func() bool {
		_, err := checkpoint.Peek(j.model())
		return err == nil && j.state(t).Records() == rows/2
	})
	cancel()
	filetest.Want(t, <-ended, context.Canceled, "the error of the run")
	filetest.Check(t, file.Close())
	j.pipe = bytes.NewReader(content)
	j.mustRun(t)
	same(t, j, undisturbed(t, j, content, rows))
}

// TestPipeChanged sends a pipe again, with other records than before.
func TestPipeChanged(t *testing.T) {
	t.Parallel()
	content := generate(200, "number")
	parts := lines(content)
	withBad := bytes.Join([][]byte{bytes.Join(parts[:50], nil), []byte("bad\n"), bytes.Join(parts[50:], nil)}, nil)
	// it may read one record more
	interrupted := stopped(t, job{Input: "-", Target: "number", SkipBad: true, pipe: bytes.NewReader(withBad)}, 100)
	for _, c := range []struct {
		name    string
		content []byte
		words   string
	}{
		{"too short", bytes.Join(parts[:50], nil), "standard input ended before the 10"},
		{"a letter", bytes.Replace(content, []byte("\nu"), []byte("\nv"), 1), "standard input does not begin with the 10"},
		{"without the bad line", content, "standard input does not begin with the 10"},
		{"the rest alone", append([]byte(header), bytes.Join(parts[150:], nil)...), "standard input ended before the 10"},
	} {
		j := interrupted.copied(t)
		before := j.state(t)
		j.pipe = bytes.NewReader(c.content)
		_, err := j.run()
		filetest.WantError(t, err, c.words, "records that were learned; send it from its beginning again", "remedy: append")
		filetest.Want(t, j.state(t), before, "%s: the checkpoint's state", c.name)
	}
}

// TestPipeWaitsInVain lets a checkpoint fail while the pipe pauses. Run must return, and must not hide the failure behind the end
// of its context.
func TestPipeWaitsInVain(t *testing.T) {
	t.Parallel()
	from, to := io.Pipe()
	defer to.Close()
	go func() { _, _ = to.Write(generate(20, "number")) }()
	d := &filling{FS: disk.System}
	file := filetest.Must(checkpoint.Open(d, filepath.Join(t.TempDir(), "model")))(t)
	defer file.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in := filetest.Must(pipe(ctx, from))(t)
	l := filetest.Must(learner("number"))(t)
	f := newDriver(l, State{Past: source.Past{Input: source.Input{Name: "standard input"}}}, store.File{Store: file}, in)
	f.source = &meddling{Source: in, at: 20, do: func() {
		d.full.Store(true)
		time.AfterFunc(500*time.Millisecond, cancel) // in case the last checkpoint had all 20 records
	}}
	filetest.WantError(t, f.Run(ctx, Options{Every: 200 * time.Millisecond}), "cannot save the checkpoint", "the disk is full")
}

// filling is a disk that takes no new file once it is full.
type filling struct {
	disk.FS
	full atomic.Bool
}

// OpenFile opens a file, or fails.
func (d *filling) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	if d.full.Load() {
		return nil, errors.New("the disk is full")
	}
	return d.FS.OpenFile(name, flag, perm)
}

// silent is a pipe that gives nothing and ends. Something happens when a program reads it.
type silent func()

func (s silent) Read([]byte) (int, error) {
	s()
	return 0, io.EOF
}

// TestReplay interrupts a pipe that is sent again before all records that were learned have come. The checkpoint must stay.
func TestReplay(t *testing.T) {
	t.Parallel()
	content := generate(100, "number")
	j := stopped(t, job{Input: "-", Target: "number", pipe: bytes.NewReader(content)}, 80)
	before := filetest.Must(j.result())(t)
	var cancel context.CancelFunc
	j.canceling = &cancel
	j.pipe = io.MultiReader(bytes.NewReader(content[:1000]), silent(func() { cancel() }), bytes.NewReader(content[1000:]))
	same(t, stopped(t, j, 100), before)
	j.pipe = io.MultiReader(bytes.NewReader(content[:1000]), iotest.ErrReader(errDisk))
	_, err := j.run()
	filetest.True(t, errors.Is(err, errDisk), "Run returns %v", err)
	same(t, j, before)
	j.pipe = bytes.NewReader(content)
	j.mustRun(t)
	same(t, j, undisturbed(t, j, content, 100))
}
