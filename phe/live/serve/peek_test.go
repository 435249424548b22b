package serve

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/remedy"
	"gophe/phe/stream"
)

// peekAt peeks at the model in a folder. The notes must hold all words, and there must be none without words.
func peekAt(t testing.TB, folder string, rows int64, words ...string) *stream.Learner {
	t.Helper()
	var notes lines
	l, _, err := Peek(filepath.Join(folder, "model"), notes.add)
	filetest.Check(t, err)
	filetest.WantWords(t, notes.String(), words...)
	filetest.True(t, l.Rows() == rows && (len(words) != 0 || notes.String() == ""), "%d rows, want %d; the notes: %s",
		l.Rows(), rows, &notes)
	return l
}

// segments returns the files of the journal in a folder.
func segments(t testing.TB, folder string) []string {
	t.Helper()
	return filetest.Must(filepath.Glob(filepath.Join(folder, "model.journal", "*.journal")))(t)
}

// TestPeek: a reader sees every acknowledged row of a server that was killed, and the last checkpoint of one that runs.
func TestPeek(t *testing.T) {
	folder, s := taught(t, 10)
	keepNow(t, s)
	peekAt(t, folder, 10)
	learnSome(t, s, 10, 30)
	ok[forecasts](t, s, "POST", "/v1/predict", `{"record":`+asJSON(visit(30), 1)+`,"id":"late"}`)
	peekAt(t, folder, 10, "a server is learning", "lacks 20 rows")

	killed := copyModel(t, folder) // without the lock
	wantSame(t, peekAt(t, killed, 30, "was killed; its journal adds 20 rows"), s.own.learner, "the model of the journal")
	newest := segments(t, killed)[1]
	filetest.Check(t, os.Truncate(newest, filetest.Must(os.Stat(newest))(t).Size()-3))
	peekAt(t, killed, 30, "20 rows") // only the question was cut short

	mustClose(t, s)
	peekAt(t, folder, 30)
	filetest.Check(t, os.RemoveAll(filepath.Join(folder, "model.journal")))
	peekAt(t, folder, 30)
	_, _, err := Peek(filepath.Join(folder, "none"), nil)
	filetest.True(t, err != nil, "a model from nothing")
}

// TestJournalLost: a server that was killed does not start without the newest file of its journal, and a reader says that the file is
// missing. LoseJournal is the way on, and it does nothing to a journal that is whole.
func TestJournalLost(t *testing.T) {
	folder, s := taught(t, 10)
	keepNow(t, s)
	learnSome(t, s, 10, 20)
	keepNow(t, s)
	learnSome(t, s, 20, 25)
	lose := Options{LoseJournal: true}
	for name, c := range map[string]struct {
		harm func(journal string, newest string) error
		word string
	}{
		"the newest file":           {func(_, newest string) error { return os.Remove(newest) }, "lacks its newest file"},
		"what the newest file held": {func(_, newest string) error { return os.Truncate(newest, 0) }, "is damaged after record 20"},
		"the folder":                {func(journal, _ string) error { return os.RemoveAll(journal) }, "model.journal is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			harmed := copyModel(t, folder)
			all := segments(t, harmed)
			filetest.Check(t, c.harm(filepath.Join(harmed, "model.journal"), all[len(all)-1]))
			peekAt(t, harmed, 20, "warning: ", c.word, "lacks the requests")
			wantOpenError(t, harmed, nil, Options{}, c.word, "restore", "remedy: lose journal")
			if name != "the folder" {
				return
			}
			filetest.WantError(t, Settle(filepath.Join(harmed, "model"), func(string) {}), c.word)
			again := mustOpen(t, harmed, lose)
			learnSome(t, again, 25, 30)
			if again = mustOpen(t, copyModel(t, harmed), lose); again.own.learner.Rows() != 25 { // the new journal is whole
				t.Errorf("%d rows of 25", again.own.learner.Rows())
			}
		})
	}
}

