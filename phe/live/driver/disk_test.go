package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/disktest"
	"gophe/phe/live/checkpoint"
)

// diskHistory is what happened to a job of two inputs, from a seed.
type diskHistory struct {
	*rand.Rand
	disk   *disktest.Disk
	job    job
	inputs [2]string
	want   result // of both inputs, on a disk without faults
}

// run does the job until both inputs are learned, or until the disk stops it. A process that is not the last one stops after an
// input, or within it.
func (h *diskHistory) run(last bool) error {
	for _, input := range h.inputs {
		j := h.job
		if j.Input = input; !last {
			j.stop = h.Int64N(2 * diskRows)
		}
		if loaded, err := checkpoint.Peek(j.model()); err == nil {
			var s State
			begins, _, _ := bytes.Cut(loaded.Payload, []byte("\n"))
			if err := json.Unmarshal(begins, &s); err != nil {
				return err
			}
			if s.Input.Name != "" && string(s.Input.Name) != input && (input == h.inputs[0] || !s.Ended) {
				continue // the first input is learned
			}
		}
		if _, err := j.run(); err != nil || !last {
			return err
		}
	}
	return nil
}

// live does the job until the process ends. In the last life, the result must be the bytes of a job without a fault.
func (h *diskHistory) live(fault error, last bool) error {
	flipped := ""
	if last && h.IntN(2) == 0 {
		var err error
		if flipped, err = h.disk.Flip(h.job.model(), h.job.model()+".old", h.job.output()); err != nil {
			return err
		}
	}
	err := h.run(last)
	switch {
	case flipped != "" && err != nil && strings.Contains(err.Error(), flipped):
		return nil
	case fault == syscall.ENOSPC && errors.Is(err, fault) && !regexp.MustCompile("free some space|name another").MatchString(err.Error()):
		return errors.WithMessage(err, "a full disk has no remedy")
	case err != nil && (errors.Is(err, fault) || !last && errors.Is(err, context.Canceled)):
		return nil
	case err != nil || !last:
		return err
	}
	got, err := h.job.result()
	if err == nil && (!bytes.Equal(got.payload, h.want.payload) || !bytes.Equal(got.output, h.want.output)) {
		err = errors.Errorf("the bytes differ from an undisturbed job; %q was damaged", flipped)
	}
	return err
}

const diskRows = 40

// TestDisk: whatever the disk does, model, position and forecasts fit each other, and in the end they are the bytes of an undisturbed
// job.
func TestDisk(t *testing.T) {
	alone(t)
	t.Parallel()
	top := filetest.Folder(t)
	content := lines(generate(diskRows+40, "number"))
	first := write(t, top, "first.csv", bytes.Join(content[:diskRows+1], nil))
	second := write(t, top, "second.csv", append([]byte(header), bytes.Join(content[diskRows+1:], nil)...))
	begin := func(r *rand.Rand, d *disktest.Disk) *diskHistory {
		folder := filetest.Must(os.MkdirTemp(top, ""))(t)
		h := &diskHistory{Rand: r, disk: d, inputs: [2]string{first, second}}
		h.job = job{Folder: filepath.Join(folder, "model"), Output: filepath.Join(folder, "forecasts", "f.csv"),
			Target: "number", Delay: 5, Every: 1, disk: d}
		filetest.Check(t, os.Mkdir(h.job.Folder, 0o777))
		filetest.Check(t, os.Mkdir(filepath.Dir(h.job.Output), 0o777))
		return h
	}
	var want result
	for seed := range uint64(4) {
		d := disktest.New(seed)
		h := begin(rand.New(rand.NewPCG(seed, 0)), d)
		filetest.Check(t, h.run(true))
		got := filetest.Must(h.job.result())(t)
		if want.payload == nil {
			want = got
		}
		filetest.Check(t, d.PowerFails()) // after the end, nothing may be lost
		same(t, h.job, want)
	}
	disktest.Crashes(t, size(20, 1000, 0), func(r *rand.Rand, d *disktest.Disk) func(error, bool) error {
		h := begin(r, d)
		h.want = want
		return h.live
	})
}
