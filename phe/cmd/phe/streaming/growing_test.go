package streaming

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"gophe/phe/disk/filetest"
)

// TestHalfLine learns a file that ends at any byte, and learns it again when it is whole. No half line may be learned, and no row lost.
func TestHalfLine(t *testing.T) {
	var table, lines strings.Builder
	table.WriteString("user,note,label\n")
	for i := range 60 {
		fmt.Fprintf(&table, "u%d,\"a, %d\",%d\n", i%7, i%5, 1000+i*i%777)
		fmt.Fprintf(&lines, "{\"user\":\"u%d\",\"note\":\"} %d\",\"label\":%d}\n", i%7, i%5, 1000+i*i%777)
	}
	for _, c := range []struct{ name, text string }{
		{"visits.csv", table.String()},
		{"windows.csv", "\xef\xbb\xbf" + strings.ReplaceAll(table.String(), "\n", "\r\n")},
		{"visits.jsonl", lines.String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			learn := func(texts ...string) (score, forecasts string, told []string) {
				folder := filetest.Folder(t)
				path, model := filepath.Join(folder, c.name), filepath.Join(folder, "m.phe")
				for _, text := range texts {
					write(t, folder, c.name, text)
					_, diagnostics := mustPhe(t, "stream", path, "--target", "label", "--as", "number", "--category", "user,note",
						"--delay", "3", "--memory", "16K", "--check",
						"--model", model, "--predictions", filepath.Join(folder, "forecasts.csv"))
					told = append(told, diagnostics)
				}
				score, _ = mustPhe(t, "eval", model, "--json")
				return score, content(t, filepath.Join(folder, "forecasts.csv")), told
			}
			score, forecasts, _ := learn(c.text)
			row := strings.LastIndexByte(c.text[:len(c.text)-1], '\n') + 1
			cuts := []int{len(c.text) - 4, len(c.text) - 2, len(c.text) - 1}
			for cut := row + 1; filetest.Long() && cut < len(c.text); cut++ {
				cuts = append(cuts, cut)
			}
			for _, cut := range cuts {
				whole := json.Valid([]byte(c.text[row:cut]))
				said := fmt.Sprintf("line %d of ", strings.Count(c.text[:row], "\n")+1)
				s, f, told := learn(c.text[:cut], c.text)
				filetest.WantNone(t, told[1], "no line end")
				// The end of a file brings all labels that are late. So a file that ends in a whole row is no beginning of the longer file.
				if whole {
					filetest.WantNone(t, told[0], said)
					continue
				}
				filetest.WantWords(t, told[0], said, "has no line end and was not learned")
				filetest.Want(t, s, score, "score after %q", c.text[row:cut])
				filetest.Want(t, f, forecasts, "forecasts after %q", c.text[row:cut])
			}
		})
	}
}

// TestHalfLineThenAnother: a file that ends in a half line has not ended.
func TestHalfLineThenAnother(t *testing.T) {
	folder := t.TempDir()
	path, model := write(t, folder, "visits.csv", strings.TrimSpace(visits(100))), filepath.Join(folder, "m.phe")
	prints(t, "99 rows", "stream", path, "--target", "bought", "--model", model)
	other := write(t, folder, "more.csv", visits(50))
	fails(t, []string{"stream", other, "--model", model}, "99 records of "+path+" were learned, and the rest was not", "--again")
	write(t, folder, "visits.csv", visits(100))
	_, told := prints(t, "100 rows", "stream", path, "--model", model, "--check")
	filetest.WantWords(t, told, "continues after 99 rows")
	write(t, folder, "visits.csv", strings.Replace(visits(100), "v50,c30", "v50,c31", 1))
	fails(t, []string{"stream", path, "--model", model, "--check"}, "was learned to its end, and that part has changed: bytes 0 to",
		"--again")
	write(t, folder, "visits.csv", strings.TrimSpace(visits(100)))
	prints(t, "100 rows", "eval", path, "--target", "bought") // nothing is kept
}

