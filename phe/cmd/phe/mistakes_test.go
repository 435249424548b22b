package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gophe/experiments/result/resulttest"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// runsLine is the line in which a sweep counts its runs before they begin.
var runsLine = regexp.MustCompile(`(?m)^\d+ points by .* runs\n`)

// refused checks that phe refuses a call with exit code 1 and one line that holds all words, and that it leaves no file. A sweep may leave
// its folder.
func refused(t *testing.T, dataFolder string, args []string, words ...string) {
	t.Helper()
	out := t.TempDir()
	withOut := []string{"run", "sweep", "reproduce", "table", "figure", "compare"}
	if len(args) > 1 && slices.Contains(withOut, args[0]) && !slices.Contains(args, "--out") {
		args = append(slices.Clone(args), "--out", out)
	}
	if len(args) > 1 && args[0] == "figure" {
		args = append(slices.Clone(args), "--to", out)
	}
	r := within(t, dataFolder, args...).ends(t, exitError, words...)
	filetest.Want(t, r.stdout, "", "output of phe %q", args)
	told := runsLine.ReplaceAllString(r.stderr, "")
	filetest.True(t, strings.HasPrefix(told, "phe: ") && strings.Count(told, "\n") == 1,
		"phe %q: the error is not one line: %s", args, told)
	if args[0] != "sweep" {
		filetest.WantFiles(t, out)
	}
}

// A file of Adult that is damaged or altered is refused with the place of the defect.
func TestBadData(t *testing.T) {
	spec, lines := specFile(t, smallSpec(t)), adultLines(t, 300)
	adult := func(line int, oldNew ...string) string { // one line of the file changed, counted from 1
		changed := slices.Clone(lines)
		changed[line-1] = strings.NewReplacer(oldNew...).Replace(changed[line-1])
		filetest.True(t, changed[line-1] != lines[line-1], "line %d has no %s: %s", line, oldNew[0], lines[line-1])
		return adultFolder(t, changed)
	}
	label := strconv.Itoa(strings.LastIndex(lines[4], ",") + 2) // column, in line 5
	real := filetest.Must(os.ReadFile("../../../data/uci/adult.csv.gz"))(t)
	for _, c := range []struct {
		name, folder string
		want         []string // in the error
	}{
		{"missing column", adult(1, ",education-num", ""), []string{"adult.csv.gz:1:32: ", `"education-num" is missing`}},
		{"row with a field too few", adult(9, ",United-States", ""), []string{"adult.csv.gz:9:", "want 15"}},
		{"unparsable number", adult(2, "39,", "forty,"), []string{"adult.csv.gz:2:1: ", `"age"`, `"forty" is not a number`}},
		{"unknown label", adult(5, "<=50K", "maybe"), []string{"adult.csv.gz:5:" + label + ": ", `"maybe"`, "<=50K, >50K"}},
		{"empty file", write(t, "adult.csv.gz", nil), []string{"adult.csv.gz", "empty"}},
		{"empty file inside gzip", adultFolder(t, nil), []string{"adult.csv.gz"}},
		{"truncated gzip", write(t, "adult.csv.gz", real[:len(real)/2]), []string{"adult.csv.gz", "cut off after line"}},
		{"not gzip", write(t, "adult.csv.gz", []byte("age,workclass\n")), []string{"adult.csv.gz", "not a gzip file", "drop .gz"}},
		{"altered", adult(5, "Male", "Mal"), []string{"adult.csv.gz", "altered", "--allow-altered"}},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, c.folder, []string{"run", spec, "--backend", "go"}, c.want...) })
	}
}

// mistake is a command line and words of the error that it ends with.
type mistake struct {
	line string
	want []string
}

const tables = "choose one of 1, 4, 5, 6, double, buckets, hash-functions, claims, pays, speed, hours, one-pass, late-column, " +
	"late-items, adaptation, assembly, by-group, "

