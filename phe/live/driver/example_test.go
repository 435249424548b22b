package driver_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/stream/schema"
)

// learn learns the rows of a file that the model beside it does not know yet.
func learn(ctx context.Context, path string) error {
	to, err := store.OpenFile(path + ".phe")
	if err != nil {
		return err
	}
	defer to.Close()
	d, err := driver.Open(ctx, to, driver.Settings{Columns: schema.Hints{Target: "returned"}})
	if err != nil {
		return err
	}
	of, err := d.Reading(ctx, source.Options{})
	if err != nil {
		return err
	}
	in, err := source.Open(ctx, of, path)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := d.Choose(ctx, in, source.Choice{}); err != nil {
		return err
	}
	fmt.Printf("%d rows are known\n", d.State.Rows)
	return d.Run(ctx, driver.Options{})
}

// A program learns a file of six rows. It starts again when the file has ten, and learns four.
func Example() {
	folder, err := os.MkdirTemp("", "driver")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "shop.csv")
	table := "customer,item,returned\nann,boots,no\nben,boots,yes\nann,hat,no\ncem,boots,yes\nben,hat,yes\nann,boots,no\n"
	for _, rows := range []string{table, table + "dee,boots,yes\nann,scarf,no\nben,boots,yes\nann,boots,no\n"} {
		err := os.WriteFile(path, []byte(rows), 0o644)
		if err == nil {
			err = learn(context.Background(), path)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 0 rows are known
	// 6 rows are known
}
