package columnweight

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gophe/data/files"
	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "rewrite the counts of items that draws.md is made from")

// counted is an item of drawcounts.json.
type counted struct {
	Column string `json:"column"`
	Item   string `json:"item"`
	All    []int  `json:"all"`    // rows of each class
	Scored []int  `json:"scored"` // of the stream's steps
}

// The page of draws has the counts of the data. The large tables are counted in the long tests.
func TestDrawCounts(t *testing.T) {
	const path = "../drawcounts.json"
	var want map[string][]counted
	if !*update {
		filetest.Check(t, json.Unmarshal(filetest.Must(os.ReadFile(path))(t), &want))
	}
	var text strings.Builder
	for _, name := range []string{"adult-draws", "bank-draws", "covertype-draws", "mushroom-draws"} {
		if name != "mushroom-draws" && !filetest.Long() {
			continue
		}
		run := filetest.Must(spec.Load(name))(t)
		made, plan, err := task.Load(run, files.Options{})
		filetest.Check(t, err)
		own := made.(*task.Classification)
		items := make([]counted, len(own.Items.Items))
		for i, item := range own.Items.Items {
			classes := len(own.Table.Classes)
			items[i] = counted{own.Table.Categorical[own.Items.ItemColumns[i]].Name, item, make([]int, classes), make([]int, classes)}
		}
		width, scored := len(own.Table.Categorical), slices.Concat(plan.Steps...)
		for cell, item := range own.Items.Index {
			items[item].All[own.Table.Labels[cell/width]]++
		}
		for _, row := range scored {
			for _, item := range own.Items.Index[int(row)*width:][:width] {
				items[item].Scored[own.Table.Labels[row]]++
			}
		}
		if !*update {
			filetest.Want(t, want[run.Dataset], items, "the counts of %s", run.Dataset)
		} else {
			fmt.Fprintf(&text, ",\n %q: [", run.Dataset)
			for i, item := range items {
				fmt.Fprintf(&text, "%s\n  %s", map[bool]string{true: ","}[i > 0], filetest.Must(json.Marshal(item))(t))
			}
			text.WriteString("\n ]")
		}
	}
	if *update && filetest.Long() {
		filetest.Check(t, os.WriteFile(path, []byte("{"+text.String()[1:]+"\n}\n"), 0o644))
	}
}
