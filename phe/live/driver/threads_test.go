package driver

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// TestThreads learns tables with labels and numbers that are missing, bad or wild, and leaves out records. A pipeline must leave the bytes
// that one thread leaves, also if it is interrupted.
func TestThreads(t *testing.T) {
	t.Parallel()
	for target, rows := range map[string]int{"two classes": 700, "several classes": 500, "number": 700, "waking": 2500} {
		table := lines(generate(rows, target))
		for i := 1; i < len(table); i++ {
			fields := strings.Split(strings.TrimSuffix(string(table[i]), "\n"), ",")
			switch i % 97 {
			case 11:
				fields[len(fields)-1] = ""
			case 23:
				fields[len(fields)-1] = "perhaps"
			case 31:
				fields = fields[1:]
			case 43:
				if target == "number" {
					fields[len(fields)-1] = "1e15"
				}
			}
			if last := len(fields) - 1; target == "waking" && i > 1000 && fields[last] != "" {
				fields[last] = []string{"no", "yes"}[(int(fields[0][len(fields[0])-1])+i/2000)%2] // at row 2,000 the labels turn around
			}
			table[i] = []byte(strings.Join(fields, ",") + "\n")
		}
		j := job{Input: write(t, t.TempDir(), "table.csv", bytes.Join(table, nil)), Folder: filetest.Folder(t), Target: target,
			Where: "u0", SkipBad: true, Every: 5 * time.Millisecond, Slow: true}
		j.mustRun(t)
		want := filetest.Must(j.result())(t)
		filetest.True(t, target != "waking" || bytes.Contains(want.payload, []byte(`"due":`)), "no alarm of the forecasts")
		j.Slow, j.Folder = false, filetest.Folder(t)
		j.mustRun(t)
		same(t, j, want)
		j.Folder = filetest.Folder(t)
		for interrupted := 1; ; interrupted++ {
			j.forecasts = int64(rows / 10 * interrupted)
			if _, err := j.run(); !errors.Is(err, context.Canceled) {
				filetest.Check(t, err)
				break
			}
		}
		same(t, j, want)
	}
}

// TestRows stops behind numbers of records, some of which are bad or left out, and goes on. The bytes equal one run's.
func TestRows(t *testing.T) {
	t.Parallel()
	table := lines(generate(700, "number"))
	for i := 1; i < len(table); i += 7 {
		table[i] = []byte("bad\n")
	}
	j := job{Input: write(t, t.TempDir(), "table.csv", bytes.Join(table, nil)), Target: "number", Where: "u0", SkipBad: true, Delay: 5}
	for _, j.Slow = range []bool{true, false} {
		if !j.Slow {
			j.Delay = 0
		}
		j.Folder = filetest.Folder(t)
		j.mustRun(t)
		want := filetest.Must(j.result())(t)
		j.Folder = filetest.Folder(t)
		for _, j.Rows = range []int64{1, 300, 300, 555, 10} {
			j.mustRun(t)
			s := j.state(t)
			filetest.Want(t, s.Records(), max(j.Rows, min(s.Records(), 555)), "records")
			filetest.True(t, !s.Ended, "the input has ended after %d records", s.Records())
		}
		j.Rows = 0
		j.mustRun(t)
		same(t, j, want)
	}
}
