package driver

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
)

// copied copies a job's checkpoint and forecasts to another folder.
func (j job) copied(t *testing.T) job {
	t.Helper()
	to := j
	to.Folder = filetest.Folder(t)
	for from, name := range map[string]string{j.model(): to.model(), j.model() + ".old": to.model() + ".old", j.output(): to.output()} {
		b := filetest.Must(os.ReadFile(from))(t)
		write(t, to.Folder, filepath.Base(name), b)
	}
	return to
}

// TestDamage damages the checkpoint of a stopped program. The program must go on from the generation before it, or name the damage.
func TestDamage(t *testing.T) {
	alone(t)
	t.Parallel()
	const rows = 1000
	interrupted := job{Input: write(t, t.TempDir(), "table.csv", generate(rows, "number")), Target: "number"}
	interrupted = stopped(t, stopped(t, interrupted, rows/3), rows/2) // two generations of the checkpoint with different rows
	want := undisturbed(t, interrupted, nil, rows)
	older := filetest.Must(checkpoint.Peek(interrupted.model() + ".old"))(t)
	file := filetest.Must(os.ReadFile(interrupted.model()))(t)
	r := rand.New(rand.NewPCG(5, 6))
	cut := func() []byte { return file[:r.IntN(len(file))] }
	flip := func() []byte {
		b := bytes.Clone(file)
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		return b
	}
	all, each := size(100, 200, 0), size(20, 1, 0) // a run to the end takes a hundred times as long as a load
	fellBack, ran := 0, 0
	for n := range all {
		damage := cut
		if n%2 > 0 {
			damage = flip
		}
		j := interrupted
		if n/2%each == 0 {
			j = interrupted.copied(t)
		}
		write(t, j.Folder, "model", damage())
		loaded, err := checkpoint.Peek(j.model())
		if err != nil {
			filetest.WantError(t, err, j.model())
			continue
		}
		filetest.WantWords(t, loaded.Warning, j.model()+" is damaged")
		filetest.True(t, bytes.Equal(loaded.Payload, older.Payload), "damage %d: not the generation before", n)
		fellBack++
		if n/2%each == 0 {
			j.mustRun(t)
			same(t, j, want)
			ran++
		}
	}
	// the version's digit can become another version, which is an error
	filetest.True(t, fellBack >= all*95/100, "%d of %d damaged checkpoints were replaced by the generation before", fellBack, all)
	t.Logf("%d damaged checkpoints, %d replaced by the generation before, %d runs to the end", all, fellBack, ran)
}
