package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/experiments/bench"
)

// records writes the records of a GPU's check into a folder of results.
func records(t *testing.T, lines ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, bench.GPUFile), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

// line is a step that took seconds for steps and chunks together.
func line(framework, work, seconds, rest string) string {
	return `{"part":"b","step":"x","status":"ok","measurement":{"framework":"` + framework + `","task":"adult",` + work +
		`,"seconds":` + seconds + `,"stream_seconds":0.5,"scores":{}},"device_mb":700` + rest + `}`
}

// Ratios are of medians over the same work; other work, and steps that failed, do not count.
func TestGPUTable(t *testing.T) {
	const five, one = `"scheme":"moments","seeds":5,"steps":85,"chunks":3`, `"scheme":"local","seeds":1,"steps":85,"chunks":3`
	table, err := bench.GPUTable(records(t,
		`{"part":"a","step":"doctor","status":"ok","findings":[]}`,
		line("gophe", five, "1.5", `,"scores":"agree: 2"`), // 2 s in all
		line("gophe", five, "9.5", `,"scores":"differ: accuracy"`),
		line("gophe", five, "2.5", `,"scores":"agree: 2"`), // the median is 3 s
		line("jax", five, "5.5", ""),
		line("torch-eager", five, "23.5", ""),
		line("torch-eager", five, "29.5", ""), // 27 s
		strings.Replace(line("torch-compile", five, "1", ""), `"ok"`, `"timeout"`, 1),
		line("gophe", one, "0.5", `,"scores":"agree: 2"`),
		line("torch-compile", one, "4.5", ""),
		line("torch-graphs", one, "2.5", ""), // the faster one counts
	))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| adult moments, 5 seeds, 85 + 3 | 3.00 | 2.0 × | 9.0 × | – |\n",
		"| adult local, 1 seed, 85 + 3 | 1.00 | – | – | 3.0 × |\n",
		"| adult moments, 5 seeds, 85 + 3 | 700 | 700 | 700 | differ: accuracy |\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

func TestGPUTableNotMeasured(t *testing.T) {
	for name, folder := range map[string]string{"no file": t.TempDir(), "no measurement": records(t, `{"part":"a","step":"doctor","status":"failed"}`)} {
		if table, err := bench.GPUTable(folder); err != nil || table != bench.NotMeasured+"\n" {
			t.Errorf("%s: %q, %v", name, table, err)
		}
	}
	if _, err := bench.GPUTable(records(t, "no JSON")); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a broken file gives %v", err)
	}
}

// The reference is of this program on a processor, and its scores have the spread that agreement is judged by.
func TestReference(t *testing.T) {
	file, err := os.Open(filepath.Join("gpu", "reference.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reference, err := bench.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	work := map[bench.Workload]bool{}
	for _, m := range reference {
		if m.Framework != "gophe" || m.Backend != "xla:cpu" || m.Seeds < 3 || len(m.Scores) < 4 {
			t.Errorf("%s: %+v is no reference", m.Workload(), m)
		}
		for name := range m.Scores {
			if sd, ok := m.Scores[name+"_sd"]; !strings.HasSuffix(name, "_sd") && !(ok && sd > 0) {
				t.Errorf("%s: %s has no spread", m.Workload(), name)
			}
		}
		if work[m.Workload()] {
			t.Errorf("%s is there twice", m.Workload())
		}
		work[m.Workload()] = true
	}
	if len(work) < 3 {
		t.Errorf("%d workloads", len(work))
	}
}
