// Package experiments binds models to data: a spec says what to run, the runner runs it and leaves a result file.
package experiments

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/experiments/ownfile"
	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/hash"
	"gophe/phe/learn"
	"gophe/phe/ncf"
	"gophe/phe/onepass"
	"gophe/phe/tabular"
)

// Spec is one experiment, as specs/*.json hold it. Unknown fields are errors.
type Spec struct {
	Name       string       `json:"name"`               // also the result file's
	Title      string       `json:"title"`              // what it shows, with table and figure of the paper
	Dataset    string       `json:"dataset"`            // see package data; with a source a name of your own
	Convention string       `json:"convention"`         // authors or paper: whose choice where the two part
	Features   []string     `json:"features,omitempty"` // the columns to use; all where it is empty
	Protocol   Protocol     `json:"protocol"`
	Seeds      []int64      `json:"seeds"`
	Model      learn.Config `json:"model"`            // what all methods share; its encoder is PHE's
	Filter     *dkf.Filter  `json:"filter,omitempty"` // of a deep Kalman filter, for sequences; none for others
	// Recommender is that of ratings; none for others.
	Recommender *Recommender `json:"recommender,omitempty"`
	Methods     []Method     `json:"methods"` // each is run online, and its initial model frozen beside it
	// Source is a file of your own in place of a data set that the program knows.
	Source *ownfile.Source `json:"source,omitempty"`
	// Counters stand in place of methods in a spec that no network computes.
	Counters []Counter `json:"counters,omitempty"`
}

// Method is one way to represent items and to keep learning: a row of Table 1. What it leaves out is the model's.
type Method struct {
	Name         string        `json:"name"`
	Rows         phe.RowChoice `json:"rows"`
	Estimate     phe.Estimate  `json:"estimate"`
	UpdateEpochs int           `json:"update_epochs"` // passes over each step's rows; none where Rule is given

	// Rule, where given, learns each row once on the host, in place of Adam on the device. See [Rules].
	Rule Rule `json:"rule,omitempty"`
	// Start is what the rule starts from; nothing where it is left out.
	Start Start `json:"start,omitempty"`

	// Replay learns at each step from UpdateEpochs minibatches of all rows seen so far in place of the step's own: the
	// model that regret is measured against.
	Replay bool `json:"replay,omitempty"`
	// GrowBeyond, where above 0, is how many items of the stream there may be to a row of table E: when more have come, the
	// tables double before they learn.
	GrowBeyond float64 `json:"grow_beyond,omitempty"`
	Arrival    Arrival `json:"arrival,omitempty"` // another order of the stream's rows
	Draw       int     `json:"draw,omitempty"`    // number of the random order, from 0; of Shuffled alone

	Scheme             phe.Scheme      `json:"scheme,omitempty"`
	Loss               phe.Loss        `json:"loss,omitempty"`
	Scope              phe.UpdateScope `json:"scope,omitempty"`
	UpdateLearningRate float64         `json:"update_learning_rate,omitempty"`
	EmbeddingDim       int             `json:"embedding_dim,omitempty"`
	NumBuckets         int             `json:"num_buckets,omitempty"` // B
	NumHashes          int             `json:"num_hashes,omitempty"`  // K
	NumWeights         int             `json:"num_weights,omitempty"` // P
	Assembly           phe.Assembly    `json:"assembly,omitempty"`    // g; one without weights has no table W, whatever the model's P
	InitialLogStdDev   float64         `json:"initial_log_std_dev,omitempty"`

	// Model holds settings of the spec's model that the method has for itself, such as {"learning_rate": 0.05}. The fields beside
	// it come first.
	Model *json.RawMessage `json:"model,omitempty"`

	// Of a deep Kalman filter.
	Likelihood  dkf.Likelihood `json:"likelihood,omitempty"`
	Objective   dkf.Objective  `json:"objective,omitempty"`
	Inputs      dkf.Inputs     `json:"inputs,omitempty"`
	Transition  dkf.Transition `json:"transition,omitempty"`
	ItemDropout *float64       `json:"item_dropout,omitempty"`

	// Of a recommender.
	Genres ncf.LabelInput `json:"genres,omitempty"`
	// Interactions is how one pass over ratings learns what two columns say together: pairs where it is left out.
	Interactions onepass.Interactions `json:"interactions,omitempty"`
}

// Conventions: whose choice is taken where paper and program part (PROTOCOL: "Disagreements").
const (
	Authors = "authors"
	Paper   = "paper"
)

// Retail is the data set of sequences.
const Retail = "retail"

