package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"
	"golang.org/x/sync/errgroup"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/clustertest"
	"gophe/phe/internal/fold"
)

// halfLearned returns the folder of a server that has closed: all rows but the last chunks are fed, half of them are learned, and a
// checkpoint is a little older.
func halfLearned(t *testing.T) (folder string, contributions [][]byte) {
	t.Helper()
	p := newPlace(t)
	l := p.log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	errPause := errors.New("it pauses")
	if err := l.Feed(t.Context(), until(numChunks-1, func() error { return errPause }, chunks(numRows))); !errors.Is(err, errPause) {
		t.Fatal(err)
	}
	f := follow(t, t.Context(), l)
	learner := newLearner(f)
	learner.at = func(place string) {
		if m := f.Metrics(); place == "acknowledged" && m.Position == 8 {
			filetest.Check(t, f.save(t.Context()))
		} else if place == "acknowledged" && m.Position == numChunks/2 {
			panic(errDeath)
		}
	}
	if err := learner.runUntilDeath(limited(t)); !errors.Is(err, errDeath) {
		t.Fatal(err)
	}
	for number := range uint64(numChunks / 2) {
		contributions = append(contributions, filetest.Must(l.Message(t.Context(), l.o.contributionsStream(), number+1))(t).Data)
	}
	l.Close()
	p.stop()
	return p.folder, contributions
}

// roles does everything with a store: it feeds the rest, learns it, verifies and replays. It returns what each role said. A role that did
// not end is an error of the test.
func roles(t *testing.T, folder string) map[string]error {
	url, stop, err := startServer(folder)
	if err != nil {
		return map[string]error{"server": err}
	}
	defer stop()
	l := filetest.Must(Connect(limited(t), Options{Name: "test", URLs: url}))(t)
	defer l.Close()
	said := map[string]error{}
	for _, role := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"feed", func(ctx context.Context) error { return l.Feed(ctx, chunks(numRows)) }},
		{"follow", func(ctx context.Context) error {
			f, err := l.Follow(ctx, clustertest.Open)
			if err != nil {
				return err
			}
			info, err := l.streamInfo(ctx, l.o.contributionsStream())
			if err != nil {
				return err
			}
			return f.wait(ctx, func(s *fold.State) bool { return s.Position >= info.State.LastSeq })
		}},
		{"learn", func(ctx context.Context) error { return learnRest(ctx, l) }},
		{"status", func(ctx context.Context) error { _, err := l.Status(ctx); return err }},
		{"verify", func(ctx context.Context) error {
			_, err := l.Verify(ctx, clustertest.Open, clustertest.Count)
			return err
		}},
		{"replay", func(ctx context.Context) error {
			s, err := l.Replay(ctx, clustertest.Open)
			if err != nil {
				return err
			}
			d := s.Belief.(*clustertest.Linear).From(numRows)
			if said["feed"] == nil && said["learn"] == nil && (s.Rows != numRows || d > 1e-12) {
				t.Errorf("no role reports an error, and the belief has %d rows and is %+v off", s.Rows, d)
			}
			return nil
		}},
	} {
		ctx, stop := context.WithTimeout(t.Context(), 15*time.Second)
		if said[role.name] = role.run(ctx); ctx.Err() != nil {
			t.Errorf("%s hangs: %v", role.name, said[role.name])
		}
		stop()
	}
	return said
}

// learnRest follows and learns until all chunks are in the belief.
func learnRest(ctx context.Context, l *Log) error {
	f, err := l.Follow(ctx, clustertest.Open)
	if err != nil {
		return err
	}
	work, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	work.Go(func() error { return newLearner(f).run(ctx) })
	work.Go(func() error {
		defer stop()
		return f.wait(ctx, func(s *fold.State) bool { return s.Ledger.Len() >= numChunks })
	})
	return work.Wait()
}

// copyOf returns a copy of a store. After a kill NATS has no index.
func copyOf(t *testing.T, folder string, killed bool) string {
	t.Helper()
	copied := filetest.Folder(t)
	filetest.Check(t, os.CopyFS(copied, os.DirFS(folder)))
	for _, path := range filetest.Must(filepath.Glob(filepath.Join(copied, "jetstream/*/streams/*/msgs/index.db")))(t) {
		if killed {
			filetest.Check(t, os.Remove(path))
		}
	}
	return copied
}

