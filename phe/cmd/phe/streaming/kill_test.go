package streaming

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
)

// killed is a file that `phe stream` learns while it is killed again and again.
type killed struct {
	format, target string // target is a flag and its value
	latin1         bool   // the letters are not UTF-8
	delay          int
}

func (k killed) name() string {
	return fmt.Sprintf("%s, Latin-1 %t, %s, delay %d", k.format, k.latin1, k.target, k.delay)
}

// encode returns a text in the file's encoding.
func (k killed) encode(text string) string {
	if !k.latin1 {
		return text
	}
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

// table returns the columns and the rows of a table. Half of its items differ in one letter only.
func (k killed) table(rows int) (columns []string, table [][]string) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range rows {
		user, item, tag := rng.IntN(400), rng.IntN(60), rng.IntN(7)
		effect := float64(user%5) - float64(item%4) + float64(tag%2)
		y := fmt.Sprintf("%.2f", effect+rng.NormFloat64())
		switch {
		case strings.HasSuffix(k.target, "é"):
			y = []string{"ouè", "oué", "jamais"}[min(2, int(max(0, effect+rng.NormFloat64())))]
		case strings.HasSuffix(k.target, "count"):
			y = fmt.Sprint(int(max(0, effect+4*rng.ExpFloat64())))
		}
		letters := []string{"é", "è"}
		who, what := letters[user%2]+fmt.Sprint(user/2), letters[item%2]+fmt.Sprint(item/2)
		table = append(table, []string{who, what, fmt.Sprint(rng.IntN(100)), letters[tag%2] + "¦" + fmt.Sprint(tag), y})
	}
	return []string{"cafè", "café", "prix", "tags", "y"}, table
}

// content returns the table as a file. JSON is UTF-8, so the rows with Latin-1 letters are bad rows of JSON lines; every third row has
// them.
func (k killed) content(t *testing.T, rows int) []byte {
	columns, table := k.table(rows)
	var b bytes.Buffer
	switch k.format {
	case "csv":
		for _, row := range append([][]string{columns}, table...) {
			b.WriteString(k.encode(strings.Join(row, ",") + "\n"))
		}
	case "jsonl":
		for i, row := range table {
			line := "{"
			for c, field := range row {
				quoted := fmt.Sprintf("%q:%q,", columns[c], field)
				if ascii := fmt.Sprintf("%+q:%+q,", columns[c], field); k.latin1 && (i%3 > 0 || c != 1) {
					quoted = ascii
				} else if k.latin1 {
					quoted = fmt.Sprintf("%+q:\"%s\",", columns[c], k.encode(field))
				}
				line += quoted
			}
			b.WriteString(strings.TrimSuffix(line, ",") + "}\n")
		}
	case "parquet":
		group, value := parquet.Group{}, map[string]int{}
		for c, name := range columns {
			group[k.encode(name)], value[k.encode(name)] = parquet.String(), c
		}
		described := parquet.NewSchema("table", group)
		w := parquet.NewWriter(&b, described)
		for _, row := range table {
			var values parquet.Row
			for at, path := range described.Columns() {
				values = append(values, parquet.ByteArrayValue([]byte(k.encode(row[value[path[0]]]))).Level(0, 0, at))
			}
			filetest.Must(w.WriteRows([]parquet.Row{values}))(t)
		}
		filetest.Check(t, w.Close())
	}
	return b.Bytes()
}

// command returns the command that learns a file into a folder.
func (k killed) command(path, folder string, every time.Duration) []string {
	args := []string{"stream", path, "--model", filepath.Join(folder, "m.phe"), "--predictions", filepath.Join(folder, "forecasts.csv"),
		"--bad", "skip", "--checkpoint", every.String(), "--multi", k.encode("tags=¦"), "--target"}
	expression, as, found := strings.Cut(k.target, " --as ")
	if args = append(args, k.encode(expression)); found {
		args = append(args, "--as", as)
	}
	if k.delay > 0 {
		args = append(args, "--delay", fmt.Sprint(k.delay))
	}
	return args
}

// result returns the forecasts, and the model with all its files.
func (k killed) result(t *testing.T, folder string) (forecasts, model []byte) {
	t.Helper()
	loaded := filetest.Must(checkpoint.Peek(filepath.Join(folder, "m.phe")))(t)
	return filetest.Must(os.ReadFile(filepath.Join(folder, "forecasts.csv")))(t), loaded.Payload
}

// programVariable makes this test program be phe itself, which runs the command of its arguments.
const programVariable = "GOPHE_TEST_STREAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) == "" {
		os.Exit(m.Run())
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // the parent has ended
	}()
	if err := command(os.Stdout, os.Stderr, os.Args[1:]...).Execute(); err != nil {
		fmt.Fprintf(os.Stderr, "%+v\n", err)
		os.Exit(1)
	}
}

// child is a command in a process of its own.
type child struct {
	*os.Process
	command []string
	said    diagnostics
	ended   chan error
}

// start starts a command in a process of its own.
func start(t *testing.T, command ...string) *child {
	t.Helper()
	c, p := exec.Command(os.Args[0], command...), &child{command: command, ended: make(chan error, 1)}
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), "GOMAXPROCS=1", programVariable+"=1"), &p.said, &p.said
	filetest.Must(c.StdinPipe())(t)
	filetest.Check(t, c.Start())
	p.Process = c.Process
	go func() { p.ended <- c.Wait() }()
	return p
}