// Datasets lists what a spec can run on.
func Datasets() []string { return slices.Concat(data.Names(), []string{Retail}, data.RatingSets()) }

//go:embed specs/*.json
var embedded embed.FS

// Names lists the specs that come with the program.
func Names() []string {
	entries, _ := fs.ReadDir(embedded, "specs") // embedded: cannot fail
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// LoadSpec reads a spec by its name among Names, or from a file of yours whose path ends in .json.
func LoadSpec(name string) (Spec, error) {
	if strings.HasSuffix(name, ".json") {
		return readSpec(name)
	}
	content, err := embedded.ReadFile(path.Join("specs", name+".json"))
	if err != nil {
		return Spec{}, errors.Errorf("no spec is called %q; %s (`phe list` lists all; a file of yours needs a path that ends in .json)", name, choose(name, Names()))
	}
	return ParseSpec("specs/"+name+".json", content)
}

// mostSpecBytes bounds a spec file: results repeat the spec, and write it often.
const mostSpecBytes = 1 << 20

func readSpec(path string) (Spec, error) {
	file, err := os.Open(path)
	if err != nil {
		return Spec{}, errors.Wrap(err, "no such spec file; `phe list` lists the specs that come with the program")
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, mostSpecBytes+1))
	if err != nil {
		return Spec{}, errors.Wrap(err, "reading a spec file")
	}
	if len(content) > mostSpecBytes {
		return Spec{}, errors.Errorf("%s: the file is larger than 1 MB; a spec has a few kB", path)
	}
	spec, err := ParseSpec(path, content)
	if err == nil && spec.Source != nil {
		err = spec.locate(path, content)
	}
	return spec, err
}

// ParseSpec decodes and validates a spec. Errors name file, line and column.
func ParseSpec(file string, content []byte) (Spec, error) {
	spec := Spec{Model: tabular.Default().Config}
	switch filter, recommender := peek(content); {
	case filter:
		c := dkf.Default()
		spec = Spec{Model: c.Config, Filter: &c.Filter}
	case recommender:
		c := ncf.Default()
		spec = Spec{Model: c.Config, Recommender: &Recommender{c.Hidden, c.StdDev, c.LabelInput}}
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&spec); err != nil {
		return Spec{}, decodeError(file, content, err)
	}
	end := decoder.InputOffset()
	if rest := bytes.TrimLeft(content[end:], " \t\r\n"); len(rest) > 0 {
		return Spec{}, errors.Errorf("%s: something follows the spec; one file holds one spec", position(file, content, int64(len(content)-len(rest))))
	}
	if spec.Source != nil && spec.Convention == "" { // tables of your own have no authors
		spec.Convention = Paper
	}
	places := findPlaces(content)
	if len(places.loose) > 0 {
		return Spec{}, errors.Errorf("%s: %s", position(file, content, places.loose[0].at), places.loose[0].fault)
	}
	if err := spec.Validate(); err != nil {
		return Spec{}, errors.Errorf("%s: %s", position(file, content, places.of(err)), err)
	}
	return spec, nil
}

// peek tells whether a spec is of a deep Kalman filter or of a recommender, whose defaults are other ones.
func peek(content []byte) (filter, recommender bool) {
	var spec struct {
		Filter      *struct{} `json:"filter"`
		Recommender *struct{} `json:"recommender"`
	}
	_ = json.Unmarshal(content, &spec) // the decoder proper says what is wrong
	return spec.Filter != nil, spec.Recommender != nil
}

