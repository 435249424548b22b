package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every mutant of the lists can still be applied: whoever changes its line is told here, and not in the long tests.
func TestMutantsApply(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	known := map[string]bool{}
	mutants, err := all()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		content, err := os.ReadFile(m.File)
		if err != nil {
			t.Error(err)
			continue
		}
		if changed, err := m.apply(string(content)); err != nil {
			t.Error(err)
		} else if changed == string(content) {
			t.Errorf("%s: %s: changes nothing", m.File, m.Breaks)
		}
		if m.Breaks == "" || m.Tests == "" || known[m.File+m.Old+m.New] {
			t.Errorf("%s: %q: no words, no tests, or there twice", m.File, m.Breaks)
		}
		known[m.File+m.Old+m.New] = true
		if lost := missing(m.Tests); lost != "" {
			t.Errorf("%s: %s: %s has no test %s", m.File, m.Breaks, m.Tests, lost)
		}
	}
	if len(known) < 40 {
		t.Errorf("%d mutants, want at least 40", len(known))
	}
}

// missing returns a test of a mutant that its package's files do not declare. It builds nothing, so it does not look for subtests.
func missing(tests string) string {
	folder, wanted, _ := strings.Cut(tests, " -run ")
	files, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	names := ""
	for _, file := range files {
		content, _ := os.ReadFile(file)
		for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w*)\(\w+ \*testing\.`).FindAllSubmatch(content, -1) {
			names += string(found[1]) + "\n"
		}
	}
	wanted, _, _ = strings.Cut(wanted, "/")
	for one := range strings.SplitSeq(wanted, "|") {
		if names == "" || !regexp.MustCompile("(?m)"+one).MatchString(names) {
			return cmp.Or(one, "at all")
		}
	}
	return ""
}

// Each outcome is told from the others, on a program of two lines.
func TestOutcomes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"go.mod":      "module toy\n\ngo 1.26\n",
		"toy.go":      "package toy\n\nfunc sum(a, b int) int { return a + b }\n\nfunc forever(again bool) {\n\tfor again {\n\t}\n}\n",
		"toy_test.go": "package toy\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif sum(2, 2) != 4 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		old, new, want string
		caught         bool
	}{
		{"a + b", "a - b", "caught by TestSum", true},
		{"a + b", "a * b", "SURVIVED", false}, // 2·2 is 2+2
		{"a + b", "a + c", "DOES NOT COMPILE", false},
		{"a % b", "a", "0 times", false},
		{"again", "true", "2 times", false},
		{"return a", "panic(a); return a", "caught by TestSum", true},
	} {
		outcome, caught := mutant{"toy.go", "toy", c.old, c.new, ".", ""}.test()
		if caught != c.caught || !strings.Contains(outcome, c.want) {
			t.Errorf("%s for %s: %s, caught %t", c.new, c.old, outcome, caught)
		}
	}
	for _, tests := range []string{"./nowhere", ". -run TestProduct", ". -run TestSum|TestProduct"} {
		if err := testUnchanged([]mutant{{Tests: tests}}); err == nil && !strings.Contains(tests, "|") || missing(tests) == "" {
			t.Errorf("tests %q are not there, and nobody says so", tests)
		}
	}
}
