package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/ownfile"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/experiments/task/ownmethod"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/models/tabular"
)

// visits is a file of rows in which one in three visitors buys, and numbers grow along the file.
func visits(rows int) string {
	var b strings.Builder
	b.WriteString("visitor,city,basket,buys\n")
	for i := range rows {
		fmt.Fprintf(&b, "v%d,c%d,%d.5,%s\n", i*i%(5+i/40), i%3, 1+i, []string{"no", "yes", "no"}[i%(5+i/40)%3])
	}
	return b.String()
}

// ownSpec is tiny on a file of visits.
func ownSpec(t *testing.T, rows int) (s spec.Spec, folder string) {
	t.Helper()
	folder = t.TempDir()
	filetest.Check(t, os.WriteFile(filepath.Join(folder, "visits.csv"), []byte(visits(rows)), 0o644))
	s = tiny(t)
	s.Dataset = "visits"
	s.Source = &ownfile.Source{File: "visits.csv", Target: "buys", Incremental: "visitor", Number: []string{"basket"}}
	filetest.Check(t, s.Source.Locate(folder))
	s.Protocol = protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.3, InitialEpochs: 2, ChunkRows: 30, MaxChunks: 3}
	return s, folder
}

// Every kind of method runs on a person's own file, and every rule.
func TestOwnFile(t *testing.T) {
	s, _ := ownSpec(t, 300)
	s.Methods = append(lacking(), spec.Method{Name: "EE", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 1})
	s = rewritten(t, s)
	o := options(t, t.TempDir())
	said := ""
	o.Say = func(note string) { said += note + "\n" }
	f := mustRun(t, s, o)
	filetest.Want(t, f.Status, result.Complete, "status")
	filetest.Want(t, len(f.Methods), 16+14+2, "number of methods, of frozen models and of rivals")
	filetest.Want(t, f.Manifest.DataSHA256, filetest.Must(s.Source.Checksum())(t), "checksum")
	filetest.Want(t, f.Manifest.Dataset, "visits", "dataset")
	table := f.Manifest.Table
	filetest.Want(t, table.Incremental, "visitor", "incremental column")
	filetest.Want(t, table.Rows, 300, "number of rows")
	filetest.Want(t, table.Numeric, []string{"basket"}, "numbers")
	again := filetest.Must(spec.Parse("manifest", f.Manifest.Spec))(t)
	filetest.Want(t, again.Fingerprint(), s.Fingerprint(), "the manifest's spec")
	filetest.WantWords(t, said, `the probability of buys: "yes"`, `column "visitor"`)
}

// Before the run a person reads the price of the hash functions in the stream. Two buckets do not tell visitors apart who decide.
func TestOwnFilePrice(t *testing.T) {
	s, _ := ownSpec(t, 300)
	s.Source.Drop, s.Protocol.MaxChunks = []string{"city"}, 0
	e := &s.Model.Encoder
	e.Hash, e.NumBuckets, e.NumHashes, e.NumWeights = hash.CarterWegman, 2, 1, 1
	_, plan := loaded(t, s)
	family := filetest.Must(hash.NewFamily(e.Hash, 1, 2, 1, 0))(t)
	items, buckets := map[string][2]float64{}, map[int32][2]float64{}
	scored := slices.Concat(plan.Steps...)
	for _, row := range scored {
		item, label := plan.Table.Token(0, int(row)), plan.Table.Labels[row]
		bucket := family.Buckets(nil, e.Hash.Key(item))[0]
		own, all := items[item], buckets[bucket]
		own[label]++
		all[label]++
		items[item], buckets[bucket] = own, all
	}
	apart, drawn, percent := 0., 0., 100/float64(len(scored))
	for _, n := range items {
		apart += percent * max(n[0], n[1])
	}
	for _, n := range buckets {
		drawn += percent * max(n[0], n[1])
	}
	filetest.True(t, drawn < apart, "%g %% by the draw, %g %% apart", drawn, apart)
	o, said := options(t, t.TempDir()), ""
	o.Say = func(note string) { said += note + "\n" }
	mustRun(t, s, o)
	filetest.WantWords(t, said, fmt.Sprintf("by their column alone a model forecasts at most %.1f %% of the stream's rows, and %.1f %% if",
		drawn, apart))
	filetest.WantWords(t, said, "do not tell visitor_")
}

