package streaming

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// TestOdd: what says nothing to a model is counted by column, with an example, wherever people look.
func TestOdd(t *testing.T) {
	folder := t.TempDir()
	table := func(name string, rows int, record func(i int) string) string {
		text := "when,shop,price,coupon,y\n"
		for i := range rows {
			text += record(i) + "\n"
		}
		return write(t, folder, name, text)
	}
	at := func(i int) string { return fmt.Sprintf("2026-03-%02d %02d:00:00", 1+i%28, i%24) }
	first := table("first.csv", 1200, func(i int) string {
		return fmt.Sprintf("%s,s%d,%s,,%c", at(i), i%5, map[bool]string{true: "unknown", false: fmt.Sprint(i % 97)}[i%60 == 0], "abc"[i%3])
	})
	second := table("second.csv", 1000, func(i int) string {
		return fmt.Sprintf("%s,s%d,EUR %d\x1b,c%d,%c", at(i), i%5, i%97, i%3, "dea"[i%3])
	})
	asked := table("asked.csv", 200, func(i int) string { return fmt.Sprintf("%02d/03/2026,t%d,,c,", 1+i%28, i) })
	model := filepath.Join(folder, "m.phe")

	out, said := mustPhe(t, "stream", first, "--target", "y", "--model", model, "--memory", "64K")
	filetest.WantWords(t, said, `1.7 % of the rows have something else, such as "unknown"`)
	filetest.WantNone(t, out, "price") // there are as many words among the numbers as in the first rows
	out, said = mustPhe(t, "stream", second, "--model", model)
	filetest.WantWords(t, said, `: 70 of 70 fields of "price" could not be read, such as "EUR 69\x1b"`)
	filetest.WantWords(t, out,
		`1,020 of 2,200 fields of "price" could not be read, such as "EUR 27\x1b" "EUR 28\x1b" "EUR 29\x1b"; usually 1.7 %`,
		`667 of 2,200 rows had other labels in "y", which were learned as (other), such as "d" "e"`,
		`1,000 of 2,200 rows have a value of "coupon", which was empty`)
	out, _ = mustPhe(t, "eval", model, "--json")
	filetest.WantWords(t, out, `"what": "other_label"`, `"what": "left_out"`, `"rows": 1020`)
	_, said = mustPhe(t, "predict", model, asked)
	filetest.WantWords(t, said, `200 of 200 fields of "when" could not be read, such as "`,
		`200 of 200 fields of "shop" had never been learned, such as "t197"`,
		`200 of 200 fields of "price" are empty`)
	out, _ = mustPhe(t, "inspect", model)
	filetest.WantWords(t, out, "read as", "price                       numbers  ",
		"shop                        text  ", "times any", `"#n/a"`)

	_, said = mustPhe(t, "eval", second, "--target", "y", "--number", "coupon", "--memory", "64K")
	filetest.WantWords(t, said, `100 % of the rows have something else, such as "c0"`)

	number := write(t, folder, "number.csv", "a,y\n"+strings.Repeat("u,1.5\nv,2\nv,NaN\n", 60))
	out, _ = mustPhe(t, "eval", number, "--target", "y", "--as", "number", "--memory", "64K")
	filetest.WantWords(t, out, "60 rows had no target", `60 of 180 rows had marks of a missing value in "y", such as "NaN"`)
	two := write(t, folder, "two.csv", "a,y\n"+strings.Repeat("u,1\nv,2\n", 600)+"w,3\n")
	fails(t, []string{"stream", two, "--target", "y", "--classes", "1,2", "--model", filepath.Join(folder, "two.phe")},
		`column "y" holds "3": it is none of the classes "1" "2"; start anew with all classes: 1,2,3, or with one: y=2 (--classes, `+
			`--target), or skip such rows`, "stopped after 1,200 rows of "+two+", which ")
	out, _ = mustPhe(t, "eval", two, "--target", "y", "--classes", "1,2", "--bad", "skip", "--where", "a= w", "--memory", "64K")
	filetest.WantWords(t, out, "1,200 rows did not meet the condition",
		`1 row could not be learned: left out; the last: `, `column "y" holds "3"`)
	out, said = mustPhe(t, "eval", two, "--target", "y", "--where", "y<9", "--memory", "64K")
	filetest.WantWords(t, out+said, `warning: each of the first 1,201 rows meets the condition "y<9"; the column holds "1", "2"`)
	fails(t, []string{"eval", two, "--target", "y", "--where", "a=z"}, `no record of `,
		`meets the condition "a=z"; the column holds "u", "v"`)
}

