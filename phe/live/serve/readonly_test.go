package serve

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// filesOf returns the names, sizes and times of everything in a folder.
func filesOf(folder string) (list string) {
	_ = filepath.Walk(folder, func(name string, info os.FileInfo, err error) error {
		list += fmt.Sprintln(name, info.Size(), info.ModTime(), err)
		return nil
	})
	return list
}

// TestReadOnly: a server that only reads shows all that Peek finds, refuses changes and changes no file. It soon forecasts by a newer
// checkpoint, and a file that cannot take the model's place leaves the model as it was.
func TestReadOnly(t *testing.T) {
	folder := filetest.Folder(t)
	path, log := filepath.Join(folder, "model"), &lines{}
	other := mustOpen(t, folder, Options{})
	learnSome(t, other, 0, 30)
	keepNow(t, other)
	learnSome(t, other, 30, 40)
	killed := copyModel(t, folder) // its journal has ten rows more than its checkpoint
	s := filetest.Must(Open(filepath.Join(killed, "model"), nil, Options{ReadOnly: true, Log: log.add}))(t)
	defer mustClose(t, s)
	before := filesOf(killed)
	got := ok[forecasts](t, s, "POST", "/v1/predict", `{"record":`+asJSON(visit(3), 1)+`}`)
	want := filetest.Must(other.own.learner.Predict(visit(3)))(t)
	m := got.Model
	filetest.Want(t, m.Rows, 40, "rows")
	filetest.True(t, m.Age != nil && *m.Age >= 0 && m.Checkpoint == nil, "the age and the checkpoint: %+v", m)
	filetest.Want(t, got.Forecasts[0].Probabilities["yes"], want.Probability, "the forecast")
	filetest.WantWords(t, log.String(), "its journal adds 10 rows")
	for path, body := range map[string]string{
		"/v1/learn": learnBody(1), "/v1/label": `{"labels":[{"id":"a","target":"no"}]}`, "/v1/predict": `{"record":{},"id":"a"}`,
	} {
		refused(t, s, 409, `"code":"read_only","message":"this server only reads the model`, "POST", path, body)
	}
	for _, path := range []string{"/v1/inspect", "/v1/report", "/v1/schema", "/readyz", "/"} {
		ok[map[string]any](t, s, "GET", path, "")
	}
	checkLines(t, s, "model_rows 40", "ready 1")
	metrics := call(t, s, "GET", "/metrics", "").body
	filetest.WantNone(t, metrics, "gophe_log_")
	filetest.Want(t, strings.Count(metrics, "\ngophe_score{"), 3, "scores in the metrics")
	filetest.Want(t, filesOf(killed), before, "the files after requests")

	s = filetest.Must(Open(path, nil, Options{ReadOnly: true, Log: log.add, Page: true}))(t) // next to the server that learns
	defer mustClose(t, s)
	rows := func(want int64, words ...string) {
		t.Helper()
		await(t, fmt.Sprint(want, " rows, ", words), func() bool {
			said := log.String()
			return ok[forecasts](t, s, "POST", "/v1/predict", `{"record":{}}`).Model.Rows == want &&
				!slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(said, word) })
		})
	}
	rows(30, "a server is learning", "lacks 10 rows")
	keepNow(t, other)
	rows(40)
	mustClose(t, other)
	whole := filetest.Must(os.ReadFile(path))(t)
	filetest.Check(t, os.RemoveAll(path+".old"))
	put := func(content []byte, seconds int) {
		filetest.Check(t, os.WriteFile(path+".new", content, 0o666))
		at := time.Now().Add(time.Duration(seconds) * time.Second) // a disk's clock may be coarse
		filetest.Check(t, os.Chtimes(path+".new", at, at))
		filetest.Check(t, os.Rename(path+".new", path)) // the follower may look at any moment
	}
	read := func(seconds int) { // a whole file of then, in the future
		t.Helper()
		await(t, "the file is read", func() bool { return s.followed.Position().Age < time.Duration(5-seconds)*time.Second })
	}
	put(whole[:len(whole)/2], 5)
	rows(40, "warning: forecasts come from the model as it was: no checkpoint can be loaded")
	filetest.Check(t, os.RemoveAll(path+".journal"))
	number, comma := schema.Target{Column: "buys", Kind: schema.Amount},
		schema.Schema{Target: shop.Target, Columns: slices.Clone(shop.Columns)}
	comma.Columns[2].DecimalComma, comma.Columns[2].Reading = true, schema.Numbers
	for i, kind := range []schema.Schema{{Target: shop.Target, Columns: shop.Columns[1:]}, {Target: number, Columns: shop.Columns}, comma} {
		changed := filepath.Join(filetest.Folder(t), "model")
		begin := func() (*stream.Learner, error) {
			return stream.New(kind, stream.Options{Memory: 4 << 10, NoExactModel: true})
		}
		mustClose(t, filetest.Must(Open(changed, begin, Options{}))(t))
		put(filetest.Must(os.ReadFile(changed))(t), 20*i+10)
		await(t, "the warning", func() bool { return strings.Count(log.String(), "as it was") == i+2 })
		rows(40, "has other columns, another target or other decimal commas now; start the server again")
		put(whole, 20*i+20)
		read(20*i + 20)
	}
	filetest.Want(t, strings.Count(log.String(), "as it was"), 4, "warnings")
	filetest.Check(t, os.RemoveAll(path))
	rows(40, "there is no model "+path)
	put(whole, 90)
	read(90)
	rows(40)
	_, err := Open(filepath.Join(folder, "none"), newLearner, Options{ReadOnly: true})
	filetest.WantError(t, err, "there is no model", "remedy: make a model")
}

