package log_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/log"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// load returns the learner and the state of the last checkpoint, or new ones for a source.
func load(store *checkpoint.Store, in *log.Source) (*stream.Learner, log.State, error) {
	loaded, err := checkpoint.Peek(store.Path)
	if err == nil {
		return log.Load(loaded)
	}
	if !errors.Is(err, checkpoint.ErrNone) {
		return nil, log.State{}, err
	}
	s, err := in.Infer(schema.Hints{Target: "returned", Classes: []string{"no", "yes"}})
	if err != nil {
		return nil, log.State{}, err
	}
	l, err := stream.New(s, stream.Options{})
	return l, log.State{}, err
}

// learn learns the rows of a file that the checkpoint beside it does not know yet.
func learn(ctx context.Context, path string) error {
	store, err := checkpoint.Open(disk.System, path+".phe")
	if err != nil {
		return err
	}
	defer store.Close()
	in, err := log.Open(path, "", records.Options{Growing: true})
	if err != nil {
		return err
	}
	defer in.Close()
	l, state, err := load(store, in)
	if err != nil {
		return err
	}
	o := log.Options{Output: path + ".forecasts"}
	if err := state.Choose(in, o); err != nil {
		return err
	}
	fmt.Printf("%d rows are known\n", state.Rows)
	_, _, err = log.Run(ctx, l, state, store, in, o)
	return err
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
	rows := []string{"customer,item,returned\n", "ann,boots,no\n", "ben,boots,yes\n", "ann,hat,no\n", "cem,boots,yes\n", "ben,hat,yes\n",
		"ann,boots,no\n", "dee,boots,yes\n", "ann,scarf,no\n", "ben,boots,yes\n", "ann,boots,no\n"}
	for _, n := range []int{6, 10} {
		err := os.WriteFile(path, []byte(strings.Join(rows[:n+1], "")), 0o644)
		if err == nil {
			err = learn(context.Background(), path)
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
		fmt.Printf("row %g, %s: more likely returned than not: %t\n", record, rows[n][:len("ben,boots")], probability > 0.5)
	}
	// Output:
	// 0 rows are known
	// 6 rows are known
	// row 9, ben,boots: more likely returned than not: true
	// row 10, ann,boots: more likely returned than not: false
}
