package driver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// TestProgressive compares a feed with stream.Progressive, which knows no files and no checkpoints.
func TestProgressive(t *testing.T) {
	t.Parallel()
	const rows = 300
	for delay, target := range map[int]string{0: "number", 50: "several classes", 100: "number"} {
		content := generate(rows, target)
		in := filetest.Must(pipe(t.Context(), bytes.NewReader(content)))(t)
		l := filetest.Must(learner(target))(t)
		var output, state bytes.Buffer
		write := Forecasts(&output, l.Schema)
		filetest.Check(t, stream.Progressive(t.Context(), l, in.Reader, delay, func(r schema.Record, f stream.Forecast) error {
			return write(in.Reader.Position().Record, r, f)
		}))
		filetest.Check(t, l.Write(&state))
		got := undisturbed(t, job{Input: "-", Target: target, Delay: delay}, content, rows)
		filetest.True(t, bytes.Equal(got.output, output.Bytes()), "delay %d: other forecasts than stream.Progressive's", delay)
		filetest.True(t, withoutState(got.payload) == state.String(), "delay %d: another learner than stream.Progressive's", delay)
	}
}

// TestStop interrupts a program at many records, and goes on each time.
func TestStop(t *testing.T) {
	t.Parallel()
	const rows = 400
	content := generate(rows, "two classes")
	for _, c := range []struct {
		name  string
		delay int
		pipe  bool
	}{
		{"file", 0, false},
		{"file, late labels", 150, false},
		{"pipe", 0, true},
		{"pipe, late labels", 150, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.pipe {
				alone(t)
			}
			j := job{Input: "-", Folder: filetest.Folder(t), Target: "two classes", Delay: c.delay}
			var in []byte
			if in = content; !c.pipe {
				in = nil
				j.Input = write(t, t.TempDir(), "table.csv", content)
			}
			records := []int{1, 149, 151, rows}
			if raceEnabled {
				records = []int{151, rows}
			}
			for _, record := range records {
				j.pipe = bytes.NewReader(in)
				j = stopped(t, j, record)
				s := j.state(t)
				filetest.True(t, record == rows || s.Records() >= int64(record), "stopped at record %d it keeps %d", record, s.Records())
				filetest.True(t, !s.Ended, "after a stop at record %d the input has ended", record)
			}
			j.pipe = bytes.NewReader(in)
			j.mustRun(t)
			same(t, j, undisturbed(t, j, in, rows))
		})
	}
}

// TestStoppedWaiting stops while the first records of a pipe come: they are learned if they show the columns, and otherwise none is.
func TestStoppedWaiting(t *testing.T) {
	t.Parallel()
	content := lines(generate(1500, "number"))
	for _, rows := range []int64{0, 5, 40, schema.Fewest - 1, schema.Fewest, 999, 1000} {
		ctx, cancel := context.WithCancel(context.Background())
		first := bytes.NewReader(bytes.Join(content[:rows+1], nil))
		o := source.Options{Options: records.Options{Input: io.MultiReader(first, waiting(cancel))}}
		in := filetest.Must(source.Open(ctx, o, "-"))(t)
		s, err := in.Infer(schema.Hints{Target: "label"})
		if rows < schema.Fewest {
			named := strings.HasPrefix(in.Lost(err, 0).Error(), fmt.Sprintf("%d rows came", rows))
			early := errors.Is(err, context.Canceled) && errors.As(err, new(source.Early))
			filetest.True(t, early && rows > 0 == named, "%d rows: %v", rows, in.Lost(err, 0))
			continue
		}
		l := filetest.Must(stream.New(s, stream.Options{Memory: 16 << 10}))(t)
		d := newDriver(l, State{Past: source.Past{Input: source.Input{Name: "standard input"}}}, nil, in)
		err = d.Run(ctx, Options{})
		now := d.State
		filetest.True(t, errors.Is(err, context.Canceled), "%d rows: %v", rows, err)
		filetest.True(t, now.Rows == rows && !now.Ended, "%d rows: %+v", rows, now)
	}
}

// waiting is a pipe that is silent. A program is stopped when it waits for it.
type waiting context.CancelFunc

func (stop waiting) Read([]byte) (int, error) {
	stop()
	select {}
}

// TestStopped starts with a context that has ended.
func TestStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, sha256 := range []string{"", "a file's"} {
		in := filetest.Must(pipe(t.Context(), bytes.NewReader(generate(10, "number"))))(t)
		l := filetest.Must(learner("number"))(t)
		past := source.Past{Input: source.Input{Name: "some", Beginning: disk.Beginning{SHA256: sha256}}}
		f := newDriver(l, State{Past: past}, nil, &meddling{Source: in, at: -1})
		filetest.Want(t, f.Run(ctx, Options{}), context.Canceled, "the error of a run whose context has ended")
		filetest.True(t, f.State.Rows <= 1 && !f.State.Ended, "%+v", f.State)
	}
}