// TestComplete learns a last line without its end. A longer one later is another row, which no command takes for the first.
func TestComplete(t *testing.T) {
	folder := t.TempDir()
	whole := visits(100)
	half := strings.TrimSpace(whole)
	path, model := write(t, folder, "visits.csv", half), filepath.Join(folder, "m.phe")
	command := []string{"stream", path, "--target", "bought", "--model", model}
	_, told := mustPhe(t, command...)
	filetest.WantWords(t, told, "add --complete if the line is whole")
	_, told = prints(t, "100 rows", append(command, "--complete")...)
	filetest.WantNone(t, told, "no line end")
	write(t, folder, "visits.csv", half+"5\n")
	fails(t, command, "line 101 of "+path+" was record 100", "longer", "(--again)")
	write(t, folder, "visits.csv", whole+"v,c1,p1,3,no\n")
	prints(t, "101 rows", command...)
}

// TestAside says what of an input is left out, at each command that reads one. A schema's columns go by their names, too.
func TestAside(t *testing.T) {
	folder := t.TempDir()
	table, model, second := visits(60), filepath.Join(folder, "m.phe"), filepath.Join(folder, "s.phe")
	path := write(t, folder, "visits.csv", "sep=,\nVisits\n"+table+table)
	command := []string{"stream", path, "--target", "bought", "--model", model, "--force"}
	printed, _ := mustPhe(t, append(command, "--show-schema")...)
	schema := write(t, folder, "schema.json", printed)
	mixed := ""
	for line := range strings.Lines(table) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		slices.Reverse(fields)
		mixed += "x," + strings.Join(fields, ",") + "\n"
	}
	other := write(t, folder, "mixed.csv", mixed)
	lines := write(t, folder, "lines.jsonl", `{"custmer":"c1","visit":"v1"}`+"\n")
	const left = "visits.csv: left out 2 lines above its header, and 1 of later lines that repeat these or the header"
	const json = "\"lines_above_header\": 2,\n  \"header_copies\": 1\n"
	const unknown = `1 column that the model does not know, left out: ["x"]`
	for _, c := range []struct {
		args []string
		want string
	}{
		{command, "120 rows"}, {command, left}, {[]string{"predict", model, path}, left},
		{append(command, "--json"), json}, {[]string{"eval", path, "--target", "bought", "--json"}, json},
		{[]string{"stream", other, "--schema", schema, "--model", second}, unknown}, {[]string{"predict", model, other}, unknown},
		{[]string{"predict", model, lines}, `has "page", which the model reads` + "\n"},
		{[]string{"predict", model, lines},
			`no record read from ` + lines + ` has "customer", which the model reads; did you mean "custmer"?`},
	} {
		out, told := mustPhe(t, c.args...)
		filetest.WantWords(t, out+told, c.want)
		filetest.WantNone(t, told, `no record read from `+lines+` has "bought"`) // a forecast needs no target
	}
	log := write(t, folder, "access.log", strings.Repeat(`1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326`+"\n", 3))
	fails(t, []string{"stream", log, "--target", "c9"}, "blanks part its fields", "(--delimiter ' ' --no-header)")
	fails(t, []string{"predict", model, other, "--columns", "x,y"}, `the columns ["x" "y"] are given, and the model has the columns ["`)
	renamed := write(t, folder, "renamed.csv", strings.Replace(table, "customer", "costumer", 1))
	fails(t, []string{"predict", model, renamed}, `has no column "customer"; did you mean "costumer"?`)
	unlabelled := write(t, folder, "unlabelled.csv", strings.Replace(table, "bought", "sold", 1))
	fails(t, []string{"stream", unlabelled, "--model", model, "--again"}, `has no column "bought"`)
	mustPhe(t, "predict", model, unlabelled)
}

// note is a row of a Parquet file.
type note struct {
	User  string `parquet:"user"`
	Text  string `parquet:"text"`
	Label int64  `parquet:"label"`
}

