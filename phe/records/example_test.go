package records_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/records"
)

const sales = `day,shop,units
2024-01-01,Paris,3
2024-01-01,"Lyon, centre",1
2024-01-02,Paris,4
`

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleNew() {
	r, err := records.New(strings.NewReader(sales), "sales.csv", records.Options{})
	check(err)
	fmt.Println(r.Columns())
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q\n", fields)
	}
	// Output:
	// [day shop units]
	// ["2024-01-01" "Paris" "3"]
	// ["2024-01-01" "Lyon, centre" "1"]
	// ["2024-01-02" "Paris" "4"]
}

func ExampleNew_jsonLines() {
	text := `{"user": "u1", "item": {"id": "0042", "tags": ["red", "new"]}, "price": 1e3}
{"user": "u2", "item": {"id": "0043", "tags": []}, "sold": true}`
	columns := []string{"user", "item.id", "item.tags", "price"}
	r, err := records.New(strings.NewReader(text), "log.jsonl", records.Options{Columns: columns})
	check(err)
	for fields, err := r.Read(); err == nil; fields, err = r.Read() {
		fmt.Printf("%q\n", fields)
	}
	// Output:
	// ["u1" "0042" "red|new" "1e3"]
	// ["u2" "0043" "" ""]
}

// A program can skip bad records.
func ExampleRecordError() {
	const table = "day,units\n2024-01-01,3\n2024-01-02\n2024-01-03,\"4\n2024-01-04,5\n"
	r, err := records.New(strings.NewReader(table), "sales.csv", records.Options{})
	check(err)
	for {
		fields, err := r.Read()
		var bad *records.RecordError
		switch {
		case err == io.EOF:
			return
		case errors.As(err, &bad):
			fmt.Println("skipped:", bad)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println(fields)
		}
	}
	// Output:
	// [2024-01-01 3]
	// skipped: sales.csv, line 3: expected 2 fields, found 1; add the missing fields, or remove the line
	// skipped: sales.csv, line 4, column units: a quote is opened and not closed properly; close it at the end of the field, and double each quote inside
	// [2024-01-04 5]
}

// A program that was killed continues from the position that it saved.
func ExampleReader_Seek() {
	folder, err := os.MkdirTemp("", "records")
	check(err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "sales.csv")
	check(os.WriteFile(path, []byte(sales), 0o600))

	r, err := records.Open(path, records.Options{})
	check(err)
	r.Read()
	saved := r.Position()
	r.Close()

	r, err = records.Open(path, records.Options{Columns: r.Columns()})
	check(err)
	defer r.Close()
	check(r.Seek(saved))
	fields, err := r.Read()
	fmt.Printf("%+v %q %v\n", saved, fields, err)
	// Output:
	// {Record:1 Offset:34 Line:2} ["2024-01-01" "Lyon, centre" "1"] <nil>
}

// A header is needed only where the content leaves a doubt.
func ExampleHeader() {
	const table = "red,round\nblue,square\n"
	for _, header := range []records.Header{"", records.HeaderNo} {
		r, err := records.New(strings.NewReader(table), "shapes.csv", records.Options{Header: header})
		check(err)
		fields, err := r.Read()
		fmt.Println(r.Columns(), fields, err)
	}
	// Output:
	// [red round] [blue square] <nil>
	// [c1 c2] [red round] <nil>
}