// TestScore: each kind of target is forecast in its own words. The metrics have the scores of the report's models as soon as there are
// some, and the first is worked out from the forecasts. An empty model can be inspected.
func TestScore(t *testing.T) {
	for _, c := range []struct {
		target            schema.Target
		score             string
		words, a, b, last string // of an answer; labels
	}{
		{shop.Target, "log-loss", "class no yes", `"yes"`, `"no"`, `"yes"`},
		{schema.Target{Kind: schema.Classes, Classes: []string{"a", "b", "true"}}, "log-loss", "class a b true", `"a"`, "true", `"a"`},
		{schema.Target{Kind: schema.Amount}, "RMSE", "value low high", "3.5", "4", "19"},
		{schema.Target{Kind: schema.Count}, "MAE", "value low high", "7", "4", "19"},
	} {
		c.target.Column = "buys"
		of := schema.Schema{Target: c.target, Columns: shop.Columns}
		s := mustBegin(t, of, Options{})
		call(t, s, "GET", "/metrics", "").lacks(t, "gophe_score", "NaN")
		ok[map[string]any](t, s, "GET", "/v1/inspect", "")
		ok[map[string]any](t, s, "GET", "/v1/report", "")
		sum := 0.
		for i, label := range []string{c.a, c.b, c.last} {
			f := filetest.Must(s.own.learner.Predict(schema.Record{"a", "", "", "", ""}))(t)
			y, _, err := c.target.Parse(strings.Trim(label, `"`))
			filetest.Check(t, err)
			p, off := append(f.Classes, 1-f.Probability, f.Probability), math.Abs(f.Value-y)
			sum += map[string]float64{"log-loss": -math.Log(p[int(y)%len(p)]), "RMSE": off * off, "MAE": off}[c.score]
			ok[learned](t, s, "POST", "/v1/learn", `{"record":{"customer":"a","buys":`+label+`}}`)
			want := sum / float64(i+1)
			if c.score == "RMSE" {
				want = math.Sqrt(want)
			}
			has := seriesOf(t, call(t, s, "GET", "/metrics", "").body)
			filetest.Near(t, has[`gophe_score{model="main"}`], want, 1e-9*want, "the %s of %d rows", c.score, i+1)
			for _, m := range s.own.learner.Report().Models {
				all := m.All.Means()
				want := map[string]float64{"log-loss": all.LogLoss, "RMSE": all.RMSE, "MAE": all.MAE}[c.score]
				filetest.Want(t, has[fmt.Sprintf("gophe_score{model=%q}", m.Model)], want, "the %s of %s", c.score, m.Name)
			}
		}
		for _, word := range strings.Fields(c.words) {
			call(t, s, "POST", "/v1/predict", `{"record":{"customer":"a"}}`).is(t, 200, `"`+word+`":`)
		}
	}
}

// TestSettleDamaged: if the newest checkpoint of a server that was killed is damaged, Settle says so and saves a whole one, although the
// journal has nothing to add.
func TestSettleDamaged(t *testing.T) {
	folder := filetest.Folder(t)
	for range 2 {
		s := mustOpen(t, folder, Options{})
		learnSome(t, s, 0, 5)
		mustClose(t, s)
	}
	mustOpen(t, folder, Options{})
	killed, log := copyModel(t, folder), &lines{}
	damage(t, filepath.Join(killed, "model"))
	filetest.Check(t, Settle(filepath.Join(killed, "model"), log.add))
	filetest.WantWords(t, log.String(), "is damaged", "model.old is used in its place")
	peekAt(t, killed, 10)
}

// TestJournalNamed: a server that is killed as it begins has named its journal in both generations.
func TestJournalNamed(t *testing.T) {
	folder, s := taught(t, 5)
	filetest.Check(t, s.own.nameJournal()) // the next start is killed here
	want := s.own.lastKept().Journal
	for _, name := range []string{"model", "model.old"} {
		filetest.WantWords(t, string(filetest.Must(os.ReadFile(filepath.Join(folder, name)))(t)[:4096]), want)
	}
}

// TestNotClosed: a server that stops with a request in its journal and not in its model needs the journal at the next start.
func TestNotClosed(t *testing.T) {
	folder, s := taught(t, 5)
	op := operation{At: now(), Learn: []schema.Record{visit(5)}}
	filetest.Must(s.own.journal.Write(filetest.Must(encode(op))(t)))(t)
	mustClose(t, s)
	peekAt(t, folder, 6, "its journal adds 1 row,")
	filetest.Check(t, os.RemoveAll(filepath.Join(folder, "model.journal")))
	wantOpenError(t, folder, nil, Options{}, "model.journal is missing")
}
