package run

import (
	"encoding/json"
	"testing"

	"gophe/data/files"
	"gophe/experiments/task"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// Hash functions are chosen by the initial rows alone, a result names the chosen draw, and a run by this draw alone is the same run.
func TestHashDraws(t *testing.T) {
	s := tiny(t)
	s.Model.Encoder.Hash = hash.CarterWegman
	s.Methods = s.Methods[:2]
	own := json.RawMessage(`{"encoder": {"hash_seed": 10, "hash_draws": 8}}`)
	s.Methods[0].Model, s.Methods[1].Model = &own, &own
	task, p, err := task.Load(s, files.Options{AllowAltered: true})
	filetest.Check(t, err)
	config := s.Config(s.Methods[0], 0)
	config.Encoder.HashDraws = 0
	network, all, err := task.Network(config)
	filetest.Check(t, err)
	e := config.Encoder
	known := all.Known(p.Initial, network.Columns, e.Hash)
	want := filetest.Must(hash.Best(e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, known, 10, 8))(t)

	f := resultOf(t, s)
	for _, m := range f.Methods {
		if m.Scheme != "" && m.HashSeed != want {
			t.Errorf("%s ran by draw %d, and draw %d keeps the initial items apart best", m.Label(), m.HashSeed, want)
		}
	}
	s.Model.Encoder.HashSeed, s.Methods[0].Model, s.Methods[1].Model = want, nil, nil
	for i, m := range resultOf(t, s).Methods {
		if got := f.Methods[i].Runs[0].Summary["accuracy"]; got != m.Runs[0].Summary["accuracy"] {
			t.Errorf("%s: accuracy %g by the chosen draw, %g by this draw alone", m.Label(), got, m.Runs[0].Summary["accuracy"])
		}
		filetest.Want(t, m.HashSeed == 0, "%s names draw %d, and nothing was chosen", m.Label(), m.HashSeed)
	}
}