// A person's file is cut by the protocols of the paper, and the plan's initial rows decide the unit of its numbers.
func TestOwnFileProtocols(t *testing.T) {
	for name, p := range protocoltest.Full {
		if !tinyOf(t, name).OfTable() {
			continue
		}
		s, _ := ownSpec(t, 900)
		s.Protocol = p
		s.Protocol.Groups = min(p.Groups, 2)
		if name == protocol.Growing { // one visitor appears after the other
			s.Protocol.MaxChunks = 0
		}
		_, plan := loaded(t, s)
		largest := 0.0
		for _, row := range plan.Initial {
			largest = max(largest, plan.Table.Numeric[0].Values[row])
		}
		filetest.Want(t, largest, 1, "%s: the largest initial number", name)
		for i, v := range task.Itemise(plan.Table).Numbers { // the file's numbers are 1.5, 2.5, …
			if want := (1.5 + float64(i)) / (1.5 + float64(slices.Max(plan.Initial))); name == protocol.InOrder {
				filetest.Want(t, v, float32(want), "row %d", i)
			}
		}
	}
}

// An identity depends on how the file is read, and not on its place.
func TestOwnFileIdentity(t *testing.T) {
	source := func(c func(*ownfile.Source)) change {
		return func(s *spec.Spec, _ *spec.Method) {
			other := *s.Source
			c(&other)
			s.Source = &other
		}
	}
	s, _ := ownSpec(t, 30)
	wantIdentities(t, func() spec.Spec { return s }, map[string]change{
		"path":     source(func(s *ownfile.Source) { s.File = "elsewhere/visits.csv" }),
		"checksum": source(func(s *ownfile.Source) { s.SHA256 = strings.Repeat("a", 64) }),
	}, map[string]change{
		"target":    source(func(s *ownfile.Source) { s.Target = "city=c0" }),
		"condition": source(func(s *ownfile.Source) { s.Where = "city=c0" }),
		"column":    source(func(s *ownfile.Source) { s.Drop = []string{"city"} }),
	})
}

// A file that has changed is neither resumed nor taken for a finished result's file.
func TestOwnFileChanged(t *testing.T) {
	spec, folder := ownSpec(t, 300)
	o := options(t, t.TempDir())
	mustRun(t, spec, o)
	mustRun(t, spec, o) // the finished result is there
	filetest.Check(t, os.WriteFile(filepath.Join(folder, "visits.csv"), []byte(visits(301)), 0o644))
	for _, o.Existing = range []Existing{Keep, Resume} {
		wantRunError(t, spec, o, "visits.csv has changed", "--force")
	}
	o.Existing = Replace
	filetest.Want(t, mustRun(t, spec, o).Manifest.Table.Rows, 301, "number of rows")
}

// unsized is a spec on a file of visits, as a person writes it without an encoder, and notes of what runs say.
func unsized(t *testing.T, rows int) (s spec.Spec, o Options, said *string) {
	t.Helper()
	s, folder := ownSpec(t, rows)
	s.Model, s.Seeds, s.Methods = tabular.Paper().Config, s.Seeds[:1], s.Methods[:1]
	s.Methods[0] = spec.Method{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1}
	var fields map[string]any
	filetest.Check(t, json.Unmarshal(filetest.Must(json.Marshal(s))(t), &fields))
	fields["model"] = map[string]any{"learning_rate": 0.02, "train_samples": 1, "test_samples": 2}
	path := filepath.Join(folder, "visits.json")
	filetest.Check(t, os.WriteFile(path, filetest.Must(json.Marshal(fields))(t), 0o644))
	o, said = options(t, t.TempDir()), new(string)
	o.Say = func(note string) { *said += note + "\n" }
	return filetest.Must(spec.Load(path))(t), o, said
}

// Without an encoder, the items of the initial rows size the tables: rows of the stream do not. The result says so, and later runs keep
// its sizes; all columns learn, unless the spec says otherwise.
func TestUnsized(t *testing.T) {
	s, o, said := unsized(t, 300)
	if !s.Unsized() {
		t.Fatalf("the encoder is %+v", s.Model.Encoder)
	}
	f := mustRun(t, s, o)
	m := spec.Recorded(f.Manifest.Spec).Model
	const items = 5 + 3 // visitors v0, …, v4 and cities of the first 90 rows; the stream has others
	sized := phe.ForVocabulary(items)
	sized.HashDraws = phe.UsualDraws
	filetest.Want(t, f.Manifest.SizedFor, items, "items that size the tables")
	filetest.Want(t, m.Encoder, sized, "encoder")
	filetest.Want(t, m.Scope, phe.AllColumns, "scope")
	filetest.Want(t, m.LearningRate, 0.02, "learning rate")
	filetest.WantWords(t, *said, "the initial rows hold 8 items", "num_buckets 31,", "best for them of hash_draws 64;")
	filetest.True(t, !strings.Contains(*said, "warning"), "said\n%s", *said)
	wantKept(t, s, o, f)
	moved := rewritten(t, s) // as `phe sweep` writes specs
	filetest.True(t, moved.Unsized(), "written, it is %+v", moved.Model)
	filetest.Want(t, moved.Fingerprint(), s.Fingerprint(), "identity of the written spec")
}

