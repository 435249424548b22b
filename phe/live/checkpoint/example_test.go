package checkpoint_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/live/checkpoint"
)

// progress is the state of a program that counts rows.
type progress struct {
	Rows int `json:"rows"`
}

// count continues from the checkpoint, counts ten rows more, and saves.
func count(path string) error {
	store, err := checkpoint.Open(disk.System, path)
	if err != nil {
		return err
	}
	defer store.Close()
	var p progress
	loaded, err := checkpoint.Peek(path)
	switch {
	case errors.Is(err, checkpoint.ErrNone): // the first start
	case err != nil:
		return err
	default:
		if loaded.Warning != "" {
			fmt.Println("the newest state is damaged; the state before it is used")
		}
		if err := json.Unmarshal(loaded.Payload, &p); err != nil {
			return errors.Wrap(err, "the state in the checkpoint")
		}
	}
	p.Rows += 10
	fmt.Println(p.Rows, "rows")
	return store.Save(func(w io.Writer) error { return json.NewEncoder(w).Encode(p) })
}

// A program starts four times. Before the last start its newest state is damaged.
func Example() {
	folder, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "rows.checkpoint")
	for start := range 4 {
		if start == 3 {
			if err := os.Truncate(path, 100); err != nil {
				fmt.Println(err)
			}
		}
		if err := count(path); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 10 rows
	// 20 rows
	// 30 rows
	// the newest state is damaged; the state before it is used
	// 30 rows
}
