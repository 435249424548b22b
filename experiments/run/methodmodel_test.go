package run

import (
	"encoding/json"
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe/disk/filetest"
)

// A change of the stream changes no score of a validation: its rows are never read, and its numbers set no unit.
func TestValidationSeesNoStream(t *testing.T) {
	spec, _ := ownSpec(t, 300)
	spec.Protocol.Validation, spec.Protocol.MaxChunks = 0.2, 0
	_, p, err := task.Load(spec, files.Options{})
	filetest.Check(t, err)
	f := inFull(t, spec)
	if f.Stream.Initial != 72 || f.Stream.Steps != 1 || f.Methods[0].Protocol != protocol.Validation || protocoltest.SizesOf(p) != "72 [18] []" {
		t.Errorf("%+v, protocol %s, %s", f.Stream, f.Methods[0].Protocol, protocoltest.SizesOf(p))
	}
	other := spec
	source := *spec.Source
	source.Rows = 200
	other.Source, other.Protocol.InitialFraction = &source, 0.45
	g := inFull(t, other)
	if g.Stream.Initial != 72 { // the same 90 initial rows, of another stream
		t.Errorf("%d initial rows", g.Stream.Initial)
	}
	if a, b := methodOf(t, f, "FastAda", false), methodOf(t, g, "FastAda", false); a.Runs[0].LogLikelihood[0] != b.Runs[0].LogLikelihood[0] {
		t.Errorf("log-likelihood %v of a stream of 210 rows, %v of one of 110", a.Runs[0].LogLikelihood, b.Runs[0].LogLikelihood)
	}
}

// Protocols of tables may hold out a validation part, and no others.
func TestValidationField(t *testing.T) {
	for name, p := range protocoltest.Full {
		table := p.Windows == "" && name != protocol.TwoItems && name != protocol.Recommend
		p.Validation = 0.2
		if err := p.Validate(); (err == nil) != table {
			t.Errorf("%s: %v", name, err)
		}
		p.Validation = 1
		filetest.WantError(t, p.Validate(), "validation is 1", "between 0 and 1")
	}
}

// own returns settings of the model as a method has them.
func own(text string) *json.RawMessage {
	raw := json.RawMessage(text)
	return &raw
}

// A setting in the method is the same as in the model, and the method's own field comes first.
func TestMethodModel(t *testing.T) {
	spec := tiny(t)
	m := spec.Methods[0]
	m.Model = own(`{"learning_rate": 0.05, "encoder": {"num_buckets": 23}}`)
	changed := spec
	changed.Model.LearningRate, changed.Model.Encoder.NumBuckets = 0.05, 23
	if a, b := spec.Resolve(m), changed.Resolve(spec.Methods[0]); a.Fingerprint() != b.Fingerprint() || a.Fingerprint() == spec.Resolve(spec.Methods[0]).Fingerprint() {
		t.Errorf("%+v\n%+v", a, b)
	}
	m.NumBuckets = 5
	if c := spec.Config(m, 1); c.Encoder.NumBuckets != 5 || c.Encoder.NumHashes != 3 || c.LearningRate != 0.05 {
		t.Errorf("%+v", c)
	}
	for text, want := range map[string]string{
		`{"learning_rat": 1}`:                 `"learning_rat"`,
		`{"learning_rate": "x"}`:              "model of \"PHE\" cannot be read",
		`{"encoder": {"rows": "vocabulary"}}`: "a method says the first two itself",
		`{"learning_rate": -1}`:               "learning_rate is -1",
		`[]`:                                  "cannot be read",
	} {
		bad := spec
		bad.Methods = slices.Clone(spec.Methods)
		bad.Methods[0].Model = own(text)
		filetest.WantError(t, bad.Validate(), want)
	}
}

// Two methods with the same effect have the same scores, and what matters has another effect.
func TestEffect(t *testing.T) {
	s := tiny(t)
	s.Seeds, s.Protocol.MaxChunks = s.Seeds[:1], 1
	phe, ada := s.Methods[0], s.Methods[1]
	s.Methods = nil
	for i, text := range []string{`{}`, `{"kl_weight": 3}`, `{"train_samples": 3, "test_samples": 7}`, `{"loss": "expected"}`, `{"scheme": "moments"}`, `{"encoder": {"initial_log_std_dev": -3}}`} {
		for _, m := range []spec.Method{phe, ada} {
			m.Name += " " + string(rune('a'+i))
			m.Model = own(text)
			s.Methods = append(s.Methods, m)
		}
	}
	f := inFull(t, s)
	for i := 2; i < len(s.Methods); i++ {
		m, first := s.Methods[i], s.Methods[i%2]
		sameEffect := s.Effect(m) == s.Effect(first)
		sameScore := methodOf(t, f, m.Name, false).Runs[0].LogLikelihood[0] == methodOf(t, f, first.Name, false).Runs[0].LogLikelihood[0]
		if sameEffect != (i%2 == 1) || sameEffect && !sameScore {
			t.Errorf("%s, %s: same effect %v, same score %v", m.Name, *m.Model, sameEffect, sameScore)
		}
	}
}