// wantKept checks that a finished result stays, whatever a run does about earlier results but Replace: nothing is learned again, and the
// file, which holds times, keeps its bytes.
func wantKept(t *testing.T, s spec.Spec, o Options, want *result.File) {
	t.Helper()
	file := func() string { return string(filetest.Must(os.ReadFile(filepath.Join(o.Out, s.Name+".json")))(t)) }
	before := file()
	o = idle(t, o, "kept")
	for _, o.Existing = range []Existing{Keep, Resume, Refresh} {
		wantSame(t, mustRun(t, s, o), want, "existing %d", o.Existing)
		filetest.True(t, file() == before, "existing %d: the file is another one", o.Existing)
	}
}

// rewritten is a spec that was written and read.
func rewritten(t *testing.T, s spec.Spec) spec.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "moved.json")
	filetest.Check(t, s.Write(path))
	return filetest.Must(spec.Load(path))(t)
}

// A result from the time when a spec without an encoder had the paper's goes on with it, and the run warns of its few rows. What begins
// anew is sized.
func TestUnsizedResumesPaper(t *testing.T) {
	s, o, said := unsized(t, 1800)
	s.Protocol = protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.1, InitialEpochs: 1, ChunkRows: 20, MaxChunks: 1}
	old := s.Sized(phe.Paper(), phe.IncrementalColumn)
	was := mustRun(t, old, o)
	filetest.WantWords(t, *said, "warning: 21 of the file's 49 items share a bucket of PHE on average")
	filetest.Want(t, was.Manifest.SizedFor, 0, "items that size the tables")
	wantSame(t, mustRun(t, s, o), was, "the old one kept")
	s.Seeds, o.Existing = []int64{0, 1}, Resume
	more := mustRun(t, s, o)
	filetest.Want(t, len(more.Methods[0].Runs), 2, "number of runs")
	filetest.Want(t, more.Methods[0].Hash, was.Methods[0].Hash, "resumed: identity")
	filetest.Want(t, spec.Recorded(more.Manifest.Spec).Model.Encoder, phe.Paper(), "resumed: encoder")
	o.Existing = Replace
	anew := mustRun(t, s, o)
	filetest.True(t, anew.Manifest.SizedFor != 0 && anew.Methods[0].Hash != was.Methods[0].Hash, "begun anew, it is not sized")
	named := s // an encoder that the spec named is not taken over when it is named no more
	named.Model.Encoder, named.Model.Scope = phe.ForVocabulary(500), phe.AllColumns
	mustRun(t, named, o)
	o.Existing = Keep
	wantRunError(t, s, o, "another spec", "--force")
}

