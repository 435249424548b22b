package spec

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"gophe/data/labelled"
	"gophe/experiments/spec/ownfile"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
	"gophe/phe/onepass"
)

// Resolved holds every setting on which a method's numbers depend, except the seed and the data. Defaults are filled in and
// overrides applied. Its canonical form is the method's identity.
type Resolved struct {
	// Method holds the settings that belong to no part of the model. Its other fields are empty, because Model holds them.
	Method
	Dataset     string          `json:"dataset"`
	Source      *ownfile.Source `json:"source"`
	Features    []string        `json:"features"`
	Protocol    protocol.Spec   `json:"protocol"`
	Model       learn.Config    `json:"model"`
	Filter      *dkf.Filter     `json:"filter"`
	Recommender *Recommender    `json:"recommender"`
	OnePass     *onepass.Config `json:"one_pass"` // of rule OnePass
	Frozen      bool            `json:"frozen"`   // of a rule from nothing: it learns the initial rows alone
	// of an own file without a schema: 1 since its values are read, 0 when a spelling was an item
	Reading int `json:"reading"`
}

// newestNumerics is the newest version of the program's arithmetic. Version 2 fits regressions by Newton's method, and holds the results
// that were made again because their commit was not known.
const newestNumerics = 2

// Resolve fills in a method's defaults. It leaves out the capacity of a vocabulary, which is counted in the data. A result
// identifies its data by a checksum.
func (s Spec) Resolve(m Method) Resolved {
	c := s.Config(m, 0)
	c.Encoder.Capacity = 0
	own := Method{UpdateEpochs: m.UpdateEpochs, Replay: m.Replay, GrowBeyond: m.GrowBeyond, Arrival: m.Arrival, Draw: m.Draw,
		Without: slices.Sorted(slices.Values(m.Without)), RefitEvery: m.RefitEvery, Numerics: cmp.Or(m.Numerics, s.Numerics)}
	r := Resolved{Method: own, Dataset: s.Dataset, Source: s.Source.Identity(), Features: s.Features, Protocol: s.Protocol, Model: c.Config}
	if r.RefitEvery == usualRefit { // named or left out, it is the same computation
		r.RefitEvery = 0
	}
	if r.Numerics == 1 {
		r.Numerics = 0
	}
	if s.Source != nil && s.Source.Schema == nil {
		r.Reading = 1
	}
	if s.Filter != nil {
		r.Filter = &c.Filter
	}
	if s.Recommender != nil {
		r.Recommender = &c.Recommender
	}
	if m.Rule != "" {
		r.resolveRule(m, c)
	}
	return r
}

// resolveRule keeps the settings of the model that a rule on the host reads.
func (r *Resolved) resolveRule(m Method, c Config) {
	r.Rule, r.Start = m.Rule, m.Start
	if r.Recommender != nil { // one pass over ratings reads the encoder only for the memory
		r.OnePass, r.Model, r.Recommender = new(onepass.Stream(c.Stream)), learn.Config{}, &Recommender{Genres: c.Recommender.Genres}
		r.Protocol.InitialEpochs = 0
		return
	}
	if m.Rule == OnePass {
		r.OnePass = new(OnePassConfig(c, m.Start, Shape{}))
	}
	r.Memory, r.BeliefBits = m.Memory, m.BeliefBits
	if m.FromNothing() { // nothing of Adam counts
		r.Protocol.InitialEpochs = 0
		c.Encoder.InitialLogStdDev = 0
		r.Model = learn.Config{Encoder: c.Encoder}
	}
	switch {
	case m.Rule.byMemory(): // the memory sets all sizes
		r.Model = learn.Config{}
	case m.Rule != OnePass && m.Rows == phe.Hashed: // the inputs of a linear model
		r.Model = learn.Config{UpdateLearningRate: m.UpdateLearningRate,
			Encoder: phe.Config{Rows: m.Rows, Estimate: m.Estimate, NumBuckets: c.Encoder.NumBuckets, Hash: c.Encoder.Hash}}
	case m.Rule.byDescent():
		r.Model.UpdateLearningRate = m.UpdateLearningRate
	}
	if m.FromNothing() && m.Rows == phe.Vocabulary { // a row holds a number for each logit, whatever the embeddings' size
		r.Model.Encoder.EmbeddingDim, r.Model.Encoder.InitialMeanStdDev = 0, 0
	}
}