// Validate returns the first thing wrong with the spec and what would be right.
func (s Spec) Validate() error {
	switch {
	case !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`).MatchString(s.Name):
		return errors.Errorf("name is %q; use lower-case letters, digits and hyphens, as it names the result file", s.Name)
	case s.Source != nil:
		if err := s.validateSource(); err != nil {
			return err
		}
	case !slices.Contains(Datasets(), s.Dataset) && s.Protocol.Name != TwoItems:
		return errors.Errorf("dataset is %q; %s, or give a source, which names a file of yours", s.Dataset, choose(s.Dataset, Datasets()))
	}
	switch {
	case len(s.Counters) > 0:
		return s.validateCounters()
	case (s.Dataset == Retail) != (s.Filter != nil):
		return errors.Errorf("dataset is %q; a filter belongs to %q, and nothing else does: give both or neither", s.Dataset, Retail)
	case slices.Contains(data.RatingSets(), s.Dataset) != (s.Recommender != nil):
		return errors.Errorf("dataset is %q; a recommender belongs to ratings (%s), and nothing else does: give both or neither", s.Dataset, strings.Join(data.RatingSets(), ", "))
	case s.Filter != nil && (s.Convention == Authors) != (s.Filter.Prediction == dkf.Reconstruction):
		return errors.Errorf("convention is %q; prediction %q is the authors' program's, and %q the paper's words", s.Convention, dkf.Reconstruction, dkf.Forecast)
	case (s.Filter != nil || s.Recommender != nil) && len(s.Features) > 0:
		return errors.Errorf("features lists columns; a filter or a recommender takes all of them: leave it out")
	case s.Convention != Authors && s.Convention != Paper:
		return errors.Errorf("convention is %q; choose %q or %q", s.Convention, Authors, Paper)
	case len(s.Seeds) == 0:
		return errors.Errorf("seeds is empty; list at least one, such as [0]")
	case len(s.Methods) == 0:
		return errors.Errorf("methods is empty; list at least one")
	}
	if err := s.Protocol.Validate(); err != nil {
		return err
	}
	if (s.Protocol.Name == Daily || s.Protocol.Name == Products) != (s.Filter != nil) || (s.Protocol.Name == Recommend) != (s.Recommender != nil) {
		return errors.Errorf("protocol is named %q; %q and %q are those of dataset %q, %q is that of ratings, and the others of tables",
			s.Protocol.Name, Daily, Products, Retail, Recommend)
	}
	if err := s.validateModel(); err != nil {
		return err
	}
	if err := distinct("seeds", s.Seeds); err != nil {
		return err
	}
	var names []string
	for i, m := range s.Methods {
		names = append(names, m.Name)
		if err := s.validateMethod(i, m); err != nil {
			return methodError{i, err}
		}
	}
	return distinct("methods", names)
}

// validateMethod returns the first thing wrong with method number i and what would be right.
func (s Spec) validateMethod(i int, m Method) error {
	if m.Name == "" {
		return errors.Errorf("name of method %d is empty; give it one", i+1)
	}
	if isRival(m.Name) {
		return errors.Errorf("name %q is taken by the trivial rival that every result has; choose another", m.Name)
	}
	if err := m.validateOwn(s); err != nil {
		return err
	}
	if err := m.validateRule(s); err != nil {
		return err
	}
	if m.UpdateEpochs < 1 && m.Rule == "" {
		return errors.Errorf("update_epochs of %q is %d; it must be at least 1 (the frozen model comes by itself)", m.Name, m.UpdateEpochs)
	}
	if err := m.Arrival.Validate(); err != nil {
		return err
	}
	switch {
	case m.Draw < 0 || m.Draw > 0 && m.Arrival != Shuffled:
		return errors.Errorf("draw of %q is %d; it numbers the random orders of arrival %q from 0, so leave it out of others", m.Name, m.Draw, Shuffled)
	case m.Arrival != AsItComes && s.Protocol.Name != Order:
		return errors.Errorf("arrival belongs to protocol %q; leave it out", Order)
	case s.Filter == nil && (m.Likelihood != "" || m.Objective != "" || m.Inputs != "" || m.Transition != "" || m.ItemDropout != nil):
		return errors.Errorf("likelihood, objective, inputs, transition and item_dropout belong to a filter; leave them out of %q", m.Name)
	case s.Recommender == nil && m.Genres != "":
		return errors.Errorf("genres belongs to a recommender; leave it out of %q", m.Name)
	case m.Interactions != "" && (s.Recommender == nil || m.Rule != OnePass):
		return errors.Errorf("interactions belongs to rule %q over ratings; leave it out of %q", OnePass, m.Name)
	case m.GrowBeyond != 0 && (!(m.GrowBeyond > 0) || m.Rows != phe.Hash || m.Rule != "" || m.Replay || s.Model.Encoder.Hash == hash.Authors):
		return errors.Errorf("grow_beyond of %q is %g; it is the number of items to a row, above 0, of rows %q that learn by updates under hash %q: else leave it out",
			m.Name, m.GrowBeyond, phe.Hash, hash.CarterWegman)
	case m.Replay && s.Recommender != nil:
		return errors.Errorf("replay takes all data to the device, and ratings stay on the host; leave it out of %q", m.Name)
	case m.Replay && (m.Scope != "" || m.UpdateLearningRate != 0):
		return errors.Errorf("replay goes on with the initial phase, all parameters by its learning rate; leave out scope and update_learning_rate")
	}
	return s.config(m, 1).validate()
}

// validateModel checks what [config.validate] takes for absent where all of it is zero.
func (s Spec) validateModel() error {
	switch {
	case s.Filter != nil && *s.Filter == (dkf.Filter{}):
		return s.Filter.Validate()
	case s.Recommender != nil && *s.Recommender == (Recommender{}):
		return s.Recommender.Validate()
	}
	return nil
}

func distinct[T comparable](field string, values []T) error {
	seen := map[T]bool{}
	for _, v := range values {
		if seen[v] {
			return errors.Errorf("%s lists %v twice", field, v)
		}
		seen[v] = true
	}
	return nil
}

// config is the model of a method on data with the given number of distinct items, which is what the vocabulary of
// EE and P-EE holds (PROTOCOL: the whole data set's, future included).
func (s Spec) config(m Method, numItems int) config {
	c := config{Config: m.overlay(s.Model)}
	if s.Filter != nil {
		c.Filter = *s.Filter
	}
	if s.Recommender != nil {
		c.Recommender = *s.Recommender
		override(&c.Recommender.Genres, m.Genres)
		if c.Recommender.Genres == ncf.Embedded {
			numItems += len(data.GenreNames())
		}
	}
	c.Encoder.Estimate, c.Encoder.Rows = m.Estimate, m.Rows
	override(&c.Encoder.EmbeddingDim, m.EmbeddingDim)
	override(&c.Encoder.NumBuckets, m.NumBuckets)
	override(&c.Encoder.NumHashes, m.NumHashes)
	override(&c.Encoder.NumWeights, m.NumWeights)
	override(&c.Encoder.InitialLogStdDev, m.InitialLogStdDev)
	override(&c.Encoder.Assembly, m.Assembly)
	if m.Assembly != "" && m.Assembly != phe.WeightedSum {
		c.Encoder.NumWeights = m.NumWeights
	}
	if m.Rows == phe.Vocabulary {
		c.Encoder = phe.Config{
			Rows: phe.Vocabulary, Estimate: m.Estimate, EmbeddingDim: c.Encoder.EmbeddingDim, Capacity: numItems,
			InitialLogStdDev: c.Encoder.InitialLogStdDev, InitialMeanStdDev: c.Encoder.InitialMeanStdDev,
		}
	}
	override(&c.Scheme, m.Scheme)
	override(&c.Loss, m.Loss)
	override(&c.Scope, m.Scope)
	override(&c.UpdateLearningRate, m.UpdateLearningRate)
	override(&c.Filter.Likelihood, m.Likelihood)
	override(&c.Filter.Objective, m.Objective)
	override(&c.Filter.Inputs, m.Inputs)
	override(&c.Filter.Transition, m.Transition)
	if m.ItemDropout != nil {
		c.Filter.ItemDropout = *m.ItemDropout
	}
	if s.Recommender != nil && m.Rule == OnePass {
		c.Stream = ratingShape(c, m.Interactions)
	}
	return c
}

// override puts a method's own choice, where it has one, in place of the model's.
func override[T comparable](choice *T, own T) {
	*choice = cmp.Or(own, *choice)
}

// Quick shrinks the experiment to a look: a tenth of the epochs, thirty steps of the stream at most. Its result has a
// name of its own, so that it is never taken for the real one.
func (s Spec) Quick() Spec {
	s.Name += "-quick"
	s.Protocol.InitialEpochs = max(1, s.Protocol.InitialEpochs/10)
	if s.Protocol.Name != GroupWise && s.Protocol.Name != Products && (s.Protocol.MaxChunks == 0 || s.Protocol.MaxChunks > 30) {
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

// decodeError says where in the file decoding failed.
func decodeError(file string, content []byte, err error) error {
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		return errors.Errorf("%s:1:1: the file begins with a byte-order mark; save it as UTF-8 without one", file)
	case len(bytes.TrimSpace(content)) == 0:
		return errors.Errorf("%s:1:1: the file is empty; copy a spec that `phe list` names and change it", file)
	case errors.As(err, &syntax):
		return errors.Errorf("%s: not valid JSON: %s", position(file, content, syntax.Offset-1), syntax) // Offset is past the culprit
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.Errorf("%s: not valid JSON: the file ends early; close every brace, bracket and quote", position(file, content, int64(len(content))))
	case errors.As(err, &wrongType):
		at := position(file, content, findPlaces(content).value(wrongType.Offset))
		return errors.Errorf("%s: %s is a JSON %s where %s belongs", at, cmp.Or(wrongType.Field, "the spec"), wrongType.Value, kindOf(wrongType.Type))
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		at := position(file, content, findPlaces(content).unknown)
		return errors.Errorf("%s: unknown field %s; the fields are those of specs/adult-online.json, specs/retail-forecast.json and specs/movielens-small.json", at, name)
	}
	return errors.Errorf("%s: %s", position(file, content, 0), err)
}

// kindOf names a Go type as a spec's author knows it.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}
