package ownmethod

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/data/labelled"
	"gophe/experiments/result"
	"gophe/experiments/rivals/onehot"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe/belief"
	"gophe/phe/models/tabular"
)

// rival runs a learner along a plan. It turns panics and wrong predictions of the learner into errors.
type rival struct {
	ctx     context.Context
	task    task.Task
	table   *labelled.Table
	data    tabular.Data // the table as models read it
	name    string
	seed    int64
	say     func(doing string)
	learner Learner

	row     int32 // under way
	done    int   // rows forecast or learned
	learned int
	seconds result.Seconds
}

// create makes the learner.
func (r *rival) create(create func(Table, int64) Learner) (err error) {
	defer r.guard("New", time.Now(), &r.seconds.Initial, &err)
	if create == nil {
		return errors.New("New is missing; give a function that returns a learner")
	}
	t := r.table
	about := Table{Items: task.Names(t.Categorical), Classes: t.Classes, Incremental: t.Incremental}
	for _, c := range t.Numeric {
		about.Numbers = append(about.Numbers, c.Name)
	}
	if r.learner = create(about, r.seed); r.learner == nil {
		return errors.New("New returns nil; return a learner")
	}
	return nil
}

// Score scores the learner's predictions of rows.
func (r *rival) Score(rows []int32) (score protocol.Score, err error) {
	defer r.guard("Predict", time.Now(), &r.seconds.Predict, &err)
	var logProbabilities []float32
	for _, r.row = range rows {
		items, numbers := r.read()
		p := r.learner.Predict(items, numbers)
		if err := r.check(p); err != nil {
			return score, err
		}
		logProbabilities = onehot.AppendLogs(logProbabilities, p)
		if err := r.ctx.Err(); err != nil {
			return score, err
		}
	}
	r.report(rows)
	return r.task.Judge(spec.Config{}, rows, logProbabilities), nil
}

// Learn learns rows in their order.
func (r *rival) Learn(rows []int32) (err error) {
	phase := &r.seconds.Update
	if r.learned == 0 {
		phase = &r.seconds.Initial
	}
	defer r.guard("Learn", time.Now(), phase, &err)
	for _, r.row = range rows {
		items, numbers := r.read()
		r.learner.Learn(items, numbers, int(r.table.Labels[r.row]))
		r.learned++
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	r.report(rows)
	return nil
}

// read returns the row under way as the program's models read it, in slices of its own.
func (r *rival) read() (items []string, numbers []float64) {
	data, columns := r.data, len(r.table.Categorical)
	for _, item := range data.Index[int(r.row)*columns:][:columns] {
		items = append(items, data.Items[item])
	}
	n := len(r.table.Numeric)
	return items, belief.Converted[float64](data.Numbers[int(r.row)*n:][:n])
}

// sumTolerance is the furthest that the sum of probabilities may be from 1.
const sumTolerance = 1e-6

// check returns an error unless a forecast is a probability for each class.
func (r *rival) check(p []float64) error {
	sum, least := 0.0, 0.0
	for _, v := range p {
		sum, least = sum+v, min(least, v) // NaN stays NaN
	}
	if classes := r.table.Classes; len(p) != len(classes) || !(math.Abs(sum-1) <= sumTolerance) || least < 0 {
		return errors.Errorf("Predict returns %v for row %d; "+
			"it must return a probability for each of the %d classes (%s), and they must add up to 1",
			p, r.row, len(classes), strings.Join(classes, ", "))
	}
	return nil
}

// report reports the progress.
func (r *rival) report(rows []int32) {
	r.done += len(rows)
	r.say(fmt.Sprintf("%s, seed %d: %d rows", r.name, r.seed, r.done))
}

// guard ends a call of the learner: it adds the call's time to a phase, and turns a panic into an error. The place of the panic is on
// a line of its own, as in a stack trace. GoNB shows the cell for such a line, and dies of a line with colons before the file's name.
func (r *rival) guard(call string, began time.Time, phase *float64, err *error) {
	*phase += time.Since(began).Seconds()
	if cause := recover(); cause != nil {
		*err = errors.Errorf("%s panics: %v, at row %d, in %s", call, cause, r.row, panicked())
	}
}

// panicked returns the place of the panic in the learner's own package.
func panicked() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]) // without Callers, panicked and guard
	var own []runtime.Frame
	for frame, more := frames.Next(); more && !strings.Contains(frame.Function, "/ownmethod.(*rival)."); frame, more = frames.Next() {
		own = append(own, frame)
	}
	for _, frame := range own {
		if packageOf(frame) == packageOf(own[len(own)-1]) { // the last frame is the method that was called
			return fmt.Sprintf("%s\n\t%s:%d", frame.Function, frame.File, frame.Line)
		}
	}
	return "an unknown place"
}

// packageOf returns the package of a frame's function.
func packageOf(frame runtime.Frame) string {
	end := strings.LastIndex(frame.Function, "/") + 1
	name, _, _ := strings.Cut(frame.Function[end:], ".")
	return frame.Function[:end] + name
}