// mistakes are values that do not exist or do not fit, and mistyped names. A mistyped name of any kind gets a suggestion.
var mistakes = []mistake{
	{"run nowhere.json", []string{"nowhere.json", "phe list"}},
	{"run", []string{"name at least one experiment"}},
	{"table 99", []string{`"99"`, tables}},
	{"table 99 --json", []string{`"99"`, tables}},
	{"table 1", []string{"holds no result of adult-online", "phe run adult-online"}},
	{"table schemes --json", []string{"holds no result of adult-schemes", "phe run adult-schemes"}},
	{"table 5 --csv", []string{"holds no result of adult-group", "phe run adult-group"}},
	{"table 6 --grid", []string{"holds no result of adult-scopes", "phe run adult-scopes"}},
	{"table speed --csv", []string{`"speed"`, "Markdown only"}},
	{"table 1 --csv --json", []string{"csv", "json", "none of the others can be"}},
	{"table 1 --csv --grid", []string{"csv", "grid", "none of the others can be"}},
	{"compare --csv --json", []string{"csv", "json", "none of the others can be"}},
	{"bench --task mnist", []string{`"mnist"`, "adult, dkf or ncf"}},
	{"bench --task ncf --scheme moments", []string{"task ncf", "moments", "local"}},
	{"bench --backend go --chunks 9999", []string{"9999 chunks", "317"}},
	{"bench --backend go --seeds 0", []string{"0 seeds"}},
	{"bench --backend go --steps 0", []string{"0 steps"}},
	{"bench --only adult", []string{"--only is \"adult\"", "adult:1,5"}},
	{"bench --task adult --python python3", []string{"python", "task", "none of the others can be"}},
	{"bench --backend tpu", []string{`"tpu"`, "auto, go, xla:cpu, xla:cuda"}},
	{"figure 99", []string{`"99"`, "choose one of 1, 10, 11, 11-stratified, 2, 3, 3-retail, 4, 5, 6, 7, 8, 9, calibration, " +
		"cold-start, frontier, late-items, memory, one-pass, pays, or all"}},
	{"figure 3", []string{"no result of adult-online", "phe run adult-online"}},
	{"figure 2 --spec two-items", []string{"leave out --spec"}},
	{"figure 5 --spec two-items,adult-online", []string{"name one"}},
	{"figure all --spec two-items", []string{"leave out --spec"}},
	{"figure 12 --spec two-items", []string{"there is no figure"}},
	{"reproduce regression", []string{`"regression"`, "choose one of classification, covertype-whole"}},
	{"reproduce classification regression", []string{`"regression"`}},
	{"reproduce --list regression", []string{`"regression"`}},
	{"reproduce", []string{"name at least one study", "phe reproduce classification"}},
	{"reproduce classification --seeds 0", []string{"--seeds is 0", "at least 1"}},
	{"reproduce classification --seeds -1", []string{"--seeds is -1"}},
	{"reproduce classification --backend tpu", []string{`"tpu"`, "auto, go, xla:cpu, xla:cuda"}},
	{"sweep", []string{"name one experiment", "phe sweep adult-online"}},
	{"sweep retail-forecast", []string{"not about a table", "adult-online"}},
	{"rnu", []string{`phe has no command "rnu"; did you mean "run"?`}},
	{"srteam", []string{`did you mean "stream"?`}},
	{"data lst", []string{`phe data has no command "lst"; did you mean "list"? Else choose one of export, fetch, list`}},
	{"data adult", []string{`phe data has no command "adult"; choose one of export, fetch, list`}},
	{"run adult-onlin", []string{`"adult-onlin"`, `did you mean "adult-online"?`}},
	{"sweep adult-onlin", []string{`did you mean "adult-online"?`}},
	{"reproduce clasification", []string{`did you mean "classification"?`}},
	{"reproduce --list clasification", []string{`did you mean "classification"?`}},
	{"table scheme", []string{`did you mean "schemes"?`}},
	{"figure one-psas", []string{`there is no figure "one-psas"; did you mean "one-pass"?`}},
	{"data export adlut", []string{`there is no data set "adlut"; did you mean "adult"? Else choose one of adult`}},
	{"data fetch ml32m", []string{`there is no data set "ml32m"; did you mean "ml-32m"? Else choose one of ml-32m, ml-latest-small`}},
	{"data fetch movielens-50k", []string{"cannot be fetched: take its two files from"}},
	{"data fetch adult", []string{"comes with the checkout", "archive.ics.uci.edu/dataset/2/adult"}},
	{"run adult-online --sedes 2", []string{"unknown flag: --sedes; did you mean --seeds?"}},
	{"stream sales.csv --traget bought", []string{"unknown flag: --traget; did you mean --target?"}},
	{"run adult-online --zzz", []string{"unknown flag: --zzz; `phe run --help` lists the flags"}},
	{"run adult-online --user gophe", []string{"unknown flag: --user; `phe run --help` lists the flags"}},
	{"bench --backend go --rows -1", []string{"(B) is -1"}},
	{"bench --backend go --seeds 1000000000", []string{"take 1 to 10,000"}},
	{"bench --backend go --steps 9223372036854775807", []string{"take 1 to 1,000,000,000 steps"}},
	{"sweep adult-online --seeds 1000000000", []string{"at most 1000"}},
	{"inspect m.phe --most -1", []string{"--most is -1"}},
	{"stream m.csv --target y --store nats://127.0.0.1:1/m --replicas 0", []string{"--replicas is 0"}},
	{"stream m.csv --target y --checkpoint 0", []string{"--checkpoint is 0"}},
	{"eval m.csv --target y --ids -1", []string{"--ids is -1"}},
	{"eval m.csv --target y --memory 0.5", []string{`"0.5" is not a size`}},
	{"eval m.csv --target y --threads 100000000", []string{"give 1 to 1024"}},
	{"serve m.phe --keys 0", []string{"--keys is 0"}},
	{"serve m.phe --queue 9223372036854775807", []string{"at most 1048576"}},
	{"run adult-online -z", []string{"`phe run --help` lists the flags"}},
}

