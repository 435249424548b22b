package streaming

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// What is said of a table is true: why its rows cannot be read, what a second run has learned, and which rows had a key that is no column.
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
