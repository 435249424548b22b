package run

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

// committed returns the paths of the committed results.
func committed(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "out", "*.json"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d results; %v", len(paths), err)
	}
	return paths
}

// commitsOf returns the names of the committed results of each commit.
func commitsOf(t *testing.T) map[string][]string {
	t.Helper()
	commits := map[string][]string{}
	for _, path := range committed(t) {
		f := filetest.Must(result.ReadSummary(path))(t)
		for commit := range strings.SplitSeq(f.Manifest.Commit, ", resumed by ") {
			commits[commit] = append(commits[commit], f.Name)
		}
	}
	return commits
}

// Every result names the code that made it: whole commits of the history, so that the code can be read and run again.
func TestResultsNameCommits(t *testing.T) {
	commits := commitsOf(t)
	for commit, names := range commits {
		switch {
		case strings.HasSuffix(commit, "+changes"):
			t.Errorf("%q are of commit %s, whose changes nobody knows; commit the code, build the program in a clean checkout and make the results again", names, commit)
		case !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(commit):
			t.Errorf("%q name %q, which is no commit; build the program by `go build` in a checkout and make the results again", names, commit)
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
			t.Errorf("commit %s is not in the history, and %s names it; make the result again by committed code", commit, strings.Join(names, ", "))
		}
	}
}
