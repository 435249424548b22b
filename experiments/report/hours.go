package report

import (
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/table"
)

// hoursRows holds the wall times that the paper states in words (Supp. G.2, "Hardware Information"), and the results on the same or
// the most similar data. The last row is "for all methods".
var hoursRows = []struct{ data, paper, spec string }{
	{"Adult", "less than 30", "adult-online"},
	{"Bank", "less than 30", "bank-online"},
	{"Mushroom", "less than 30", "mushroom-online"},
	{"Covertype, whole file", "less than 30", "covertype-full-online"},
	{"Retail", "about 60", "retail-online"},
	{"MovieLens-32M; ours generated", "about 120", "movielens-generated"},
}

// hoursTable returns the paper's times next to the results' times. A result's time holds every method, every seed and the frozen models.
func hoursTable(s *source) table.Page {
	t := table.New(1, "data", "paper, PHE, RTX 5000", "here, one seed of PHE", "here, whole result", "backend")
	for _, row := range hoursRows {
		phe := s.row(row.spec, "PHE")
		seconds := phe.Seconds()
		if seconds == nil {
			s.unfinished(phe.File)
			return nil
		}
		t.Add(row.data, row.paper+" min", shortTime(*seconds), shortTime(phe.File.Manifest.Seconds), phe.File.Manifest.Backend)
	}
	return t.Page()
}

// authorsSeconds is the time of one seed of PHE on the Adult stream in the authors' PyTorch program. It was measured on two cores
// with nothing else running (PROTOCOL, "Reference figures of the authors' program").
const authorsSeconds = 269

// speedTable returns the wall time of whole runs of PHE. It includes compilation and the frozen model's predictions.
func speedTable(s *source) table.Page {
	t := table.New(2, "scheme", "backend", "seeds", "s, all seeds", "s per seed", "times faster than the authors' 269 s", "peak memory MB")
	for _, f := range s.results([]string{"adult-phe-moments", "adult-phe-local"}) {
		m := f.Methods[0]
		if f.Status != result.Complete {
			s.unfinished(f)
			return nil
		}
		perSeed := f.Manifest.Seconds / float64(len(m.Runs))
		t.Add(m.Scheme, f.Manifest.Backend, len(m.Runs), measure.Optional(&f.Manifest.Seconds, 1), measure.Optional(&perSeed, 1),
			measure.Optional(new(authorsSeconds/perSeed), 0), measure.Optional(&f.Manifest.PeakMemoryMB, 0))
	}
	return t.Page()
}