// More memory is advised after a run of the first rows in which it was better, and not where the items tell nothing of the target.
func TestMemoryIsAdvisedWhereItHelps(t *testing.T) {
	for _, helps := range []bool{true, false} {
		r, text := rand.New(rand.NewPCG(1, 2)), strings.Builder{}
		text.WriteString("item,y\n")
		for range 10_200 {
			item, y := r.IntN(200), r.IntN(2)
			if helps && r.IntN(10) > 0 {
				y = item * item % 7 % 2
			}
			fmt.Fprintf(&text, "i%d,%d\n", item, y)
		}
		path := write(t, t.TempDir(), "t.csv", text.String())
		args := []string{"eval", path, "--target", "y", "--memory", "1K"}
		const advice = "More memory helps: for the first 1,020 rows, --memory 16K has log-loss "
		out, _ := mustPhe(t, args...)
		filetest.Want(t, strings.Contains(out, advice), helps, "advice in %s", out)
		out, _ = mustPhe(t, append(args, "--json")...)
		filetest.Want(t, strings.Contains(out, advice), helps, "advice in the verdict of %s", out)
	}
}

// Sentences about a table are true: why its rows cannot be read, how far a second run has come, and which rows had a key that is no column.
func TestSentences(t *testing.T) {
	folder := t.TempDir()
	inches := write(t, folder, "inches.csv", "shop,x,y\n"+strings.Repeat("5\"x7\",1,1\n6\"x8\",2,0\n", 100))
	model := filepath.Join(folder, "inches.phe")
	command := []string{"stream", inches, "--target", "y", "--model", model}
	fails(t, command, inches+", line 2, column shop: a quote stands inside a field", "or take quotes as letters (--quote none)")
	fails(t, append(command, "--quote", "all"), `--quote is "all"; give none`)
	prints(t, "200 rows learned", append(command, "--quote", "none")...)
	out, said := mustPhe(t, append(command, "--quote", "none")...)
	filetest.Want(t, out+said, "200 rows of "+inches+" are learned in "+model+", and none is new\n", "a second run")

	t.Chdir(folder)
	mustPhe(t, "stream", write(t, folder, "a[1].jsonl", strings.Repeat(`{"a":"u","y":1}`+"\n"+`{"a":"v","y":0}`+"\n", 60)), "--target", "y")
	late := write(t, folder, "late.jsonl", strings.Repeat(`{"b":1}`+"\n", 3))
	out, said = mustPhe(t, "predict", "a[1].phe", late, "--to", "-")
	filetest.WantWords(t, out+said, "record,p(1),novelty\n1,", `left out: ["b" in 3 rows]`, `no record read from `+late+` has "a"`)
}

// A column that may give the target away is named with the score without it, which is the score of a run that leaves it out. It is kept.
func TestSuspectIsMeasured(t *testing.T) {
	text := "animal,outcome,subtype\n"
	for i := range 600 {
		text += []string{"cat,", "dog,"}[i%2] + []string{"home,\n", "home,foster\n", "moved,partner\n", "back,\n", "home,\n"}[i*i*i%11%5]
	}
	path := write(t, t.TempDir(), "t.csv", text)
	eval := func(args ...string) (loss, said string) {
		out, said := mustPhe(t, append([]string{"eval", path, "--target", "outcome", "--memory", "64K"}, args...)...)
		return regexp.MustCompile(`this model +(\S+)`).FindStringSubmatch(out)[1], said
	}
	with, said := eval()
	without, _ := eval("--drop", "subtype")
	filetest.True(t, with != without, "the score without the column is the same")
	filetest.WantWords(t, said, "category        subtype  (each of its values goes with one class, except the empty field",
		"(--drop subtype): without it, the first 600 rows have log-loss "+without+" in place of log-loss "+with+")")
	_, said = eval("--keep", "subtype")
	filetest.WantNone(t, said, "one class, except the empty field")
	shown, _ := mustPhe(t, "stream", path, "--target", "outcome", "--show-schema")
	filetest.WantWords(t, shown, `"note": "each of its values goes with one class, except the empty field`)
}