// TestEditPacked edits a row of a file whose bytes are not the text, behind the bytes that identify the file. The row was learned.
func TestEditPacked(t *testing.T) {
	const rows, edited = 2000, 1950
	letters := rand.New(rand.NewPCG(1, 2))
	var notes []note
	for i := range rows + 100 {
		notes = append(notes, note{fmt.Sprint("u", i%9), fmt.Sprintf("%016x%016x", letters.Uint64(), letters.Uint64()), int64(i * i % 77)})
	}
	for name, pack := range map[string]func([]note) []byte{"notes.csv.gz": packCSV, "notes.parquet": packParquet} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filetest.Folder(t)
			path := write(t, folder, name, string(pack(notes[:rows])))
			command := []string{"stream", path, "--target", "label", "--as", "number", "--drop", "text", "--memory", "16K",
				"--model", filepath.Join(folder, "m.phe")}
			mustPhe(t, command...)
			other := append([]note(nil), notes...)
			other[edited].Label++
			write(t, folder, name, string(pack(other)))
			fails(t, command, path+" does not begin with the 2000 records that were learned; put that part back", "--again")
			write(t, folder, name, string(pack(notes)))
			_, told := prints(t, "2,100 rows", command...)
			filetest.WantWords(t, told, "continues after 2,000 rows")
			write(t, folder, name, string(pack(other)))
			prints(t, "4,200 rows", append(command, "--again")...)
		})
	}
}

func packCSV(notes []note) []byte {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.NoCompression)
	fmt.Fprintln(w, "user,text,label")
	for _, n := range notes {
		fmt.Fprintf(w, "%s,%s,%d\n", n.User, n.Text, n.Label)
	}
	w.Close()
	return packed.Bytes()
}

func packParquet(notes []note) []byte {
	var packed bytes.Buffer
	w := parquet.NewGenericWriter[note](&packed, parquet.MaxRowsPerRowGroup(100))
	w.Write(notes)
	w.Close()
	return packed.Bytes()
}

// TestNewColumn: a folder whose files gain a column stops at the first of them, and the error's remedy learns that file, and the next.
func TestNewColumn(t *testing.T) {
	folder, model := t.TempDir(), filepath.Join(t.TempDir(), "m.phe")
	lines := strings.SplitAfter(visits(180), "\n")
	for i, header := range []string{lines[0], "new," + lines[0], "new," + lines[0]} {
		text := header
		for _, row := range lines[1+60*i : 61+60*i] {
			text += map[bool]string{true: "7,"}[i > 0] + row
		}
		write(t, folder, fmt.Sprint(i, ".csv"), text)
	}
	fails(t, []string{"stream", folder, "--target", "bought", "--model", model}, "stopped after 60 rows", `has a column "new"`,
		"in a command of its own with --again and the same --model")
	prints(t, "120 rows learned", "stream", filepath.Join(folder, "1.csv"), "--target", "bought", "--model", model, "--again")
	prints(t, "180 rows learned", "stream", filepath.Join(folder, "2.csv"), "--target", "bought", "--model", model)
}

// TestWeights: the weights that inspect prints are all of the mixture. The base rate has most where no column tells anything.
func TestWeights(t *testing.T) {
	folder, text, sum := t.TempDir(), "a,b,y\n", 0.0
	for i := range 900 {
		text += fmt.Sprintf("a%d,b%d,%d\n", i*37%101, i*53%97, i*i%7%2)
	}
	model := filepath.Join(folder, "m.phe")
	mustPhe(t, "stream", write(t, folder, "noise.csv", text), "--target", "y", "--as", "number", "--model", model)
	out, _ := mustPhe(t, "inspect", model)
	filetest.WantWords(t, out, "\nbase rate ")
	for _, m := range regexp.MustCompile(`(?m)^[a-z ]{24} {6}(\d\.\d\d)`).FindAllStringSubmatch(out, -1) {
		sum += filetest.Must(strconv.ParseFloat(m[1], 64))(t)
	}
	filetest.Near(t, sum, 1, 0.021, "the sum of four weights, each rounded to a hundredth")
}
