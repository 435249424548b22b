package run

import (
	"encoding/json"
	"slices"
	"testing"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/phe/disk/filetest"
)

// A change of the stream changes no score of a validation: its rows are never read, and its numbers set no unit.
func TestValidationSeesNoStream(t *testing.T) {
	s, _ := ownSpec(t, 300)
	s.Protocol.Validation, s.Protocol.MaxChunks = 0.2, 0
	_, p := loaded(t, s)
	f := inFull(t, s)
	filetest.WantEqual(t, protocoltest.SizesOf(p), "72 [18] []", "plan")
	filetest.WantEqual(t, [2]int{f.Stream.Initial, f.Stream.Steps}, [2]int{72, 1}, "initial rows and steps")
	filetest.WantEqual(t, f.Methods[0].Protocol, protocol.Validation, "protocol")
	other := s
	source := *s.Source
	source.Rows = 200
	other.Source, other.Protocol.InitialFraction = &source, 0.45
	g := inFull(t, other)
	filetest.WantEqual(t, g.Stream.Initial, 72, "the same 90 initial rows, of another stream") // of 110 rows, not 210
	a, b := methodOf(t, f, "FastAda", false), methodOf(t, g, "FastAda", false)
	filetest.WantEqual(t, a.Runs[0].LogLikelihood, b.Runs[0].LogLikelihood, "log-likelihood, and before another stream,")
}

// Protocols of tables may hold out a validation part, and no others.
func TestValidationField(t *testing.T) {
	for name, p := range protocoltest.Full {
		p.Validation = 0.2
		filetest.WantEqual(t, p.Validate() == nil, tinyOf(t, name).OfTable(), "%s may hold out a part", name)
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
	first := spec.Methods[0]
	filetest.WantEqual(t, spec.Resolve(m).Fingerprint(), changed.Resolve(first).Fingerprint(), "identity, and by the model,")
	filetest.Want(t, spec.Resolve(m).Fingerprint() != spec.Resolve(first).Fingerprint(), "the setting does not count")
	m.NumBuckets = 5
	c := spec.Config(m, 1)
	filetest.Want(t, c.Encoder.NumBuckets == 5 && c.Encoder.NumHashes == 3 && c.LearningRate == 0.05, "%+v", c)
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
	for i, text := range []string{`{}`, `{"kl_weight": 3}`, `{"train_samples": 3, "test_samples": 7}`, `{"loss": "expected"}`,
		`{"scheme": "moments"}`, `{"encoder": {"initial_log_std_dev": -3}}`} {
		for _, m := range []spec.Method{phe, ada} {
			m.Name += " " + string(rune('a'+i))
			m.Model = own(text)
			s.Methods = append(s.Methods, m)
		}
	}
	f := inFull(t, s)
	score := func(m spec.Method) float64 { return methodOf(t, f, m.Name, false).Runs[0].LogLikelihood[0] }
	for i, m := range s.Methods[2:] {
		first, isPoint := s.Methods[i%2], i%2 == 1
		filetest.WantEqual(t, s.Effect(m) == s.Effect(first), isPoint, "%s, %s: the same effect", m.Name, *m.Model)
		filetest.Want(t, !isPoint || score(m) == score(first), "%s, %s: another score", m.Name, *m.Model)
	}
}