// The initial rows choose the hash functions of a file too, and no later row does. A result by sizes alone goes on with its one draw, and a
// spec whose encoder says nothing but its draws is sized as well.
func TestUnsizedDraws(t *testing.T) {
	s, o, _ := unsized(t, 300)
	f := mustRun(t, s, o)
	content := strings.Split(string(filetest.Must(os.ReadFile(s.Source.Path()))(t)), "\n")
	for i := 91; i < len(content)-1; i++ {
		content[i] = "stranger" + content[i]
	}
	later := strings.Join(content, "\n")
	filetest.Check(t, os.WriteFile(s.Source.Path(), []byte(later), 0o644))
	other := o
	other.Out = t.TempDir()
	changed := mustRun(t, s, other)
	filetest.True(t, changed.Manifest.DataSHA256 != f.Manifest.DataSHA256, "the file has not changed")
	filetest.True(t, f.Methods[1].HashSeed != 0, "no draw was chosen")
	filetest.Want(t, changed.Methods[1].HashSeed, f.Methods[1].HashSeed, "draw by other rows of the stream")

	drawn := func(encoder string) spec.Spec {
		written := strings.Replace(string(filetest.Must(json.Marshal(s))(t)), `"scheme"`, `"encoder": `+encoder+`, "scheme"`, 1)
		path := filepath.Join(filepath.Dir(s.Source.Path()), "drawn.json")
		filetest.Check(t, os.WriteFile(path, []byte(written), 0o644))
		return filetest.Must(spec.Load(path))(t)
	}
	one := drawn(`{"hash_draws": 1}`)
	other.Out = t.TempDir()
	plain := mustRun(t, one, other)
	path := filepath.Join(other.Out, s.Name+".json")
	filetest.Want(t, plain.Manifest.SizedFor, 8, "one draw: items that size the tables")
	filetest.Want(t, plain.Methods[1].HashSeed, 0, "one draw: the named draw")
	_, items := Sized(s, path, Resume)
	filetest.Want(t, items, 0, "items that a spec that named its draw hands on")
	former := s.Sized(phe.ForVocabulary(8), phe.AllColumns) // as an earlier program recorded it
	other.Out = t.TempDir()
	was := mustRun(t, former, other)
	path = filepath.Join(other.Out, s.Name+".json")
	recorded := bytes.Replace(filetest.Must(os.ReadFile(path))(t), []byte(`"data_sha256"`), []byte(`"sized_for": 8, "data_sha256"`), 1)
	filetest.Check(t, os.WriteFile(path, recorded, 0o644))
	wantKept(t, s, other, readResult(t, other.Out))
	accuracy := func(f *result.File) float64 { return f.Methods[1].Runs[0].Summary["accuracy"] }
	filetest.Want(t, accuracy(plain), accuracy(was), "accuracy among one draw")
	for encoder, unsized := range map[string]bool{`{}`: false, `{"hash_seed": 3}`: false, `{"hash_draws": 8, "num_buckets": 31}`: false,
		`{"hash_draws": 8, "hash_seed": 3}`: true} {
		d := drawn(encoder)
		filetest.Want(t, d.Unsized(), unsized, "encoder %s: unsized", encoder)
		filetest.Want(t, rewritten(t, d).Fingerprint(), d.Fingerprint(), "encoder %s: identity of the written spec", encoder)
	}
	e := drawn(`{"hash_draws": 8, "hash_seed": 3}`).Sized(phe.ForVocabulary(8), "").Model.Encoder
	filetest.True(t, e.HashDraws == 8 && e.HashSeed == 3, "sized, the encoder is %+v", e)
}

// Rules on the host read items by the chosen functions too: each method scores as one whose encoder names the draw. Rows of rules that draw
// functions by the seed name no draw, frozen or not.
func TestUnsizedRules(t *testing.T) {
	s, o, _ := unsized(t, 300)
	s.Methods = append(s.Methods,
		spec.Method{Name: "One pass", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass},
		spec.Method{Name: "From posterior", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass, Start: spec.FromPosterior},
		spec.Method{Name: "FTRL", Rows: phe.Hashed, Estimate: phe.Point, Rule: spec.FTRL, NumBuckets: 5, UpdateLearningRate: 0.1},
		spec.Method{Name: "Stream", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.Stream, Memory: 1 << 14})
	f := mustRun(t, s, o)
	e := phe.ForVocabulary(8)
	e.HashSeed, o.Out = methodOf(t, f, "PHE", false).HashSeed, t.TempDir()
	named := mustRun(t, s.Sized(e, phe.AllColumns), o)
	for i, m := range f.Methods {
		want := e.HashSeed
		if m.Hash == "" || m.Name == "FTRL" || m.Name == "Stream" {
			want = 0
		}
		filetest.Want(t, m.HashSeed, want, "%s: draw", m.Label())
		own := named.Methods[i].Runs[0].Summary["log_likelihood"]
		filetest.Want(t, m.Runs[0].Summary["log_likelihood"], own, "%s: log-likelihood, and by name of the draw,", m.Label())
	}
}

// steady forecasts the same whatever comes. It stands for a method of a caller's own.
type steady []float64

func (s steady) Predict([]string, []float64) []float64 { return s }
func (s steady) Learn([]string, []float64, int)        {}

// ownMethod is a method of a caller's own that gives the second class a probability.
func ownMethod(p float64) ownmethod.Method {
	return ownmethod.Method{Name: "Mine", New: func(ownmethod.Table, int64) ownmethod.Learner { return steady{1 - p, p} }}
}

