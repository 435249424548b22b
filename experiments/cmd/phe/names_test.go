package main

import (
	"strings"
	"testing"
)

// A mistyped name of any kind gets a suggestion, on one line.
func TestMistypedNames(t *testing.T) {
	out := t.TempDir()
	for _, c := range []struct {
		line, want string
	}{
		{"rnu", `phe has no command "rnu"; did you mean "run"?`},
		{"srteam", `did you mean "stream"?`},
		{"data lst", `phe data has no command "lst"; did you mean "list"? Else choose one of export, fetch, list`},
		{"data adult", `phe data has no command "adult"; choose one of export, fetch, list`},
		{"run adult-onlin", `did you mean "adult-online"?`},
		{"sweep adult-onlin", `did you mean "adult-online"?`},
		{"reproduce clasification", `did you mean "classification"?`},
		{"reproduce --list clasification", `did you mean "classification"?`},
		{"table scheme", `did you mean "schemes"?`},
		{"figure one-psas", `there is no figure "one-psas"; did you mean "one-pass"?`},
		{"figure 3 --format pgn", `--format is "pgn"; did you mean "png"? Else choose one of png, svg`},
		{"data export adlut", `there is no data set "adlut"; did you mean "adult"?`},
		{"data fetch ml32m", `there is no data set "ml32m"; did you mean "ml-32m"?`},
		{"run adult-online --sedes 2", "unknown flag: --sedes; did you mean --seeds?"},
		{"stream sales.csv --traget bought", "unknown flag: --traget; did you mean --target?"},
		{"run adult-online --zzz", "unknown flag: --zzz; `phe run --help` lists the flags"},
		{"stream sales.csv --learners 4", "--learners is gone: one learner is faster than several (docs/cluster.md); leave it out"},
		{"cluster feed sales.csv --learners=4", "--learners is gone"},
		{"cluster learn --learners 4", "--learners is gone"},
		{"run adult-online -z", "`phe run --help` lists the flags"},
		{"run adult-online --seeds many", "`phe run --help` lists the flags"},
	} {
		code, stdout, stderr := call(t, "", append(strings.Fields(c.line), outOf(c.line, out)...)...)
		if code != exitError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("phe %s: exit code %d, stdout %q, stderr %q; want %q", c.line, code, stdout, stderr, c.want)
		}
	}
	if left := filesIn(t, out); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// outOf returns a flag for a folder of the test's, of those commands that write into one.
func outOf(line, folder string) []string {
	for _, command := range []string{"run", "sweep", "reproduce", "table", "figure"} {
		if strings.HasPrefix(line, command+" ") {
			return []string{"--out", folder}
		}
	}
	return nil
}

// A command without the name that it needs shows its usage and an example, on one line.
func TestMissingNames(t *testing.T) {
	for line, want := range map[string]string{
		"run":         "usage: phe run NAME…, as in: phe run adult-online",
		"sweep":       "usage: phe sweep NAME, as in: phe sweep adult-online",
		"reproduce":   "usage: phe reproduce [STUDY…], as in: phe reproduce classification",
		"table":       "usage: phe table NAME, as in: phe table 1",
		"figure":      "usage: phe figure NAME, as in: phe figure 3",
		"data export": "usage: phe data export NAME, as in: phe data export retail --to retail.csv",
		"data fetch":  "usage: phe data fetch NAME, as in: phe data fetch ml-latest-small",
		"stream":      "usage: phe stream FILE|-, as in: phe stream sales.csv --target bought",
		"eval":        "usage: phe eval MODEL | eval FILE --target COLUMN, as in: phe eval sales.phe",
		"inspect":     "usage: phe inspect MODEL, as in: phe inspect sales.phe",
		"predict m":   "usage: phe predict MODEL FILE|-, as in: phe predict sales.phe tomorrow.csv",
		"serve":       "usage: phe serve MODEL, as in: phe serve sales.phe",
	} {
		code, stdout, stderr := call(t, "", strings.Fields(line)...)
		if code != exitError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "phe: name ") || !strings.Contains(stderr, want) {
			t.Errorf("phe %s: exit code %d, stdout %q, stderr %q; want %q", line, code, stdout, stderr, want)
		}
	}
}
