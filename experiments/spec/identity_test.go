package spec

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/data/labelled"
	"gophe/experiments/spec/ownfile"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/models/dkf"
)

var update = flag.Bool("update", false, "rewrite golden files from what the program makes now")

// The file lists the resolved settings of every spec, as the difference from a similar method before. A changed default or a lost
// override shows as a field. `go test ./experiments/spec -run ResolvedSpecs -update` rewrites it.
func TestResolvedSpecs(t *testing.T) {
	var b strings.Builder
	var before []flatMethod
	for _, name := range filetest.Some(t, Names(), "specs") {
		spec := filetest.Must(Load(name))(t)
		fmt.Fprintf(&b, "%s %s %s\n", name, spec.Convention(), spec.Fingerprint())
		for _, m := range spec.Methods {
			now := flatMethod{spec: name, method: m.Name, fields: map[string]string{}}
			addSettings(now.fields, "", canonical(spec.Resolve(m)))
			var like flatMethod
			least := len(now.fields)
			for _, other := range before {
				if other.spec != name && other.method != m.Name {
					continue
				}
				if n := len(now.without(other, least)); n < least {
					like, least = other, n
				}
			}
			word := ""
			if own := spec.Resolve(m).Convention(); own != spec.Convention() {
				word = " " + own
			}
			fmt.Fprintf(&b, "  %s%s (%s / %s): %s\n", m.Name, word, like.spec, like.method, list(now.without(like, len(now.fields)+1)))
			before = append(before, now)
		}
	}
	path := filepath.Join("testdata", "resolved.txt")
	if *update {
		filetest.Check(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want := filetest.Must(os.ReadFile(path))(t)
	got, golden := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i, line := range golden {
		if i >= len(got) || got[i] != line {
			t.Fatalf("line %d is\n%s\nwant\n%s", i+1, strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""), line)
		}
	}
	filetest.Want(t, len(got), len(golden), "lines")
}

// flatMethod has the resolved settings of a method.
type flatMethod struct {
	spec, method string
	fields       map[string]string
}

// without returns the fields that differ from another method's, and a dash for each that only the other method has. It stops at most
// differences.
func (m flatMethod) without(other flatMethod, most int) map[string]string {
	fields := map[string]string{}
	for path, value := range m.fields {
		if len(fields) < most && other.fields[path] != value {
			fields[path] = value
		}
	}
	for path := range other.fields {
		if len(fields) < most && m.fields[path] == "" {
			fields[path] = "–"
		}
	}
	return fields
}

func list(fields map[string]string) string {
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, path+"="+fields[path])
	}
	return strings.Join(parts, " ")
}

// An identity does not depend on the order of fields, nor on fields that repeat a default.
func TestCanonical(t *testing.T) {
	type inner struct {
		A float64 `json:"a"`
		B string  `json:"b"`
	}
	type early struct {
		In   inner `json:"in"`
		Size int   `json:"size"`
	}
	type late struct { // other order, and new fields
		Size  int      `json:"size"`
		Flag  bool     `json:"flag"`
		List  []string `json:"list"`
		None  *inner   `json:"none"`
		Empty inner    `json:"empty"`
		In    struct {
			C int     `json:"c"`
			B string  `json:"b"`
			A float64 `json:"a"`
		} `json:"in"`
	}
	var l late
	l.Size, l.In.A, l.In.B = 3, 0.1, "x"
	want := string(canonical(early{inner{0.1, "x"}, 3}))
	filetest.Want(t, string(canonical(l)), want, "canonical form")
	l.Flag = true
	filetest.True(t, string(canonical(l)) != want, "a field that is not zero does not count: %s", want)
}