// TestMistakes calls the commands with the mistakes, and with specs and files that have mistakes of their own.
func TestMistakes(t *testing.T) {
	absent, small := filepath.Join(t.TempDir(), "absent"), smallSpec(t)
	file := filepath.Join(write(t, "file", nil), "file")
	good, shop := specFile(t, small), shopSpec(t)
	for _, c := range append([]mistake{
		{"run " + specFile(t, small, `"chunk_rows"`, `"chunkrows"`), []string{"small.json:9:5: ", `"chunkrows"`}},
		{"run " + specFile(t, small, `"num_buckets": 7`, `"num_buckets": 0`), []string{"small.json:21:7: ", "(B) is 0", "at least 2"}},
		{"run " + specFile(t, small, `"num_hashes": 3`, `"num_hashes": 65`), []string{"small.json:22:7: ", "(K) is 65", "1…64"}},
		{"run " + specFile(t, small, `"seeds": [`, `"seeds": [,`), []string{"small.json:12:13: ", "not valid JSON"}},
		{"run " + specFile(t, small, `"dataset": "adult"`, `"dataset": "adlut"`), []string{`"adlut"`, "adult"}},
		{"run " + good + " no-such", []string{`"no-such"`}},
		{"run " + good + " --out " + filepath.Join(file, "out"), []string{file, "--out"}},
		{"run " + good + " --backend tpu", []string{`"tpu"`, "auto, go, xla:cpu, xla:cuda"}},
		{"run " + good + " --backend xla:cpu", []string{resulttest.Pick(backend.HasXLA, "make xla", "a C compiler"), "--backend go"}},
		{"run " + good + " --seeds 0", []string{"--seeds is 0"}},
		{"run " + good + " --seeds many", []string{`"many"`, "--seeds", "`phe run --help` lists the flags"}},
		{"compare --out " + absent, []string{"absent", "phe run", "--out"}},
		{"reproduce classification --out " + filepath.Join(file, "out") + " --backend go", []string{file, "--out"}},
		{"sweep " + shop + " --try lerning_rate=1", []string{`"lerning_rate"`, `did you mean "model.learning_rate"?`}},
		{"sweep " + shop + " --try learning_rate=fast", []string{`"fast"`, "no number"}},
		{"sweep " + shop + " --try num_buckets=1,7", []string{"--try", "num_buckets (B) is 1"}},
		{"sweep " + shop + " --method Ada", []string{`"Ada"`, `"PHE"`}},
		{"sweep " + shop + " --seeds 0", []string{"--seeds is 0"}},
		{"sweep " + shopSpec(t, `"target": "buys"`, `"target": "bys"`), []string{"source", `did you mean "buys"?`}},
		{"sweep " + shopSpec(t, `"shop.csv"`, `"no.csv"`), []string{`source.file is "no.csv"`}},
		{"sweep " + shopSpec(t, `"shop.csv"`, `""`), []string{"shop.json:5:14: source.file is missing"}},
	}, mistakes...) {
		t.Run(c.line, func(t *testing.T) { refused(t, "", strings.Fields(c.line), c.want...) })
	}
}

// A command without the name that it needs shows its usage and an example.
func TestMissingNames(t *testing.T) {
	for line, want := range map[string]string{
		"run":         "usage: phe run NAME…, as in: phe run adult-online",
		"sweep":       "usage: phe sweep NAME, as in: phe sweep adult-online",
		"reproduce":   "usage: phe reproduce [STUDY…], as in: phe reproduce classification",
		"table":       "usage: phe table NAME, as in: phe table 1",
		"figure":      "usage: phe figure NAME, as in: phe figure 3",
		"data export": "usage: phe data export NAME, as in: phe data export retail --to retail.csv",
		"data fetch":  "usage: phe data fetch NAME, as in: phe data fetch ml-latest-small",
		"stream":      "usage: phe stream FILE…|FOLDER|-|nats://HOST/STREAM, as in: phe stream sales.csv --target bought",
		"feed":        "usage: phe feed FILE|- nats://HOST/STREAM, as in: phe feed sales.csv nats://localhost:4222/sales --target bought",
		"eval":        "usage: phe eval MODEL | eval FILE --target COLUMN, as in: phe eval sales.phe",
		"inspect":     "usage: phe inspect MODEL, as in: phe inspect sales.phe",
		"predict m":   "usage: phe predict MODEL FILE|-, as in: phe predict sales.phe tomorrow.csv",
		"serve":       "usage: phe serve MODEL, as in: phe serve sales.phe",
	} {
		t.Run(line, func(t *testing.T) { refused(t, "", strings.Fields(line), "phe: name ", want) })
	}
}