// TestJournalDamaged: LoseJournal saves the requests before the damage, and keeps the damaged folder.
func TestJournalDamaged(t *testing.T) {
	folder, _ := taught(t, 10)
	damaged := copyModel(t, folder)
	name := segments(t, damaged)[0]
	content := damage(t, name)
	wantOpenError(t, damaged, nil, Options{}, "is damaged after record", "remedy: lose journal")
	var log lines
	again := mustOpen(t, damaged, Options{LoseJournal: true, Log: log.add})
	rows := again.own.learner.Rows()
	filetest.True(t, rows >= 3 && rows <= 7, "%d rows before the damage", rows)
	peekAt(t, damaged, again.own.learner.Rows())
	kept := filetest.Must(filepath.Glob(filepath.Join(damaged, "model.journal.lost-*", filepath.Base(name))))(t)
	filetest.True(t, len(kept) == 1 && bytes.Equal(filetest.Must(os.ReadFile(kept[0]))(t), content), "the damaged file is kept as %q", kept)
	filetest.WantWords(t, log.String(), "warning: ", "is damaged after record", "goes on without")
}

// TestCutJournal cuts the newest file of a killed server's journal: beside each border of records, or in the long form at each byte. A
// reader names each cut that a server names. docs/your-stream.md says that neither can name a cut at a border.
func TestCutJournal(t *testing.T) {
	folder := filetest.Folder(t)
	s := mustOpen(t, folder, Options{Checkpoint: time.Hour})
	learnSome(t, s, 0, 10)
	keepNow(t, s)
	borders := []int64{s.own.journal.Stats().NewestBytes}
	for n := range 2 {
		learnSome(t, s, 10+n, 11+n)
		borders = append(borders, s.own.journal.Stats().NewestBytes)
	}
	for at := range borders[2] {
		whole := slices.Index(borders, at)
		if !filetest.Long() && at > 0 && whole < 0 && !slices.Contains(borders, at+1) && !slices.Contains(borders, at-1) {
			continue
		}
		cut := copyModel(t, folder)
		filetest.Check(t, os.Truncate(segments(t, cut)[1], at))
		var notes, log lines
		l, _, err := Peek(filepath.Join(cut, "model"), notes.add)
		filetest.Check(t, err)
		if again, err := Open(filepath.Join(cut, "model"), nil, Options{Log: log.add}); err != nil {
			log.add(err.Error())
		} else if mustClose(t, again); again.own.learner.Rows() != l.Rows() {
			t.Errorf("cut at %d: the server has %d rows, and a reader %d", at, again.own.learner.Rows(), l.Rows())
		}
		for _, said := range []string{notes.String(), log.String()} {
			_, what, _ := strings.Cut(said, "0011.journal ")
			isNamed := strings.HasPrefix(what, "breaks off") || strings.HasPrefix(what, "is damaged")
			filetest.True(t, isNamed == (whole < 0), "cut at %d: %q", at, said)
		}
	}
}

// TestUnreadJournal: a journal that the system fails to read is named and stays as it is. No reader goes on without it, and no LoseJournal,
// even if another file of it is damaged.
func TestUnreadJournal(t *testing.T) {
	folder, s := taught(t, 10)
	keepNow(t, s)
	learnSome(t, s, 10, 15)
	killed := copyModel(t, folder)
	path, names := filepath.Join(killed, "model"), segments(t, killed)
	filetest.Check(t, os.Rename(names[1], filepath.Join(killed, "away")))
	if err := os.Symlink(names[1], names[1]); err != nil {
		t.Skip("no symbolic links here")
	}
	peek := func() error { _, _, err := Peek(path, func(string) {}); return err }
	open := func() error { return filetest.Failure(Open(path, nil, Options{LoseJournal: true})) }
	failed := []error{peek(), open(), Settle(path, func(string) {})}
	whole := filetest.Must(os.ReadFile(names[0]))(t)
	damage(t, names[0])
	for _, err := range append(failed, open()) {
		filetest.WantError(t, err, "reading the journal", "too many levels")
		filetest.True(t, remedy.Of(err) == "", "%v; remedy: %s", err, remedy.Of(err))
	}
	filetest.Check(t, os.WriteFile(names[0], whole, 0o666))
	filetest.Check(t, os.Rename(filepath.Join(killed, "away"), names[1]))
	peekAt(t, killed, 15, "its journal adds 5 rows")
}

// TestStoppedWithoutJournal: a server that has stopped needs no journal, until it is started again.
func TestStoppedWithoutJournal(t *testing.T) {
	folder, s := taught(t, 10)
	mustClose(t, s)
	filetest.Check(t, os.RemoveAll(filepath.Join(folder, "model.journal")))
	s = mustOpen(t, folder, Options{})
	learnSome(t, s, 10, 15)
	killed := copyModel(t, folder)
	filetest.Check(t, os.RemoveAll(filepath.Join(killed, "model.journal")))
	wantOpenError(t, killed, nil, Options{}, "model.journal is missing, with the records from 11 on")
}