// All choices of the program, or all of the text, make a convention, and some of both make it ours. What is not used has no say.
func TestConvention(t *testing.T) {
	for _, c := range []struct{ spec, change, want string }{
		{"adult-online", "", protocol.Authors}, {"adult-online", "loss", protocol.Ours}, {"adult-online", "hash", protocol.Ours},
		{"adult-online", "rows", protocol.Ours},
		{"adult-online", "loss hash rows", protocol.Paper}, {"adult-draws", "", protocol.Paper}, {"adult-draws", "rows", protocol.Ours},
		{"adult-group", "", protocol.Authors}, {"adult-group", "cut", protocol.Ours}, {"adult-group", "cut loss hash", protocol.Paper},
		{"adult-growing", "loss hash", protocol.Paper}, {"adult-growing", "vocabulary", protocol.Authors},
		{"adult-growing", "vocabulary hash", protocol.Authors},
		{"adult-online", "rule", protocol.Ours}, {"adult-online", "source", protocol.Ours}, {"two-items", "", protocol.Paper},
		{"retail-online", "", protocol.Authors}, {"retail-online", "windows gap hash", protocol.Authors},
		{"retail-online", "prediction", protocol.Ours},
		{"retail-online", "prediction windows gap hash", protocol.Paper}, {"retail-text", "windows", protocol.Ours},
		{"movielens-32m", "", protocol.Authors}, {"movielens-32m", "days", protocol.Ours}, {"movielens-32m", "size", protocol.Ours},
		{"movielens-32m", "days size hash", protocol.Paper}, {"movielens-32m-text", "hash", protocol.Ours},
	} {
		s := filetest.Must(Load(c.spec))(t)
		m := Method{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1}
		for change := range strings.FieldsSeq(c.change) {
			map[string]func(){
				"loss":       func() { s.Model.Loss = phe.Expected },
				"hash":       func() { turn(&s.Model.Encoder.Hash, hash.Authors, hash.CarterWegman) },
				"rows":       func() { s.Protocol.AllRows = !s.Protocol.AllRows },
				"cut":        func() { s.Protocol.Cut = labelled.Stratified },
				"vocabulary": func() { m.Rows = phe.Vocabulary },
				"rule":       func() { m.Rule = OnePass },
				"source":     func() { s.Source = &ownfile.Source{File: "a.csv"} },
				"windows":    func() { turn(&s.Protocol.Windows, protocol.Overlapping, protocol.Separate) },
				"gap":        func() { s.Filter.Transition = dkf.WithGap },
				"prediction": func() { s.Filter.Prediction = dkf.Forecast },
				"days":       func() { s.Protocol.FromDay, s.Protocol.FirstDay = "1995-01-09", "2000-01-09" },
				"size":       func() { s.Model.Encoder.EmbeddingDim = 20 },
			}[change]()
		}
		filetest.Want(t, s.Resolve(m).Convention(), c.want, "%s, %s changed", c.spec, c.change)
	}
}

// turn sets one of two values to the other.
func turn[T comparable](value *T, a, b T) { *value = map[T]T{a: b, b: a}[*value] }

// The columns that a method does not get are part of its identity and of its initial model's, in whatever order they are listed.
func TestWithoutIdentity(t *testing.T) {
	s := filetest.Must(Load("adult-by-group"))(t)
	m := s.Methods[0]
	hashes := func(without ...string) [2]string {
		m.Without = without
		r := s.Resolve(m)
		return [2]string{r.Fingerprint(), r.Initial().Fingerprint()}
	}
	filetest.True(t, hashes("age", "sex") == hashes("sex", "age"), "the order of the columns counts")
	a, b := hashes(), hashes("age")
	filetest.True(t, a[0] != b[0] && a[1] != b[1], "a method without a column has the identity of the method with it")
	filetest.True(t, hashes("age") != hashes("sex"), "another column gives the same identity")
}

// A setting that repeats what is usual changes no identity, and another one does. The frozen model is fitted once, however often the other
// one is fitted.
func TestRefitAndNumericsIdentity(t *testing.T) {
	s := filetest.Must(Load("mushroom-by-group-one-pass"))(t)
	m := Method{Name: "Refitted", Rows: phe.Vocabulary, Estimate: phe.Point, Rule: RefittedLogistic}
	usual := s
	usual.Numerics, s.Numerics = 0, 0
	base := usual.Resolve(m)
	for _, c := range []struct {
		name                     string
		every, of, own           int
		same, sameAtTheBeginning bool
	}{
		{"the usual interval", usualRefit, 0, 0, true, true},
		{"another interval", 1, 0, 0, false, true},
		{"the first arithmetic", 0, 1, 0, true, true},
		{"the spec's arithmetic", 0, 2, 0, false, false},
		{"the method's arithmetic", 0, 0, 2, false, false},
		{"the method's arithmetic before the spec's", 0, 2, 1, true, true},
	} {
		m.RefitEvery, m.Numerics, s.Numerics = c.every, c.own, c.of
		r := s.Resolve(m)
		filetest.Want(t, r.Fingerprint() == base.Fingerprint(), c.same, "%s: the identity is the usual one", c.name)
		frozen := r.Initial().Fingerprint() == base.Initial().Fingerprint()
		filetest.Want(t, frozen, c.sameAtTheBeginning, "%s: the frozen model's identity is the usual one", c.name)
	}
}
