// Package spec reads, checks and identifies specs. A spec says which methods to run on which data, along which protocol. [Load] reads
// one, [Spec.Validate] checks one that a program has made, and package run runs it.
package spec

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"gophe/data"
	"gophe/experiments/spec/ownfile"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
	"gophe/phe/models/ncf"
	"gophe/phe/onepass"
)

// Spec is one experiment, as specs/*.json hold it. Unknown fields are errors.
type Spec struct {
	Name     string        `json:"name"`                // also the result file's
	Title    string        `json:"title"`               // question of the experiment, with table and figure of the paper
	StreamOf string        `json:"stream_of,omitempty"` // another spec whose stream this one repeats; tables show both results
	Dataset  string        `json:"dataset"`             // see package data; with a source a name of your own
	Features []string      `json:"features,omitempty"`  // the columns to use; all where it is empty
	Protocol protocol.Spec `json:"protocol"`
	Seeds    []int64       `json:"seeds"`
	Model    learn.Config  `json:"model"`            // what all methods share; its encoder is PHE's
	Filter   *dkf.Filter   `json:"filter,omitempty"` // deep Kalman filter, for sequences only
	// Recommender is given for ratings only.
	Recommender *Recommender `json:"recommender,omitempty"`
	Methods     []Method     `json:"methods"` // each runs online, and its initial model runs frozen
	// Numerics is the version of the program's arithmetic: 1 where it is left out. It changes no computation. A program that gives
	// other bits for the same settings makes another result, and a higher version tells the two apart.
	Numerics int `json:"numerics,omitempty"`
	// Source is a file of yours in place of a data set of the program.
	Source *ownfile.Source `json:"source,omitempty"`
}

// Method is a row of Table 1: an encoder and an online update. Settings that it leaves out are the model's.
type Method struct {
	Name         string        `json:"name"`
	Rows         phe.RowChoice `json:"rows"`
	Estimate     phe.Estimate  `json:"estimate"`
	UpdateEpochs int           `json:"update_epochs"` // passes over each step's rows; none where Rule is given

	// Rule, where given, learns each row once on the host, in place of Adam on the device. See the rules of type [Rule].
	Rule Rule `json:"rule,omitempty"`
	// RefitEvery is the number of the stream's steps between two fits of rule RefittedLogistic: 25 where it is left out.
	RefitEvery int `json:"refit_every,omitempty"`
	// Numerics, where given, takes the place of the spec's.
	Numerics int `json:"numerics,omitempty"`
	// Start is the model from which the rule starts. Without it the rule starts from the prior.
	Start Start `json:"start,omitempty"`
	// Memory is the size in bytes of all that rules Stream and Counts keep, at 4 bytes a number, and of the tables of rule PheStream.
	Memory int `json:"memory,omitempty"`
	// BeliefBits is the size of a belief in the tables of rules OnePass and Stream, 16 or 32. Left out, a belief is two numbers of 4 bytes.
	BeliefBits int `json:"belief_bits,omitempty"`

	// Replay learns at each step from UpdateEpochs minibatches of all rows seen so far in place of the step's own: the
	// model that regret is measured against.
	Replay bool `json:"replay,omitempty"`
	// GrowBeyond, if above 0, is the largest number of items for each row of table E. With more items, the tables double before they learn.
	GrowBeyond float64          `json:"grow_beyond,omitempty"`
	Arrival    protocol.Arrival `json:"arrival,omitempty"` // another order of the stream's rows
	// Without lists feature columns that the method does not get. The stream is cut as for the other methods, so that the method is
	// scored on the same rows: the difference is what the columns are worth.
	Without []string `json:"without,omitempty"`
	Draw    int      `json:"draw,omitempty"` // number of the random order, from 0; of Shuffled alone

	Scheme             phe.Scheme      `json:"scheme,omitempty"`
	Loss               phe.Loss        `json:"loss,omitempty"`
	Scope              phe.UpdateScope `json:"scope,omitempty"`
	UpdateLearningRate float64         `json:"update_learning_rate,omitempty"`
	EmbeddingDim       int             `json:"embedding_dim,omitempty"`
	NumBuckets         int             `json:"num_buckets,omitempty"` // B
	NumHashes          int             `json:"num_hashes,omitempty"`  // K
	NumWeights         int             `json:"num_weights,omitempty"` // P
	Assembly           phe.Assembly    `json:"assembly,omitzero"`     // g; one without weights has no table W, whatever the model's P
	InitialLogStdDev   float64         `json:"initial_log_std_dev,omitempty"`

	// Model holds the method's own settings of the model, such as {"learning_rate": 0.05}. The method's other fields take precedence.
	Model *json.RawMessage `json:"model,omitempty"`

	// Settings of a deep Kalman filter.
	Likelihood  dkf.Likelihood `json:"likelihood,omitempty"`
	Objective   dkf.Objective  `json:"objective,omitempty"`
	Inputs      dkf.Inputs     `json:"inputs,omitempty"`
	Transition  dkf.Transition `json:"transition,omitempty"`
	ItemDropout *float64       `json:"item_dropout,omitempty"`

	// Settings of a recommender.
	Genres ncf.LabelInput `json:"genres,omitempty"`
	// Interactions is how one pass over ratings learns what two columns say together: pairs where it is left out.
	Interactions onepass.Interactions `json:"interactions,omitempty"`
}

// Retail is the name of the data set of sequences.
const Retail = "retail"

// datasets lists the data sets of the program.
func datasets() []string { return slices.Concat(data.TableSets(), []string{Retail}, data.RatingSets()) }

// files are the specs that come with the program, by the names NAME.json.
//
//go:embed specs/*.json
var files embed.FS

// Names lists the specs that come with the program.
func Names() (names []string) {
	entries, _ := files.ReadDir("specs") // embedded: cannot fail
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// Quick shrinks the experiment to a look: a tenth of the epochs, thirty steps of the stream at most. Its result has a
// name of its own, so that it is never taken for the real one.
func (s Spec) Quick() Spec {
	s.Name += "-quick"
	s.Protocol.InitialEpochs = max(1, s.Protocol.InitialEpochs/10)
	hasGroups := s.Protocol.Name == protocol.GroupWise || s.Protocol.Name == protocol.Products
	if most := s.Protocol.MaxChunks; !hasGroups && (most == 0 || most > 30) {
		s.Protocol.MaxChunks = 30
	}
	return s
}

// WithSeeds runs the spec with seeds 0 … n−1.
func (s Spec) WithSeeds(n int) Spec {
	s.Seeds = nil
	for i := range n {
		s.Seeds = append(s.Seeds, int64(i))
	}
	return s
}

// Recorded returns the spec that a result's manifest repeats, with the defaults of its kind of model. It checks nothing, so
// that results of older specs can be shown. What cannot be read is left at its default.
func Recorded(manifest json.RawMessage) Spec {
	s := defaults(manifest)
	_ = json.Unmarshal(manifest, &s)
	return s
}

// OfCounts reports whether the methods are counts of sales, which need no network.
func (s Spec) OfCounts() bool { return len(s.Methods) > 0 && s.Methods[0].Rule == Counts }

// OfTable reports whether the spec is about a table of rows with classes.
func (s Spec) OfTable() bool {
	return s.Filter == nil && s.Recommender == nil && !s.OfCounts() && s.Protocol.Name != protocol.TwoItems
}
