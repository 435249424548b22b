package feed_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/checkpoint"
	"gophe/phe/feed"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// shop reads lines such as "ann,boots,no": who bought what, and whether it was returned.
type shop struct {
	file  *os.File
	lines *bufio.Reader
	at    feed.Position
}

func (s *shop) Columns() []string { return []string{"customer", "item", "returned"} }

func (s *shop) Read() ([]string, error) {
	line, err := s.lines.ReadString('\n')
	if err != nil { // a line without its end is still being written
		return nil, err
	}
	s.at = feed.Position{Record: s.at.Record + 1, Offset: s.at.Offset + int64(len(line)), Line: s.at.Line + 1}
	return strings.Split(strings.TrimSuffix(line, "\n"), ","), nil
}

func (s *shop) Position() feed.Position { return s.at }

func (s *shop) Seek(p feed.Position) error {
	_, err := s.file.Seek(p.Offset, io.SeekStart)
	s.lines.Reset(s.file)
	s.at = p
	return err
}

// load returns the learner and the state of the last checkpoint, or new ones.
func load(store *checkpoint.Store) (*stream.Learner, feed.State, error) {
	loaded, err := store.Load(feed.Kind)
	if err == nil {
		return feed.Load(loaded.Payload)
	}
	if !errors.Is(err, checkpoint.ErrNone) {
		return nil, feed.State{}, err
	}
	l, err := stream.New(schema.Schema{
		Target:  schema.Target{Column: "returned", Kind: schema.Classes, Classes: []string{"no", "yes"}},
		Columns: []schema.Column{{Name: "customer", Kind: schema.Category}, {Name: "item", Kind: schema.Category}, {Name: "returned", Kind: schema.Label}},
	}, stream.Options{})
	return l, feed.State{}, err
}

// learn learns the rows of a file that the checkpoint beside it does not know yet.
func learn(path string) error {
	store, err := checkpoint.Open(path + ".phe")
	if err != nil {
		return err
	}
	defer store.Close()
	l, state, err := load(store)
	if err != nil {
		return err
	}
	next, err := state.Choose(path, false, nil)
	if err != nil {
		return err
	}
	if next {
		in, err := feed.Identify(path, 0)
		if err != nil {
			return err
		}
		state.Begin(in)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	fmt.Printf("%d rows are known\n", state.Rows)
	source := &shop{file: file, lines: bufio.NewReader(file)}
	return feed.New(l, state, store, source, feed.Options{Output: path + ".forecasts", Plain: true}).Run(context.Background())
}

// A program learns a file of six rows. It starts again when the file has ten.
func Example() {
	folder, err := os.MkdirTemp("", "feed")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "shop.csv")
	rows := []string{"ann,boots,no\n", "ben,boots,yes\n", "ann,hat,no\n", "cem,boots,yes\n", "ben,hat,yes\n",
		"ann,boots,no\n", "dee,boots,yes\n", "ann,scarf,no\n", "ben,boots,yes\n", "ann,boots,no\n"}
	for _, n := range []int{6, 10} {
		err := os.WriteFile(path, []byte(strings.Join(rows[:n], "")), 0o644)
		if err == nil {
			err = learn(path)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	forecasts, err := os.ReadFile(path + ".forecasts")
	if err != nil {
		fmt.Println(err)
	}
	lines := strings.Split(string(forecasts), "\n") // the header comes first
	for _, n := range []int{9, 10} {
		var record, probability, novelty float64
		if _, err := fmt.Sscanf(lines[n], "%g,%g,%g", &record, &probability, &novelty); err != nil {
			fmt.Println(err)
		}
		fmt.Printf("row %g, %s: more likely returned than not: %t\n", record, rows[n-1][:len("ben,boots")], probability > 0.5)
	}
	// Output:
	// 0 rows are known
	// 6 rows are known
	// row 9, ben,boots: more likely returned than not: true
	// row 10, ann,boots: more likely returned than not: false
}