// A method of a caller's own stands in the result with the spec's, scored on the same rows. The manifest says that the spec alone
// cannot compute it, and the file can be read again.
func TestOwnMethod(t *testing.T) {
	s, o := tiny(t), options(t, t.TempDir())
	alone := resultOf(t, s)
	o.Own = []ownmethod.Method{ownMethod(0.25)}
	f := finished(t, s, o)
	filetest.Want(t, f.Manifest.Own, map[string]string{"Mine": "run.steady"}, "own methods of the manifest")
	filetest.Want(t, alone.Manifest.Own, nil, "own methods of the manifest alone")
	others := *f
	others.Manifest.Own = nil
	others.Methods = slices.DeleteFunc(slices.Clone(f.Methods), func(m result.Method) bool { return m.Name == "Mine" })
	filetest.Want(t, len(others.Methods), len(f.Methods)-2, "number of other methods")
	wantSame(t, &others, alone, "without it")
	majority := methodOf(t, f, "Majority", false)
	for _, frozen := range []bool{false, true} {
		m := methodOf(t, f, "Mine", frozen)
		filetest.Want(t, len(m.Runs), len(s.Seeds), "number of runs")
		kind := [4]string{m.Hash, m.Protocol, m.Convention, m.Dataset}
		filetest.Want(t, kind, [4]string{"", majority.Protocol, majority.Convention, majority.Dataset}, "its kind")
		for i, run := range m.Runs { // the first class is the most frequent one
			filetest.Want(t, run.Seed, s.Seeds[i], "seed")
			filetest.Want(t, run.Accuracy, majority.Runs[i].Accuracy, "accuracy")
			filetest.Want(t, run.Rows, majority.Runs[i].Rows, "rows")
			filetest.True(t, run.Summary["accuracy"] > 0, "no accuracy in the summary %v", run.Summary)
		}
	}
}

// Nobody can see whether the code of a caller's method has changed. Refresh and Resume run it again each time, and keep the other
// methods' runs. They drop it, and say so, when it is left out. Keep leaves a finished result alone, and tells nothing of the code.
func TestOwnMethodAgain(t *testing.T) {
	for _, existing := range []Existing{Refresh, Resume, Keep} {
		s, o := tiny(t), meeting(t, t.TempDir(), existing)
		said := ""
		o.Say = func(note string) { said += note }
		o.Own = []ownmethod.Method{ownMethod(0.25)}
		before := finished(t, s, o)
		others := func(f *result.File) {
			for _, name := range []string{"PHE", "SlowAda", "FastAda"} {
				kept := sameMethod(methodOf(t, before, name, false), methodOf(t, f, name, false))
				filetest.True(t, kept, "existing %d: %s was computed again, or has changed", existing, name)
			}
		}
		accuracy := func(f *result.File) float64 { return methodOf(t, f, "Mine", false).Runs[0].Accuracy[0] }
		if o.Own = []ownmethod.Method{ownMethod(0.75)}; existing == Keep {
			wantRunError(t, s, o, filepath.Join(o.Out, "tiny.json"), "same code as method Mine", "Refresh")
		} else {
			after := mustRun(t, s, o)
			filetest.Want(t, accuracy(after), 1-accuracy(before), "accuracy of the changed method")
			filetest.Want(t, accuracy(readResult(t, o.Out)), accuracy(after), "accuracy in the file")
			others(after)
		}
		o.Own = nil
		f, dropped := mustRun(t, s, idle(t, o, "without the method")), existing != Keep
		filetest.Want(t, f.Status, result.Complete, "%d: status", existing)
		filetest.Want(t, f.Method("Mine", false) == nil, dropped, "%d: the result lacks the method", existing)
		filetest.Want(t, len(f.Manifest.Own) == 0, dropped, "%d: the manifest lacks the method", existing)
		filetest.Want(t, strings.Contains(said, "lacks method Mine"), dropped, "%d: it says so by %q", existing, said)
		others(f)
	}
}

// An error in the method comes before the spec's methods take their time, and a finished result stays.
func TestOwnMethodFails(t *testing.T) {
	s, o := tiny(t), meeting(t, t.TempDir(), Refresh)
	finished(t, s, o)
	before := pair(t, o.Out)
	s.Methods[0].UpdateEpochs++
	o.Own = []ownmethod.Method{ownMethod(2)}
	o.Progress = func(_ float64, doing string) {
		filetest.True(t, !strings.Contains(doing, "PHE"), "PHE has begun")
	}
	wantRunError(t, s, o, "method Mine, seed 0", "step 1 of 3", "[-1 2] for row")
	filetest.True(t, pair(t, o.Out) == before, "the finished result has changed")
}

// A stopped run goes on as without the method, which runs anew.
func TestOwnMethodStopped(t *testing.T) {
	s, o := tiny(t), meeting(t, t.TempDir(), Refresh)
	o.Own = []ownmethod.Method{ownMethod(0.25)}
	stopAt(t, s, o, onlyOnce(t, s, o).calls-steps/2)
	wantSame(t, mustRun(t, s, o), finished(t, s, o), "resumed")
}