// TestLeftOut leaves out bad records, and records of another stream. The learner must equal a learner that never met them.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	const rows, bad = 300, 5
	var all, kept bytes.Buffer
	left := 0
	for n, line := range lines(generate(rows, "number")) {
		all.Write(line)
		switch isLeft := bytes.HasPrefix(line, []byte("u0,")); {
		case isLeft:
			left++
		default:
			kept.Write(line)
		}
		if n%60 == 30 {
			all.WriteString([]string{"u1,x,1,?\n", "u1,x\n"}[n/60%2])
		}
	}
	want := undisturbed(t, job{Input: "-", Target: "number"}, kept.Bytes(), rows-left)
	inputs, records := []string{"-", write(t, t.TempDir(), "table.csv", all.Bytes())}, []int{30, 31, 32, 200}
	if raceEnabled {
		inputs, records = inputs[:1], records[3:]
	}
	for _, input := range inputs {
		j := job{Input: input, Target: "number", SkipBad: true, Where: "u0"}
		for _, record := range records {
			j.pipe = bytes.NewReader(all.Bytes())
			j = stopped(t, j, record)
		}
		open := j
		open.Where, open.pipe = "", bytes.NewReader(all.Bytes())
		filetest.WantError(t, filetest.Failure(open.run()), "were left out, and now all records are kept")
		j.pipe = bytes.NewReader(all.Bytes())
		f := j.mustRun(t)
		s := f.State
		counts := []int64{s.Left, s.Bad, s.Rows, s.Records()}
		filetest.Want(t, counts, []int64{int64(left), bad, int64(rows - left), rows + bad}, "records left out, bad ones, rows, and all")
		got := filetest.Must(j.result())(t)
		filetest.True(t, withoutState(got.payload) == withoutState(want.payload), "the learner has met more than the kept records")
		filetest.Want(t, bytes.Count(got.output, []byte("\n")), 1+rows-left, "lines of forecasts")
	}
}

// withoutState returns the learner's part of a payload.
func withoutState(payload []byte) string {
	_, learner, _ := strings.Cut(string(payload), "\n")
	return learner
}

// TestOptions refuses options that would lose records.
func TestOptions(t *testing.T) {
	alone(t)
	t.Parallel()
	j := stopped(t, job{Input: write(t, t.TempDir(), "table.csv", generate(100, "number")), Target: "number", Delay: 20}, 50)
	for _, c := range []struct {
		delay int
		words string
	}{
		{-1, "the delay is -1 rows; give 0 or more"},
		{0, "20 records of " + j.Input + " wait for their labels, and the delay is 0 rows; give the same delay as before"},
		{19, "give the same delay as before"},
	} {
		again := j
		again.Delay = c.delay
		filetest.WantError(t, filetest.Failure(again.run()), c.words)
	}
	l := filetest.Must(stream.New(schemaOf("number"), stream.Options{Memory: 8 << 10}))(t)
	in := filetest.Must(pipe(t.Context(), strings.NewReader("user,amount,item,label\n")))(t)
	err := newDriver(l, State{Past: source.Past{Input: source.Input{Name: "x.csv"}}}, nil, in).Run(context.Background(), Options{})
	filetest.WantError(t, err, "x.csv has the columns", `"user" "amount" "item"`, "same order")
	j.mustRun(t)
}

// TestHugeLabel skips a label that no learner can hold. If it were learned, no later checkpoint could be saved.
func TestHugeLabel(t *testing.T) {
	alone(t)
	t.Parallel()
	for _, label := range []string{"1e31", "-1e31", "1e308"} {
		content := []byte(header + "u1,x,1,1e30\nu1,x,1," + label + "\nu2,x,1,-1e30\nu1,x,1,0\n")
		j := job{Input: write(t, t.TempDir(), "table.csv", content), Folder: filetest.Folder(t), Target: "number"}
		_, err := j.run()
		filetest.WantError(t, err, "record 2 (line 3)", "beyond what can be learned", "remedy: transform")
		j.SkipBad = true
		f := j.mustRun(t)
		filetest.Want(t, f.State.Bad, 1, "%s: bad records", label)
		filetest.Want(t, f.Learner.Rows(), 3, "%s: rows learned", label)
	}
}

var errDisk = errors.New("the disk is gone")

// TestReadFails reads from a disk that fails, which is no bad record to skip.
func TestReadFails(t *testing.T) {
	alone(t)
	t.Parallel()
	path := write(t, t.TempDir(), "table.csv", generate(100, "number"))
	j := job{Input: path, Folder: filetest.Folder(t), Target: "number", SkipBad: true}
	j.wrap = func(s source.Source) source.Source { return &meddling{Source: s, at: 50, fails: errDisk} }
	_, err := j.run()
	filetest.True(t, errors.Is(err, errDisk), "Run returns %v", err)
	filetest.Want(t, j.state(t).Rows, 50, "rows")
	filetest.Want(t, j.state(t).Bad, 0, "bad records")
	j.wrap = nil
	j.mustRun(t)
	same(t, j, undisturbed(t, j, nil, 100))
}

// A save that waits for servers does not stretch the period of checkpoints; two do.
func TestPeriod(t *testing.T) {
	t.Parallel()
	d := &Driver{Learner: filetest.Must(learner("count"))(t), store: slowStore{}}
	d.options = Options{Every: time.Second, Progress: func(State) {}}
	d.took = [2]time.Duration{0, time.Minute}
	filetest.Check(t, d.save(false))
	last := d.took[1]
	filetest.Want(t, d.took[0], time.Minute, "the save before")
	filetest.True(t, last >= waitingTime, "the save took %v", last)
	filetest.Want(t, d.period(), max(time.Second, 19*min(last, time.Minute)), "the period after one long save")
	d.took[1] = 2 * time.Minute
	filetest.Want(t, d.period(), 19*time.Minute, "the period after two long saves")
}

// slowStore is a store that waits at each save.
type slowStore struct{ store.Store }

const waitingTime = 10 * time.Millisecond

func (slowStore) Save(write func(io.Writer) error) error {
	time.Sleep(waitingTime)
	return write(io.Discard)
}
