package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sync/errgroup"

	"gophe/phe/belief"
	"gophe/phe/cluster/clustertest"
	"gophe/phe/filetest"
)

// halfLearned returns the folder of a server that has closed: all rows but the last chunks are fed, half of them are learned, and a
// checkpoint is a little older.
func halfLearned(t *testing.T) string {
	t.Helper()
	p := newPlace(t)
	l := p.log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	errPause := errors.New("it pauses")
	if err := l.Feed(t.Context(), until(numChunks-1, func() error { return errPause }, chunks(numRows))); !errors.Is(err, errPause) {
		t.Fatal(err)
	}
	f := follow(t, t.Context(), l)
	learner := NewLearner(f)
	learner.at = func(place string) error {
		if m := f.Metrics(); place == "acknowledged" && m.Position == 8 {
			return NewKeeper(f, 1).Save(t.Context())
		} else if place == "acknowledged" && m.Position == numChunks/2 {
			return errDeath
		}
		return nil
	}
	if err := learner.Run(limited(t)); !errors.Is(err, errDeath) {
		t.Fatal(err)
	}
	l.Close()
	p.running.Close()
	return p.folder
}

// goOn feeds the rest, learns it and verifies. It returns what each role said.
func goOn(t *testing.T, folder string) (said map[string]error, took time.Duration) {
	running, err := Server{Name: "one", Folder: folder, Sync: SyncLater}.Start()
	if err != nil {
		return map[string]error{"server": err}, 0
	}
	defer running.Close()
	began := time.Now()
	ctx, stop := context.WithTimeout(t.Context(), 6*time.Second)
	defer stop()
	said = map[string]error{}
	l, err := ConnectInProcess(ctx, running, Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	said["feed"] = l.Feed(ctx, chunks(numRows))
	said["learn"] = func() error {
		f, err := l.Follow(ctx, clustertest.Small.Open)
		if err != nil {
			return err
		}
		ctx, stop := context.WithCancel(ctx)
		work, ctx := errgroup.WithContext(ctx)
		work.Go(func() error { return NewLearner(f).Run(ctx) })
		work.Go(func() error {
			defer stop()
			return f.Wait(ctx, func(s *belief.State) bool { return s.Ledger.Len() >= numChunks })
		})
		return work.Wait()
	}()
	_, said["status"] = l.Status(ctx)
	v, err := l.Verify(ctx, clustertest.Small.Open, clustertest.Count)
	if err == nil {
		err = v.Err()
	}
	said["verify"] = err
	said["replay"] = func() error {
		s, err := l.Replay(ctx, clustertest.Small.Open)
		if err != nil {
			return err
		}
		d, err := s.Belief.(*clustertest.Linear).From(numRows)
		if err == nil && s.Rows != numRows || d.Max() > 1e-12 {
			err = errors.Errorf("silently wrong: %d rows, %+v", s.Rows, d)
		}
		return err
	}()
	return said, time.Since(began)
}

func TestExperiment(t *testing.T) {
	folder := halfLearned(t)
	var files []string
	var sizes []int64
	var total int64
	filetest.Check(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "lock" {
			info, _ := d.Info()
			rel, _ := filepath.Rel(folder, path)
			files, sizes, total = append(files, rel), append(sizes, info.Size()), total+info.Size()
			fmt.Println(rel, info.Size())
		}
		return err
	}))
	rng := rand.New(rand.NewPCG(30, 2))
	for i := range 60 {
		copied := filetest.Folder(t)
		filetest.Check(t, os.CopyFS(copied, os.DirFS(folder)))
		at := rng.IntN(len(files))
		for sizes[at] == 0 || i%3 > 0 && !strings.HasSuffix(files[at], ".blk") {
			at = rng.IntN(len(files))
		}
		path := filepath.Join(copied, files[at])
		b := filetest.Must(os.ReadFile(path))(t)
		place := rng.IntN(len(b))
		b[place] ^= 1 << rng.IntN(8)
		if i > 0 {
			filetest.Check(t, os.WriteFile(path, b, 0o600))
		}
		fmt.Printf("%d: %s at %d of %d, bit\n", i, files[at], place, len(b))
		if i != 46 {
			continue
		}
		said, took := goOn(t, copied)
		fmt.Printf("    %.1f s\n", took.Seconds())
		for _, role := range []string{"server", "feed", "learn", "status", "verify", "replay"} {
			if err := said[role]; err != nil {
				fmt.Printf("    %s: %v\n", role, err)
			}
		}
	}
	_ = bytes.Equal
	_ = io.EOF
}
