package picture

import (
	"context"
	"slices"
	"testing"

	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// Two streams of the same data: in turns of one no learner forgets, in turns of ten gradient descent forgets most.
func TestTwoItems(t *testing.T) {
	taken, turns := append(make([]int, 10), slices.Repeat([]int{1}, 10)...), slices.Repeat([]int{0, 1}, 10)
	for name, arrivals := range map[string][]int{"two-items-tens": taken, "two-items-turns": turns} {
		fig := TwoItems(arrivals...)
		filetest.Want(t, [2]int{count(fig, "Ada, "), count(fig, "datum, ")}, [2]int{2 * 21, 20}, "%s: points of Ada, and data", name)
		last := "Ada, 20: " + draw.Number(alongTwoItems(arrivals).predicted[2][0][20])
		filetest.Want(t, count(fig, last), 1, "%s: marks of Ada's last prediction of item 0", name)
		filetest.WantWords(t, fig.Caption, "10 of item 0, 10 of item 1.")
	}
	bayes, phe, ada := MissedTwoItems(taken...)
	shortBayes, _, shortAda := MissedTwoItems(turns...)
	filetest.Near(t, bayes, shortBayes, 1e-12, "the distance of exact Bayes from item 0 in long turns, as in short ones")
	filetest.True(t, bayes < phe && phe < ada && ada >= 0.5, "exact Bayes, PHE and Ada miss item 0 by %v, %v, %v", bayes, phe, ada)
	filetest.True(t, shortAda <= ada/2, "in short turns Ada is %v from item 0, in long ones %v", shortAda, ada)
}

// The learners make the same predictions as the study's run of Fig. 5, datum by datum. The PHE of that run is exact Bayes.
func TestTwoItemsFollowTheStudy(t *testing.T) {
	experiment := filetest.Must(spec.Load("two-items"))(t)
	f := filetest.Must(run.Execute(context.Background(), experiment, run.Options{Out: t.TempDir()}))(t)
	for learner, method := range map[int]string{0: "PHE", 2: "Ada"} {
		predicted := f.Method(method, false).Runs[0].Prediction
		var arrivals []int
		for step := range predicted {
			arrivals = append(arrivals, step/experiment.Protocol.ChunkRows%2)
		}
		own := alongTwoItems(arrivals)
		for step, want := range predicted {
			got := own.predicted[learner][arrivals[step]][step]
			filetest.Near(t, got, want, 1e-12, "%s, step %d: the study's prediction", twoItemNames[learner], step)
		}
	}
}

// Long turns end where Supp. F says: gradient descent at e = (½, −¼, −¾), with error ¾ on item 0, and exact Bayes near (1, 0, −1).
func TestTwoItemLongTurns(t *testing.T) {
	arrivals := append(make([]int, 20_000), slices.Repeat([]int{1}, 20_000)...)
	s := alongTwoItems(arrivals)
	for item, want := range []float64{0.25, -1} { // ½ − ¼, and −¼ − ¾
		filetest.Near(t, s.predicted[2][item][40_000], want, 1e-6, "descent's prediction")
	}
	for item, want := range []float64{1, -1} { // 1 + 0, and 0 − 1
		filetest.Near(t, s.predicted[0][item][40_000], want, 2e-3, "exact Bayes' prediction")
	}
}
