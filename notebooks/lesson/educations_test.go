package lesson_test

import (
	"math"
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/notebooks/cell"
	"gophe/notebooks/lesson"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

func educations() *lesson.Educations {
	return lesson.NewEducations(cell.Must(labelled.Load("adult", files.Options{})),
		phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, NumBuckets: 31, NumHashes: 2, EmbeddingDim: 1,
			Assembly: phe.PlainSum, Hash: hash.CarterWegman}, 100, 80)
}

// awk counts 7,570 rows of Bachelors without a missing value in the file, and 3,178 of them have a high income.
func TestEducations(t *testing.T) {
	e := educations()
	filetest.Want(t, len(e.Names), 16, "educations")
	filetest.Want(t, e.Names[0]+", "+e.Names[15], "Bachelors, Preschool", "the first and the last")
	filetest.Near(t, e.Of["Bachelors"].Share, 3178.0/7570, 1e-15, "share")
	filetest.Near(t, e.Of["Bachelors"].LogOdds, math.Log(3178.0/(7570-3178)), 1e-12, "log-odds")
	total := 0
	for _, education := range e.Of {
		total += education.Learned
	}
	filetest.Want(t, total, len(e.Initial)+100*len(e.Steps), "rows that are learned")
	filetest.Want(t, e.Of["9th"].Sharing, []string{"HS-grad", "11th", "5th-6th"}, "items that share rows with 9th")
	used := e.Used(e.Steps[0])
	filetest.Want(t, used[:2], e.Rows(e.Name(e.Steps[0][0])), "the rows of the first chunk's first item")
	filetest.Want(t, len(used), 2*100, "rows of the first chunk")
	filetest.Want(t, e.Of["Some-college"].New.Step, 40, "the step at which Some-college appears")
	comes := func(row int32) bool { return e.Name(row) == "Some-college" }
	filetest.True(t, !slices.ContainsFunc(slices.Concat(e.Blocks[:41]...), comes), "Some-college comes before it appears")
}

// The learner's logit is the sum of the item's rows of E.
func TestSum(t *testing.T) {
	e, l := educations(), lesson.Sum(0.5, -0.25, true)
	f := l.Predict(e.Of["Bachelors"].Row)
	filetest.Near(t, f.Logit, -0.25, 1e-12, "prior mean")
	filetest.Near(t, f.Spread, 0.5*math.Sqrt2, 1e-12, "prior deviation")
}