// wait waits for the end of the process. It returns whether nobody killed it.
func (p *child) wait(t *testing.T) bool {
	t.Helper()
	err := <-p.ended
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() < 0) {
		t.Fatalf("%q: %v\n%s", p.command, err, p.said.String())
	}
	return err == nil
}

// learn runs a command in a process of its own. It kills the process some time after the file of forecasts has rows, or after the
// beginning if there is no file to look at. It returns whether the process came to its end before.
func learn(t *testing.T, command []string, forecasts string, wait time.Duration) (ended bool) {
	t.Helper()
	p := start(t, command...)
	for has := forecasts == ""; !has && len(p.ended) == 0; time.Sleep(time.Millisecond) {
		info, err := os.Stat(forecasts)
		has = err == nil && info.Size() > 0
	}
	defer time.AfterFunc(wait, func() { _ = p.Kill() }).Stop()
	return p.wait(t)
}

// TestKilledStream kills `phe stream` at random moments, in files of all formats and two encodings, with and without late labels. When
// the stream ends, the model and the forecasts are those of a stream without a kill.
func TestKilledStream(t *testing.T) {
	rows, kills, delays := 2000, 1, []int{300}
	formats := []string{"csv"}
	if filetest.Long() {
		rows, kills, delays, formats = 20_000, 42, []int{0, 300}, []string{"csv", "jsonl", "parquet"}
	}
	targets := []string{"y=oué", "y --as number", "y --as count"}
	for f, format := range formats {
		for _, latin1 := range []bool{true, false} {
			for d, delay := range delays {
				if !filetest.Long() && !latin1 {
					continue
				}
				k := killed{format: format, latin1: latin1, delay: delay, target: targets[(f+d+len(fmt.Sprint(latin1)))%len(targets)]}
				if format == "jsonl" && latin1 && strings.HasSuffix(k.target, "é") {
					k.target = targets[1]
				}
				t.Run(k.name(), func(t *testing.T) { k.test(t, rows, kills) })
			}
		}
	}
}

func (k killed) test(t *testing.T, rows, most int) {
	random := rand.New(rand.NewPCG(1, uint64(len(k.name())+k.delay)))
	path := filepath.Join(filetest.Folder(t), "table."+k.format)
	filetest.Check(t, os.WriteFile(path, k.content(t, rows), 0o644))
	reference := filetest.Folder(t)
	_, _ = mustPhe(t, k.command(path, reference, time.Hour)...)
	forecasts, model := k.result(t, reference)
	good := rows
	if k.format == "jsonl" && k.latin1 {
		good -= (rows + 2) / 3
	}
	filetest.Want(t, bytes.Count(forecasts, []byte("\n"))-1, good, "forecasts")
	longest := 5 * time.Millisecond
	if filetest.Long() {
		longest = 500 * time.Millisecond
	}
	kills, rounds := 0, 0
	for kills < most {
		folder := filetest.Folder(t)
		for ended := false; !ended; {
			if kills == most {
				mustPhe(t, k.command(path, folder, time.Hour)...)
				break
			}
			every, file := time.Duration(1+random.IntN(50))*time.Millisecond, filepath.Join(folder, "forecasts.csv")
			command := k.command(path, folder, every)
			if random.IntN(5) == 0 && filetest.Long() {
				file = ""
			}
			if ended = learn(t, command, file, time.Duration(random.Int64N(int64(longest)))); !ended {
				kills++
			}
		}
		rounds++
		gotForecasts, gotModel := k.result(t, folder)
		filetest.True(t, bytes.Equal(gotModel, model), "the models differ after %d kills", kills)
		filetest.True(t, bytes.Equal(gotForecasts, forecasts), "the forecasts differ after %d kills", kills)
	}
	t.Logf("%d rows, %d kills, %d times to the end: no difference", rows, kills, rounds)
}

// TestSchemaOfOtherBytes: a person may change the description of a table and give it back, whatever the table's bytes are.
func TestSchemaOfOtherBytes(t *testing.T) {
	k := killed{format: "csv", latin1: true}
	folder := filetest.Folder(t)
	path := write(t, folder, "table.csv", string(k.content(t, 100)))
	shown, _ := mustPhe(t, "stream", path, "--target", "y>=1", "--show-schema")
	filetest.WantWords(t, shown, `"y>=1"`)
	filetest.Want(t, strings.Count(shown, `"name": "base64:`), 2, "names that are not UTF-8")
	described := write(t, folder, "schema.json", strings.Replace(shown, `"name": "prix"`, `"note": "mine", "name": "prix"`, 1))
	mustPhe(t, "stream", path, "--schema", described, "--model", filepath.Join(folder, "m.phe"))
}

// TestPathOfOtherBytes: a file is known by its path again, whatever the path's bytes are.
func TestPathOfOtherBytes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system wants UTF-8")
	}
	folder := filetest.Folder(t)
	path := write(t, folder, "donn\xe9es.csv", visits(40))
	args := []string{"stream", path, "--target", "bought", "--model", filepath.Join(folder, "m.phe")}
	mustPhe(t, args...)
	write(t, folder, "donn\xe9es.csv", strings.ReplaceAll(visits(40), "c7", "x7"))
	fails(t, args, "was learned to its end")
}
