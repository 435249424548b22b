package streaming

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// The table has each remedy that the libraries name, and no other. And no text of the libraries names a flag of the command.
func TestRemediesOfLibraries(t *testing.T) {
	given := regexp.MustCompile(`\b(?:remedy|advice)\.(?:With|Errorf)\("([^"]+)"|\b(?:name|name, first|help, options, hint) :?= "([^"]+)"`)
	flag := regexp.MustCompile(`"[^"\n]*[ (]--[a-z][^"\n]*"`)
	named := map[string]bool{}
	root := filepath.Join("..", "..", "..", "..")
	for _, folder := range []string{"phe", "data"} {
		filetest.Check(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.Name() == "cmd" {
				return fs.SkipDir // the command
			}
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range given.FindAllStringSubmatch(string(text), -1) {
				named[m[1]+m[2]] = true
				filetest.True(t, remedies[m[1]+m[2]] != "" || m[1] == "",
					"%s names the remedy %q, which the command does not know", path, m[1])
			}
			for _, m := range flag.FindAllString(string(text), -1) {
				others := []string{"zstd", "--xla_", "nats stream add", "--max-bytes"} // other programs' flags
				isOthers := slices.ContainsFunc(others, func(of string) bool { return strings.Contains(m, of) })
				filetest.True(t, isOthers, "%s: %s names a flag", path, m)
			}
			return err
		}))
	}
	for name := range remedies {
		filetest.True(t, named[name], "no error names the remedy %q", name)
	}
}

// An error names the flags that its command has.
func TestRemedies(t *testing.T) {
	folder, path, model := learned(t, 200, "--classes", "no,yes")
	bad := write(t, folder, "bad.csv", visits(50)+"v,c,p,3,perhaps\n")
	short := write(t, folder, "short.csv", visits(60)+"v,c\n")
	numbers := write(t, folder, "numbers.csv", "a,n\n"+strings.Repeat("x,1\ny,2\n", 60))
	old := write(t, folder, "forecasts.csv", "record,p(yes),novelty\n")
	new := []string{"--model", filepath.Join(folder, "n.phe")}
	for _, c := range []struct {
		args []string
		want string // end of the error
	}{
		{[]string{"stream", bad, "--model", model, "--again"}, `"perhaps": it is none of the classes "no" "yes"; start anew with all ` +
			`classes: no,yes,perhaps, or with one: bought=yes (--classes, --target), or skip such rows (--bad skip); docs/values.md says ` +
			`how values are read`},
		{[]string{"stream", short, "--model", model, "--again"}, "found 2; add the missing fields, or remove the line, or skip such rows " +
			"(--bad skip)"},
		{append([]string{"stream", write(t, folder, "none.csv", "a,y\n1\n2\n"), "--target", "y"}, new...),
			"add the missing fields, or remove the line"}, // to skip all rows would help nobody
		{append([]string{"stream", path, "--target", "bought", "--where", "seconds>many"}, new...),
			`"seconds>many" compares with no number, and no time; docs/values.md says how values are read`},
		{append([]string{"stream", path, "--target", "bought", "--time", "customer"}, new...), "; docs/values.md says how values are read"},
		{append([]string{"stream", path, "--target", "bought", "--where", "customer=none"}, new...),
			"; docs/values.md says how values are read"},
		{append([]string{"stream", path}, new...), "name the column to forecast, such as bought (--target)"},
		{append([]string{"stream", path, "--target", "seconds>=20", "--as", "number"}, new...),
			"has the classes no and yes; leave out other classes and another kind (--classes, --as)"},
		{append([]string{"stream", path, "--target", "visit", "--as", "classes"}, new...), "Name those that matter and (other), or " +
			"forecast a number or a count with --classes a,b or --as number; docs/values.md says how values are read"},
		{append([]string{"stream", numbers, "--target", "n", "--drop", "a"}, new...),
			"give the kind of one in the schema, or keep one with --keep COLUMN"},
		{[]string{"predict", model, path, "--to", old},
			old + " already exists; name another file with --to, or replace it with --overwrite"},
		{[]string{"predict", model, path, "--to", bad},
			bad + " already exists and holds something other than forecasts; name another file with --to"},
		{[]string{"serve", filepath.Join(folder, "none.phe"), "--address", "127.0.0.1:0"},
			"`phe stream FILE --target COLUMN` makes one, and --schema begins an empty one"},
	} {
		_, _, err := phe(t, c.args...)
		filetest.True(t, err != nil && strings.HasSuffix(err.Error(), c.want), "phe %s: %v, want %q",
			strings.Join(c.args, " "), err, c.want)
	}
}
