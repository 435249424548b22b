package spec

import (
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
)

// Settings that differ are listed by their paths, methods by their names.
func TestDifferences(t *testing.T) {
	before := filetest.Must(Load("adult-online"))(t)
	filetest.WantEqual(t, Differences(before, before), nil, "a spec's differences from itself")
	after := before
	after.Name, after.Title, after.StreamOf = "mine", "a question", "adult-online"
	after.Seeds, after.Protocol.MaxChunks = []int64{0, 1}, 6
	after.Model.KLWeight, after.Model.Encoder.NumBuckets = 0, 9
	after.Methods = []Method{before.Methods[3], before.Methods[0], {Name: "PHE 2", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1}}
	after.Methods[1].UpdateEpochs = 2
	want := []Difference{
		{"methods.EE", there, ""},
		{"methods.FastAda", there, ""},
		{"methods.MediumAda", there, ""},
		{"methods.P-EE", there, ""},
		{"methods.PHE 2", "", there},
		{"methods.PHE.update_epochs", "15", "2"},
		{"model.encoder.num_buckets", "7", "9"},
		{"model.kl_weight", "1", "0"},
		{"protocol.max_chunks", "", "6"},
		{"seeds", "[0,1,2,3,4]", "[0,1]"},
	}
	filetest.WantEqual(t, Differences(before, after), want, "differences")
}
