package run

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// The identities and conventions of the committed results equal those of today's specs. Otherwise --resume
// would refuse results that took hours, and reproduce would compute them again. If this test fails because a field was
// added, let the program compute the same numbers as before where the field is zero, false or empty.
func TestCommittedIdentities(t *testing.T) {
	for _, path := range committed(t) {
		f := filetest.Must(result.ReadSummary(path))(t)
		specs := []spec.Spec{filetest.Must(spec.Parse(path, f.Manifest.Spec))(t)}
		if slices.Contains(spec.Names(), f.Name) {
			specs = append(specs, filetest.Must(spec.Load(f.Name))(t))
		}
		for _, spec := range specs {
			filetest.Want(t, spec.Fingerprint(), f.Manifest.SpecHash, "%s: the spec's hash, and its result's", f.Name)
			for label, is := range identities(spec) {
				name, frozen := strings.CutSuffix(label, " (frozen)")
				was := f.Method(name, frozen)
				filetest.Want(t, is, was.Hash+" "+was.Convention, "%s: hash and convention of %s", f.Name, label)
			}
			for _, m := range f.Methods {
				isRival := m.Hash == ""
				filetest.True(t, !isRival || m.Convention == spec.Convention(),
					"%s: %s is %s, its spec is not", f.Name, m.Name, m.Convention)
			}
		}
	}
}

// identities returns the hashes and conventions of a spec's methods, by their labels. The two-item stream has the program's own methods.
func identities(of spec.Spec) map[string]string {
	hashes := map[string]string{}
	if of.Protocol.Name == protocol.TwoItems {
		return hashes
	}
	for _, f := range modelsOf(of, hundredItems) {
		for _, own := range f.methods {
			m := f.entry(of, own)
			hashes[m.Label()] = m.Hash + " " + m.Convention
		}
	}
	return hashes
}

// hundredItems stands for the data of a spec, whose number of items is in no identity.
func hundredItems(spec.Method) int { return 100 }

// change changes a spec, or its first method.
type change func(*spec.Spec, *spec.Method)

// wantIdentities checks which changes give the first method of a spec another identity. Those that do give it different ones.
func wantIdentities(t *testing.T, create func() spec.Spec, same, other map[string]change) {
	t.Helper()
	hash := func(c change) string {
		s := create()
		m := s.Methods[0]
		c(&s, &m)
		return s.Resolve(m).Fingerprint()
	}
	first := hash(func(*spec.Spec, *spec.Method) {})
	for name, c := range same {
		filetest.True(t, hash(c) == first, "%s counts", name)
	}
	seen := map[string]string{first: "nothing"}
	for name, c := range other {
		h := hash(c)
		filetest.Want(t, seen[h], "", "%s hashes as another: it", name)
		seen[h] = name
	}
}

// committed returns the paths of the committed results.
func committed(t *testing.T) []string {
	t.Helper()
	paths := filetest.Must(filepath.Glob(filepath.Join("..", "out", "*.json")))(t)
	filetest.True(t, len(paths) >= 40, "%d results", len(paths))
	return paths
}

// Every result names the code that made it: whole commits of the history, so that the code can be read and run again.
func TestResultsNameCommits(t *testing.T) {
	commits := map[string][]string{} // the results of each
	for _, path := range committed(t) {
		f := filetest.Must(result.ReadSummary(path))(t)
		for commit := range strings.SplitSeq(f.Manifest.Commit, ", resumed by ") {
			commits[commit] = append(commits[commit], f.Name)
		}
	}
	for commit, names := range commits {
		switch {
		case strings.HasSuffix(commit, "+changes"):
			t.Errorf("%q are of commit %s, whose changes nobody knows; "+
				"commit the code, build the program in a clean checkout and make the results again", names, commit)
		case !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(commit):
			t.Errorf("%q name %q, which is no commit; build the program by `go build` in a checkout and make the results again",
				names, commit)
		}
	}
	shallow, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output()
	switch {
	case err != nil:
		t.Skip("this is no git checkout, so the commits that results name cannot be looked up")
	case strings.TrimSpace(string(shallow)) == "true":
		t.Skip("this clone is shallow and lacks old commits; `git fetch --unshallow` brings the commits that results name")
	}
	for commit, names := range commits {
		if err := exec.Command("git", "cat-file", "-e", commit+"^{commit}").Run(); err != nil {
			t.Errorf("commit %s is not in the history, and %s names it; make the result again by committed code",
				commit, strings.Join(names, ", "))
		}
	}
}

// A result that is read and written again keeps every digit. Refresh does so with the methods that it keeps when a spec gains a method.
func TestRewriteKeepsResults(t *testing.T) {
	paths := slices.DeleteFunc(committed(t), func(path string) bool { return !strings.HasSuffix(path, "-one-pass.json") })
	filetest.True(t, len(paths) >= 30, "%d results", len(paths))
	folder := t.TempDir()
	for i, path := range paths {
		if i%4 > 0 && !filetest.Long() {
			continue // each of these results has all kinds of scores
		}
		before, copied := filetest.Must(result.Read(path))(t), filetest.Must(result.Read(path))(t)
		to := filepath.Join(folder, filepath.Base(path))
		filetest.Check(t, copied.Write(to))
		after := filetest.Must(result.Read(to))(t)
		same := reflect.DeepEqual(before.Stream, after.Stream) && len(before.Methods) == len(after.Methods)
		for k := range before.Methods {
			same = same && reflect.DeepEqual(before.Methods[k].Runs, after.Methods[k].Runs)
		}
		filetest.True(t, same, "%s is another result after it was read and written", before.Name)
	}
}