// Each role that needs a damaged message names it, and the others work.
func TestDamagedMessage(t *testing.T) {
	t.Parallel()
	folder, contributions := halfLearned(t)
	start := filetest.Must(startState().MarshalBinary())(t)
	row := func(number uint64) []byte { return filetest.Must(chunks(numRows)(number))(t) }
	const contribution, rows = "message %d of the contributions is missing or damaged; restore", "message %d of the rows is missing or damaged; restore"
	cases := []struct {
		name    string
		damaged [][]byte
		says    map[string]string
	}{
		{"folded contribution and next rows", [][]byte{contributions[2], row(15)}, map[string]string{"learn": fmt.Sprintf(rows, 15),
			"verify": fmt.Sprintf(contribution, 3), "replay": fmt.Sprintf(contribution, 3)}},
		{"newest contribution", [][]byte{contributions[11]}, map[string]string{"follow": fmt.Sprintf(contribution, 12), "learn": fmt.Sprintf(contribution, 12),
			"verify": fmt.Sprintf(contribution, 12), "replay": fmt.Sprintf(contribution, 12)}},
		{"start record", [][]byte{[]byte(`"sha256"`)}, map[string]string{"feed": "the start record of", "follow": "the start record of", "learn": "the start record of",
			"status": "the start record of", "verify": "the start record of", "replay": "is missing or damaged"}},
		{"contribution after the checkpoint", [][]byte{contributions[9]}, map[string]string{"follow": fmt.Sprintf(contribution, 10),
			"learn": fmt.Sprintf(contribution, 10), "verify": fmt.Sprintf(contribution, 10), "replay": fmt.Sprintf(contribution, 10)}},
		{"learned rows", [][]byte{row(3)}, map[string]string{"verify": fmt.Sprintf(rows, 3)}},
		{"start state", [][]byte{start}, map[string]string{"verify": `the start state of "test" is missing or damaged`,
			"replay": `the start state of "test" is missing or damaged`}},
	}
	if !filetest.Long() {
		cases = cases[:3]
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			copied := copyOf(t, folder, false)
			for _, message := range c.damaged {
				flip(t, copied, message)
			}
			for role, err := range roles(t, copied) {
				if want := c.says[role]; want != "" {
					filetest.WantError(t, err, want)
				} else if err != nil {
					t.Errorf("%s: %v", role, err)
				}
			}
		})
	}
}

// flip flips a bit in the middle of a message of a store.
func flip(t *testing.T, folder string, message []byte) {
	t.Helper()
	for _, path := range filetest.Must(filepath.Glob(filepath.Join(folder, "jetstream/*/streams/*/msgs/*.blk")))(t) {
		b := filetest.Must(os.ReadFile(path))(t)
		if at := bytes.Index(b, message); at >= 0 {
			b[at+len(message)/2] ^= 4
			filetest.Check(t, os.WriteFile(path, b, 0o600))
			return
		}
	}
	t.Fatal("the store does not have the message")
}

// A server does not start with a folder that would take all its memory or silence a log, and says which file is damaged.
func TestWildNumber(t *testing.T) {
	t.Parallel()
	folder, _ := halfLearned(t)
	for pattern, c := range map[string]struct {
		at    int
		wants []string
	}{
		"phe_test_rows/msgs/1.blk":             {9, []string{"1.blk is damaged: message", "restore"}},
		"phe_test_rows/obs/learners/meta.inf":  {99, []string{"learners/meta.inf or its checksum is damaged", "remove its folder"}},
		"phe_test_contributions/meta.sum":      {0, []string{"phe_test_contributions/meta.inf or its checksum is damaged", "restore"}},
		"phe_test_contributions/msgs/index.db": {9, nil},
	} {
		copied := copyOf(t, folder, false)
		path := filetest.Must(filepath.Glob(filepath.Join(copied, "jetstream/*/streams", pattern)))(t)[0]
		b := filetest.Must(os.ReadFile(path))(t)
		if strings.HasSuffix(path, ".blk") { // the number of the second message
			c.at += int(binary.LittleEndian.Uint32(b) &^ (1 << 31))
		}
		b[c.at] ^= 2
		filetest.Check(t, os.WriteFile(path, b, 0o600))
		_, stop, err := startServer(copied)
		if err == nil {
			stop()
		}
		if c.wants != nil {
			filetest.WantError(t, err, c.wants...)
		} else if err != nil {
			t.Error(err)
		}
	}
}

// A flipped bit anywhere in the store is named or harmless, after a clean end of the server and after a kill.
func TestBitFlips(t *testing.T) {
	if !filetest.Long() {
		t.Skip("minutes; GOPHE_TEST=long runs it")
	}
	folder, _ := halfLearned(t)
	files := filetest.Must(filepath.Glob(filepath.Join(folder, "jetstream/*/streams/*/*.*")))(t)
	files = append(files, filetest.Must(filepath.Glob(filepath.Join(folder, "jetstream/*/streams/*/obs/*/*.*")))(t)...)
	logs := filetest.Must(filepath.Glob(filepath.Join(folder, "jetstream/*/streams/*/msgs/*.*")))(t)
	rng := rand.New(rand.NewPCG(30, 2))
	for i := range 200 {
		path := logs[rng.IntN(len(logs))]
		if i%5 == 0 {
			path = files[rng.IntN(len(files))]
		}
		name := filetest.Must(filepath.Rel(folder, path))(t)
		b := filetest.Must(os.ReadFile(path))(t)
		at := rng.IntN(len(b))
		b[at] ^= 1 << rng.IntN(8)
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			copied := copyOf(t, folder, i%2 == 1 && filepath.Base(path) != "index.db")
			filetest.Check(t, os.WriteFile(filepath.Join(copied, name), b, 0o600))
			for role, err := range roles(t, copied) {
				if err != nil && !regexp.MustCompile("damaged|lost").MatchString(err.Error()) {
					t.Errorf("%s: %v", role, err)
				}
				t.Logf("byte %d of %s, killed: %v; %s: %v", at, name, i%2 == 1, role, err)
			}
		})
	}
}
