package run

import (
	"encoding/json"
	"testing"

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
	made, p := loaded(t, s)
	config := s.Config(s.Methods[0], 0)
	config.Encoder.HashDraws = 0
	network, all, err := made.Network(config)
	filetest.Check(t, err)
	e := config.Encoder
	known := all.Known(p.Initial, network.Columns, e.Hash)
	want := filetest.Must(hash.Best(e.Hash, e.NumHashes, e.NumBuckets, e.NumWeights, known, 10, 8))(t)

	f := resultOf(t, s)
	for _, m := range f.Methods {
		filetest.Want(t, m.Scheme == "" || m.HashSeed == want,
			"%s ran by draw %d, and %d keeps items apart best", m.Label(), m.HashSeed, want)
	}
	s.Model.Encoder.HashSeed, s.Methods[0].Model, s.Methods[1].Model = want, nil, nil
	for i, m := range resultOf(t, s).Methods {
		filetest.WantEqual(t, m.Runs[0].Summary, f.Methods[i].Runs[0].Summary, "%s by this draw alone, and by the chosen draw,", m.Label())
		filetest.Want(t, m.HashSeed == 0, "%s names draw %d, and nothing was chosen", m.Label(), m.HashSeed)
	}
}
