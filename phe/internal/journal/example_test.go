package journal_test

import (
	"fmt"
	"os"

	"gophe/phe/internal/journal"
)

// Records survive a restart, in their order. Trim removes the records that a checkpoint has.
func Example() {
	folder, err := os.MkdirTemp("", "journal-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)

	j, err := journal.Open(folder, journal.Options{Identity: "shop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, record := range []string{"Ada bought", "Ben left", "Cem bought"} {
		number, err := j.Write([]byte(record))
		if err == nil {
			err = j.Sync(number)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(j.Close())

	if j, err = journal.Open(folder, journal.Options{Identity: "shop"}); err != nil {
		fmt.Println(err)
		return
	}
	defer j.Close()
	const inCheckpoint = 1
	err = journal.Read(folder, journal.Options{Identity: "shop"}, inCheckpoint, func(number uint64, record []byte) error {
		fmt.Printf("%d: %s\n", number, record)
		return nil
	})
	fmt.Println(err)
	fmt.Println(j.Rotate(), j.Trim(3), j.Stats().First)
	// Output:
	// <nil>
	// 2: Ben left
	// 3: Cem bought
	// <nil>
	// <nil> <nil> 4
}
