//go:build linux || darwin

package feed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/checkpoint"
	"gophe/phe/filetest"
)

func init() { roles["full"] = fillUp }

// fillUp does the job under every limit of file sizes in steps, from 0 to beyond the checkpoint and the forecasts.
func fillUp(j job) error {
	top := j.Folder
	in := func(name string) (job, error) {
		j.Folder = filepath.Join(top, name)
		return j, os.Mkdir(j.Folder, 0o755)
	}
	whole, err := in("whole")
	if err == nil {
		_, err = whole.run()
	}
	if err != nil {
		return err
	}
	want, err := whole.result()
	if err != nil {
		return err
	}
	info, err := os.Stat(whole.model())
	if err != nil {
		return err
	}
	checkpoint, kept := int(info.Size()), 0
	for step := range j.Steps {
		limit := step * checkpoint / j.Steps
		if step%2 > 0 { // the checkpoint has room, and the forecasts have not
			limit = checkpoint + step*(len(want.output)-checkpoint)/j.Steps
		}
		j, err := in(fmt.Sprint(limit))
		if err == nil && step%4 > 1 { // there is a checkpoint already
			j.stop = 1000
			if _, err = j.run(); errors.Is(err, context.Canceled) {
				err = nil
			}
			j.stop = 0
		}
		if err != nil {
			return err
		}
		rows, err := j.runUnder(uint64(limit), want)
		if err != nil {
			return errors.WithMessagef(err, "limit %d; %d bytes of forecasts, %d of the checkpoint", limit, len(want.output), checkpoint)
		}
		if rows > 0 {
			kept++
		}
		if err := os.RemoveAll(j.Folder); err != nil {
			return err
		}
	}
	fmt.Printf("%d limits, %d times with a checkpoint of some rows; a checkpoint takes %d bytes, and the forecasts %d\n", j.Steps, kept, checkpoint, len(want.output))
	return nil
}

// runUnder does the job twice with too little disk, and then without a limit. It returns the number of rows in the checkpoint when
// the disk was full.
func (j job) runUnder(limit uint64, want result) (rows int64, err error) {
	for range 2 {
		if err := filetest.Limit(limit); err != nil {
			return 0, err
		}
		_, err = j.run()
		if lifted := filetest.Limit(filetest.NoLimit); lifted != nil {
			return 0, lifted
		}
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "free some space") {
			return 0, errors.Errorf("on a full disk the job returns %v", err)
		}
		if rows, err = j.consistent(); err != nil {
			return 0, err
		}
	}
	if _, err := j.run(); err != nil {
		return 0, err
	}
	got, err := j.result()
	if err == nil && (!bytes.Equal(got.payload, want.payload) || !bytes.Equal(got.output, want.output)) {
		err = errors.New("after a full disk the bytes differ from an undisturbed run")
	}
	return rows, err
}

// consistent checks that learner, position and output of the checkpoint fit each other. It returns the number of rows.
func (j job) consistent() (int64, error) {
	loaded, err := checkpoint.Peek(j.model(), Kind)
	if errors.Is(err, checkpoint.ErrNone) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	l, s, err := Load(loaded.Payload)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(j.output())
	if err != nil {
		return 0, err
	}
	waiting, _ := l.Waiting()
	known := l.Rows() + int64(waiting)
	if loaded.Warning != "" || known != s.Rows || s.Position.Record != s.Rows || info.Size() < s.Output || (s.Output > 0) != (s.Rows > 0) {
		return 0, errors.Errorf("warning %q, %d rows, %d bytes of forecasts, state %+v", loaded.Warning, known, info.Size(), s)
	}
	return s.Rows, nil
}

// TestDiskFull fills the disk at many moments. The job must end with an error, keep a checkpoint whose parts fit each other, and
// go on from it as if nothing had happened.
func TestDiskFull(t *testing.T) {
	alone(t)
	t.Parallel()
	folder := filetest.Folder(t)
	const rows = 3000
	j := job{Input: write(t, folder, "table.csv", generate(rows, longIDs)), Folder: folder, Target: longIDs, Delay: 100}
	j.Every, j.Steps = 15*time.Millisecond, size(6, 150, 0)
	c := startChild(t, "full", j, nil)
	c.lines.Scan()
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &c.errors)
	}
	t.Log(c.lines.Text())
}