// Initial returns the initial model of r: all settings except the settings of updates.
func (r Resolved) Initial() Resolved {
	r.UpdateEpochs, r.Replay, r.GrowBeyond, r.Arrival, r.Draw = 0, false, 0, protocol.AsItComes, 0
	r.RefitEvery = 0
	if r.Rule != "" && r.Start == FromNothing {
		r.Frozen = true
		return r
	}
	r.Rule, r.Start, r.OnePass = "", "", nil
	r.Model.Scope, r.Model.UpdateLearningRate, r.Model.UpdateKLWeight, r.Model.Convergence = "", 0, 0, 0
	return r
}

// Fingerprint returns the SHA-256 of the canonical form, in hexadecimal.
func (r Resolved) Fingerprint() string { return Digest(string(canonical(r))) }

// Fingerprint returns the identity of the spec's computation for a seed. Results are told apart and resumed by it. Name, title and
// seeds do not count: a result of one seed can grow to five, and a renamed spec keeps its results.
func (s Spec) Fingerprint() string {
	var parts []string
	for _, m := range s.Methods {
		parts = append(parts, m.Name, s.Resolve(m).Fingerprint())
	}
	return Digest(parts...)
}

// canonical returns the form of a value from which its identity is computed. The order of fields does not matter: keys are sorted.
// Fields that are zero, false or empty are left out, so that results keep their identity when resolved gains a field.
func canonical(value any) []byte {
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(encode(value)))
	decoder.UseNumber() // numbers stay as they were written
	if err := decoder.Decode(&tree); err != nil {
		panic(err) // it was encoded one line above
	}
	return encode(prune(tree))
}

// encode returns the JSON of plain data.
func encode(value any) []byte {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err) // plain data always encodes; ParseSpec lets no infinity in
	}
	return content
}

// prune removes the fields that do not count. It returns nil if none is left.
func prune(tree any) any {
	node, _ := tree.(map[string]any)
	for key, child := range node {
		if node[key] = prune(child); node[key] == nil {
			delete(node, key)
		}
	}
	if slices.Contains([]string{"0", `""`, "false", "null", "[]", "{}"}, string(encode(tree))) {
		return nil
	}
	return tree
}

// Digest returns the SHA-256 of texts, in hexadecimal. A byte that JSON and names do not hold ends each text.
func Digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		sum.Write([]byte(text))
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Effect returns the identity of a method's computation on the spec's data. Two methods have the same effect if they differ only in
// settings that they do not use, as two vocabularies with different numbers of buckets.
func (s Spec) Effect(m Method) string {
	r := s.Resolve(m)
	if m.Estimate == phe.Point { // a number has no spread: nothing is sampled, and there is no KL
		c := &r.Model
		c.KLWeight, c.UpdateKLWeight, c.Scheme, c.Loss, c.TrainSamples, c.TestSamples, c.Encoder.InitialLogStdDev = 0, 0, "", "", 0, 0, 0
	}
	return r.Fingerprint()
}

// Convention names whose choices a method has where the paper's text and the authors' program part: the program's, the text's, or ours,
// which are some of both or in neither. A reconstruction is the program's, whatever its windows: the text forecasts.
func (r Resolved) Convention() string {
	p, e, f := r.Protocol, r.Model.Encoder, *cmp.Or(r.Filter, &dkf.Filter{})
	ofRows := r.Filter == nil && r.Recommender == nil && p.Name != protocol.TwoItems
	program, text := r.Rule == "" && r.Source == nil, r.Rule == "" && r.Source == nil
	for _, choice := range []struct{ asked, ofProgram, ofText bool }{
		{e.Rows == phe.Hashed, e.Hash == hash.Authors, e.Hash != hash.Authors},
		{ofRows, r.Model.Loss == phe.LogAverage, r.Model.Loss == phe.Expected},
		{p.Name == protocol.Online, !p.AllRows, p.AllRows},
		{p.Cut != "", p.Cut == labelled.FileOrder, p.Cut == labelled.Stratified},
		{p.Windows != "", p.Windows == protocol.Overlapping, p.Windows == protocol.Separate},
		{r.Filter != nil, f.Prediction == dkf.Reconstruction, f.Prediction == dkf.Forecast},
		{r.Filter != nil, f.Transition == dkf.WithoutGap, f.Transition == dkf.WithGap},
		{r.Recommender != nil, e.EmbeddingDim == 50 && p.FromDay == "1996-01-01", e.EmbeddingDim == 20 && p.FromDay == "1995-01-09"},
	} {
		program, text = program && (choice.ofProgram || !choice.asked), text && (choice.ofText || !choice.asked)
	}
	switch {
	case text:
		return protocol.Paper
	case program || f.Prediction == dkf.Reconstruction:
		return protocol.Authors
	}
	return protocol.Ours
}

// Convention names the choices of the model that all methods share.
func (s Spec) Convention() string { return s.Resolve(Method{Rows: phe.Hashed}).Convention() }
