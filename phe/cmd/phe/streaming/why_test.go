package streaming

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// TestWhy: tables and lines of JSON give the reason of each forecast. People get the reasons of the first 100 rows, and a file has all.
func TestWhy(t *testing.T) {
	folder := filetest.Folder(t)
	table := func(name string, rows int, label string) string {
		text := "visit,shop,customer,y\n"
		for i := range rows {
			text += fmt.Sprintf("v%d,s%d,c\x1b%d,%s%d\n", i, i%3, i*7%40, label, i*7%40/20*50+i%2)
		}
		return write(t, folder, name+".csv", text)
	}
	asked, model, reasons := table("asked", 120, ""), filepath.Join(folder, "m.phe"), filepath.Join(folder, "reasons.jsonl")
	for target, words := range map[string][]string{
		"y>=20": {"Row 1 v0: y>=20 ", "a usual row", "if usual", "what came last", "pair: shop × customer", "= log-odds of y>=20",
			"no cause"},
		"--as=classes": {"= log-odds of y=t0", "= log-odds of y=t51"},
		"--as=count":   {"Row 1 v0: the mean of y ", "A count has no terms that add up", "if empty"},
		"--as=number":  {"; a usual row ", "(nine in ten: ", "= mean of y"},
	} {
		label := map[bool]string{true: "t"}[target == "--as=classes"]
		settings := []string{"--target", "y", target}
		if target == "y>=20" {
			settings = []string{"--target", target}
		}
		mustPhe(t, append([]string{"stream", table("learned", 800, label), "--id", "visit", "--model", model, "--force"}, settings...)...)
		out, _, err := phe(t, "predict", model, asked, "--why", "--pairs")
		filetest.WantError(t, err, "the reasons of 100 rows are shown; --to FILE writes the reasons of all rows")
		filetest.WantWords(t, out, append(words, `customer c\x1b`)...)
		filetest.WantNone(t, out, "log-odds of not ") // which --class would ask for
		filetest.Want(t, strings.Count(out, "Row "), 100, "tables")
		if class := map[string]string{"y>=20": "no", "--as=classes": "t51"}[target]; class != "" {
			mustPhe(t, "predict", model, asked, "--why", "--class", class, "--to", reasons, "--overwrite")
			of := `"of":"log-odds of ` + map[string]string{"no": "not y>=20", "t51": "y=t51"}[class] + `"`
			filetest.Want(t, strings.Count(content(t, reasons), of), 120, "reasons of one class")
		}
		fails(t, []string{"predict", model, asked, "--why", "--class", "t52"}, "--class: ")
		fails(t, []string{"predict", model, asked, "--pairs"}, "add --why")
		mustPhe(t, "predict", model, asked, "--why=1", "--to", reasons, "--overwrite")
		lines := strings.Split(strings.TrimSpace(content(t, reasons)), "\n")
		filetest.Want(t, len(lines), 120, "lines of JSON")
		for i, line := range lines {
			var x explained
			filetest.Check(t, json.Unmarshal([]byte(line), &x))
			filetest.Want(t, [2]any{x.Record, x.ID}, [2]any{int64(i + 1), fmt.Sprint("v", i)}, "record and id")
			filetest.Want(t, len(x.Why.Lines), 1, "lines of a forecast")
			if y := &x.Why; target != "--as=count" {
				filetest.Want(t, y.Lines[0].Column, "customer", "the first reason")
				filetest.Near(t, y.UsualRow+y.CameLast+y.Lines[0].Adds+y.Others, y.Value, 1e-9, "%s: the sum", target)
				if target != "--as=number" {
					filetest.Near(t, x.Forecast, 1/(1+math.Exp(-y.Value)), 1e-15, "%s: the forecast", target)
				}
			}
		}
	}
}

// TestWhyOften: the rows of an item with a name are counted, and those of an hour no further than 255.
func TestWhyOften(t *testing.T) {
	folder, text := filetest.Folder(t), "shop,when,y\n"
	for i := range 600 {
		text += fmt.Sprintf("s%d,2026-03-02 08:%02d,%d\n", i%2, i/10, i%3/2)
	}
	path, model := write(t, folder, "visits.csv", text), filepath.Join(folder, "m.phe")
	mustPhe(t, "stream", path, "--target", "y", "--model", model)
	out, _ := mustPhe(t, "predict", model, write(t, folder, "ask.csv", "shop,when\ns0,2026-03-02 08:00\n"), "--why")
	filetest.WantWords(t, out, " 300  shop s0", " ≥ 255  when 2026-03-02 08:00")
}
