package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/data/tables"
	"gophe/experiments/fixture"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/ncf"
)

// sizes of PROTOCOL (0, a, b, e, f): what the authors' configuration files say of a data set.
type sizes struct {
	b, k, d, p      int
	initialEpochs   int
	initialFraction float64
	chunkRows       int
	maxChunks       int // 0: the whole stream
	groups          int
}

var protocolSizes = map[string]sizes{
	"adult":           {7, 3, 20, 11, 100, 0.3, 100, 0, 5},
	"bank":            {7, 3, 20, 11, 20, 0.3, 100, 0, 4},
	"mushroom":        {5, 3, 5, 1, 100, 0.3, 3, 300, 4},
	"mushroom-8124":   {5, 3, 5, 1, 100, 0.3, 3, 300, 4},
	"covertype":       {7, 3, 20, 11, 20, 0.01, 100, 500, 4},
	"covertype-49999": {7, 3, 20, 11, 20, 0.01, 100, 0, 4}, // all of its 495 chunks
	"retail":          {109, 3, 20, 109, 15, 0, 0, 0, 10},  // steps are days
	"ml-latest-small": {10009, 3, 50, 10009, 15, 0, 0, 0, 0},
	"movielens-50k":   {10009, 3, 50, 10009, 15, 0, 0, 0, 0},
	"ml-32m":          {10009, 3, 50, 10009, 15, 0, 0, 0, 0},
}

// onlineEpochs of the methods (Sec. 4.1): the Adas differ in nothing else.
var onlineEpochs = map[string]int{"PHE": 15, "P-EE": 15, "EE": 15, "FastAda": 15, "MediumAda": 5, "SlowAda": 1}

// dailyEpochs are fewer; of the Adas' the paper says nothing for Retail, and for MovieLens this.
var dailyEpochs = map[string]int{"PHE": 5, "P-EE": 5, "EE": 5, "FastAda": 5, "MediumAda": 2, "SlowAda": 1}

// separateWindows are the specs of groups of products that leave the authors' overlapping windows, which take ten times as
// long. Convention says whose forecast it is, so that they cannot say "paper".
var separateWindows = []string{"retail-group-separate"}

// designs are the specs of a filter of our own; TestForecastDesigns looks at them.
var designs = []string{"retail-forecast", "retail-forecast-options", "retail-grown"}

// ratingDesigns lists the specs about designs of a recommender. TestRatingDesigns looks at them.
var ratingDesigns = []string{"movielens-small-wide", "movielens-50k-wide", "movielens-small-double", "movielens-small-genres",
	"movielens-small-buckets", "movielens-small-assembly", "movielens-50k-assembly", "movielens-generated-3m", "movielens-generated"}

// departures from PROTOCOL that the convention "paper" is free to make, by spec. All other specs follow it.
var departures = map[string]func(*sizes){
	"mushroom-adaptation":      func(s *sizes) { s.b, s.k, s.d, s.p = 7, 3, 20, 11 }, // Fig. 10 does not say its sizes
	"mushroom-group-large":     func(s *sizes) { s.b, s.k, s.d, s.p = 7, 3, 20, 11 },
	"bank-online-100":          func(s *sizes) { s.initialEpochs = 100 }, // the text's
	"bank-scopes":              func(s *sizes) { s.initialEpochs = 100 },
	"covertype-full-stream-20": func(s *sizes) { s.maxChunks = 0 },
	"covertype-full-stream":    func(s *sizes) { s.maxChunks = 0 },         // the authors stop after 500
	"covertype-online-10":      func(s *sizes) { s.initialFraction = 0.1 }, // PROTOCOL's second reference figure
	"covertype-by-group":       func(s *sizes) { s.initialEpochs = 5 },     // streams of ours
	"covertype-growing":        func(s *sizes) { s.initialEpochs = 5 },
	"covertype-unlearning":     func(s *sizes) { s.initialEpochs = 5 },
	"covertype-swapped":        func(s *sizes) { s.initialEpochs = 5 },
}

// The specs have the sizes, epochs and splits of the authors' program (PROTOCOL). A spec of convention "paper" may depart from them if
// it says so in departures or in its name.
func TestSpecsFollowProtocol(t *testing.T) {
	for _, name := range Names() {
		spec, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		want, known := protocolSizes[spec.Dataset]
		if spec.Protocol.Name == protocol.TwoItems || slices.Contains(ratingDesigns, name) {
			continue // not the authors': Supp. F has no program
		}
		if spec.StreamOf != "" {
			continue // TestOnePassSpecs looks at these
		}
		if len(spec.Counters) > 0 {
			continue // no network: TestRetailCounters looks at it
		}
		if !known {
			t.Errorf("%s: nothing is known of %s", name, spec.Dataset)
			continue
		}
		if slices.Contains(designs, name) || name == "adult-demo" { // a first look
			continue
		}
		if depart, ok := departures[name]; ok {
			depart(&want)
			if spec.Convention != protocol.Paper {
				t.Errorf("%s departs from the authors' program and says %q", name, spec.Convention)
			}
		}
		kind := name[strings.LastIndex(strings.TrimSuffix(name, "-stratified"), "-")+1:]
		checkProtocol(t, spec, want)
		checkModel(t, spec, want)
		for _, m := range spec.Methods {
			checkMethod(t, spec, m, want, kind)
		}
		if odor := strings.HasPrefix(spec.Dataset, "mushroom"); odor != slices.Equal(spec.Features, []string{"odor"}) {
			t.Errorf("%s: features %q", name, spec.Features)
		}
	}
}

func checkProtocol(t *testing.T, spec Spec, want sizes) {
	t.Helper()
	p := spec.Protocol
	expected := p // streams of ours have sizes of their own
	switch p.Name {
	case protocol.Online, protocol.Order:
		expected = protocol.Spec{Name: p.Name, InitialFraction: want.initialFraction, ChunkRows: want.chunkRows, MaxChunks: want.maxChunks}
	case protocol.GroupWise:
		expected = protocol.Spec{Name: p.Name, Groups: want.groups, Cut: fixture.Pick(strings.HasSuffix(spec.Name, "-stratified"), tables.Stratified, tables.FileOrder)}
		if spec.Dataset == "covertype" { // its thirds are 190,000 rows
			expected.MaxTestRows = 5000
		}
	case protocol.Adaptation: // Supp. G.3: two groups, one datum at a time
		expected.Cut = tables.FileOrder
	case protocol.ByGroup:
		expected.Groups = want.groups
	case protocol.Daily:
		expected = protocol.Spec{Name: p.Name, FirstDay: "2011-02-01", Windows: protocol.Overlapping}
	case protocol.Recommend:
		expected = protocol.Spec{Name: p.Name, FromDay: "1996-01-01", FirstDay: "2000-01-01",
			MaxChunks: fixture.Pick(spec.Name == "movielens-50k-steps", 300, 0)}
	case protocol.Products:
		expected = protocol.Spec{Name: p.Name, Groups: want.groups, Windows: fixture.Pick(slices.Contains(separateWindows, spec.Name), protocol.Separate, protocol.Overlapping)}
	}
	expected.InitialEpochs = want.initialEpochs
	if p != expected {
		t.Errorf("%s: protocol %+v, want %+v", spec.Name, p, expected)
	}
	if cut := p.Name == protocol.GroupWise && p.Cut == tables.Stratified; cut && spec.Convention != protocol.Paper {
		t.Errorf("%s: the authors cut in file order", spec.Name)
	}
}

// checkModel: sizes, samples and optimiser are the authors'. Theirs alone adds 1e-8 to the likelihood of several classes.
// Tables that grow need a hash that keeps items.
func checkModel(t *testing.T, spec Spec, want sizes) {
	t.Helper()
	m, e := spec.Model, spec.Model.Encoder
	got := fmt.Sprintln(e.NumBuckets, e.NumHashes, e.EmbeddingDim, e.NumWeights, e.Assembly, e.Hash, e.InitialLogStdDev,
		m.TrainSamples, m.TestSamples, m.Loss, m.KLWeight, m.LearningRate, m.UpdateLearningRate, m.BatchSize, m.Scope, m.LikelihoodFloor)
	scope := fixture.Pick(strings.HasSuffix(spec.Name, "-all-columns"), phe.AllColumns, phe.IncrementalColumn)
	floor := fixture.Pick(strings.HasPrefix(spec.Dataset, "covertype") && spec.Convention == protocol.Authors, 1e-8, 0)
	optimiser := "10 100 log-average 1 0.01 0 128"
	if spec.Dataset == Retail {
		optimiser = fixture.Pick(spec.Convention == protocol.Authors, "1 1 expected 1 0.005 0 128", "1 16 expected 1 0.005 0 128") // a forecast is a mixture
		checkFilter(t, spec)
	}
	if spec.Recommender != nil {
		optimiser, scope = "10 10 expected 1 0.005 0 1024", phe.AllColumns
		checkRecommender(t, spec)
	}
	if expected := fmt.Sprintln(want.b, want.k, want.d, want.p, "weighted-sum", fixture.Pick(strings.HasSuffix(spec.Name, "-grown"), "carter-wegman", "authors"), -10, optimiser, scope, floor); got != expected {
		t.Errorf("%s: model\n%swant\n%s", spec.Name, got, expected)
	}
}

// checkFilter: layers and losses are the authors'; what looks at the count to forecast is theirs alone.
func checkFilter(t *testing.T, spec Spec) {
	t.Helper()
	expected := dkf.Filter{Prediction: dkf.Reconstruction, Likelihood: dkf.Poisson, Objective: dkf.MeanELBO, Inputs: dkf.Raw,
		Transition: dkf.WithoutGap, Hidden: 20, Latent: 20}
	if spec.Convention == protocol.Paper {
		expected.Prediction, expected.HistorySamples = dkf.Forecast, 4 // as many as the designs that it stands beside
	}
	if *spec.Filter != expected {
		t.Errorf("%s: filter\n%+v, want\n%+v", spec.Name, *spec.Filter, expected)
	}
}

// checkRecommender: layers, σ and genres are the authors', and so is the convention.
func checkRecommender(t *testing.T, spec Spec) {
	t.Helper()
	if want := (Recommender{Hidden: 50, StdDev: 0.3, Genres: ncf.MultiHot}); *spec.Recommender != want || spec.Convention != protocol.Authors {
		t.Errorf("%s: recommender %+v of %s, want %+v of the authors", spec.Name, *spec.Recommender, spec.Convention, want)
	}
}

// checkMethod: what a method changes of its model is what its name and the spec's announce.
func checkMethod(t *testing.T, spec Spec, m Method, want sizes, kind string) {
	t.Helper()
	base, variant, _ := strings.Cut(m.Name, " ")
	epochs := onlineEpochs
	if spec.Filter != nil || spec.Recommender != nil {
		epochs = dailyEpochs
	}
	expected := Method{Name: m.Name, Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: epochs[base], Scheme: m.Scheme, Loss: m.Loss}
	if base == "EE" || base == "P-EE" {
		expected.Rows = phe.Vocabulary
	}
	if base == "EE" || strings.HasSuffix(base, "Ada") {
		expected.Estimate = phe.Point
	}
	switch kind {
	case "double": // Supp. G.5: B → 2B, P → 2P
		expected.NumBuckets, expected.NumWeights = 2*want.b, 2*want.p
	case "adaptation": // Supp. G.3: the Adas differ in the learning rate instead
		expected.UpdateEpochs = fixture.Pick(expected.Estimate == phe.Posterior && variant == "", 50, 15)
		expected.UpdateLearningRate = map[string]float64{"SlowAda": 1e-4, "MediumAda": 1e-3, "FastAda": 1e-2}[base]
	case "scopes":
		expected.Scope = phe.UpdateScope(variant)
	case "hashes":
		_, _ = fmt.Sscanf(variant, "K=%d", &expected.NumHashes)
	case "buckets": // Supp. G.5: K = 2, and P stays
		expected.NumHashes = 2
		_, _ = fmt.Sscanf(variant, "B=%d", &expected.NumBuckets)
	case "published":
		expected.Transition = map[string]dkf.Transition{"with gap": dkf.WithGap}[variant]
		expected.Objective = map[string]dkf.Objective{"summed ELBO": dkf.ELBO}[variant]
	case "grown": // B doubled four times, and P with it, holds the items of the table
		expected.UpdateEpochs = 15
		expected.GrowBeyond = fixture.Pick(variant == "grown", 1.0, 0)
		expected.NumBuckets, expected.NumWeights = fixture.Pick(variant == "B=112", 16*want.b, 0), fixture.Pick(variant == "B=112", 16*want.p, 0)
	case "frontier":
		if n, _ := fmt.Sscanf(variant, "B=%d", &expected.NumBuckets); n == 0 {
			_, _ = fmt.Sscanf(variant, "d=%d", &expected.EmbeddingDim)
		}
	case "steps":
		_, _ = fmt.Sscanf(variant, "%d steps", &expected.UpdateEpochs)
	case "epochs", "unlearning", "20":
		_, _ = fmt.Sscanf(variant, "%d epochs", &expected.UpdateEpochs)
	case "order":
		expected.Arrival = map[string]protocol.Arrival{"as it comes": protocol.AsItComes, "shuffled": protocol.Shuffled, "reversed": protocol.Reversed, "by item": protocol.ByItem, "at once": protocol.AtOnce}[variant]
	case "group", "growing", "swapped": // by-group too
		expected.Replay = variant == "replay"
	}
	if m != expected {
		t.Errorf("%s: method\n%+v, want\n%+v", spec.Name, m, expected)
	}
}

// The forecasts of our own run along the authors' days, and an ablation leaves out one thing at a time.
func TestForecastDesigns(t *testing.T) {
	for _, name := range designs {
		spec, err := Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		p := spec.Protocol
		if p.Name != protocol.Daily || p.FirstDay != "2011-02-01" || p.Windows != protocol.Overlapping || p.MaxChunks != fixture.Pick(name == "retail-forecast", 0, 60) || spec.Filter.Prediction != dkf.Forecast {
			t.Errorf("%s: %+v, prediction %q", name, p, spec.Filter.Prediction)
		}
		for _, m := range spec.Methods {
			base, variant, _ := strings.Cut(m.Name, " ")
			rows, estimate := fixture.Pick(strings.HasSuffix(base, "EE"), phe.Vocabulary, phe.Hashed), fixture.Pick(base == "EE" || base == "Ada", phe.Point, phe.Posterior)
			plain := Method{Name: m.Name, Rows: rows, Estimate: estimate, UpdateEpochs: spec.Methods[0].UpdateEpochs}
			if variant == "" || name == "retail-grown" && variant == "B=109" { // the model's own
				if m != plain {
					t.Errorf("%s: %+v, want %+v", name, m, plain)
				}
				continue
			}
			options := 0
			was, is := reflect.ValueOf(plain), reflect.ValueOf(m)
			for i := range is.NumField() {
				if was.Field(i).Interface() != is.Field(i).Interface() {
					options++
				}
			}
			if both := m.NumBuckets > 0; options != fixture.Pick(both, 2, 1) || m.NumBuckets != m.NumWeights { // B and P go together
				t.Errorf("%s: %q changes %d options: %+v", name, m.Name, options, m)
			}
		}
	}
}

// The recommenders of our own run along the authors' days at the size of Table 4, with beliefs that start wide and more
// initial epochs, and are else the authors'.
func TestRatingDesigns(t *testing.T) {
	six := []string{"PHE", "EE", "P-EE", "SlowAda", "MediumAda", "FastAda"}
	assemblies := []string{"PHE", "PHE sum", "PHE mean", "P-EE"}
	names := map[string][]string{"movielens-small-wide": six, "movielens-50k-wide": six, "movielens-generated-3m": six, "movielens-generated": six[:1],
		"movielens-small-double": {"PHE", "SlowAda", "MediumAda", "FastAda"}, "movielens-small-genres": {"PHE multi-hot", "PHE embedded", "PHE no genres"},
		"movielens-small-buckets": {"PHE B=1009", "PHE B=10009", "PHE B=100003"}, "movielens-small-assembly": assemblies, "movielens-50k-assembly": assemblies}
	for _, name := range ratingDesigns {
		spec, err := Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		generated := strings.Contains(name, "generated")
		if want := (protocol.Spec{Name: protocol.Recommend, InitialEpochs: fixture.Pick(generated, 15, 60), FromDay: "1996-01-01", FirstDay: "2000-01-01"}); spec.Protocol != want || spec.Convention != protocol.Paper {
			t.Errorf("%s: %s, %+v; want %+v", name, spec.Convention, spec.Protocol, want)
		}
		if want := fixture.Pick(generated, []int64{0}, []int64{0, 1, 2, 3, 4}); !slices.Equal(spec.Seeds, want) {
			t.Errorf("%s: seeds %v, want %v", name, spec.Seeds, want)
		}
		m, e := spec.Model, spec.Model.Encoder
		got := fmt.Sprint(e.NumBuckets, e.NumHashes, e.EmbeddingDim, e.NumWeights, " ", e.Assembly, " ", e.Hash, " ", e.InitialLogStdDev, e.InitialMeanStdDev, " ", m.Scheme, " ",
			m.TrainSamples, m.TestSamples, " ", m.Loss, " ", m.KLWeight, m.LearningRate, m.UpdateLearningRate, m.BatchSize, " ", m.Scope, " ", *spec.Recommender)
		if want := "10009 3 20 10009 weighted-sum authors -2 0.1 local 10 10 expected 1 0.005 0 1024 all-columns {50 0.3 multi-hot}"; got != want {
			t.Errorf("%s: model\n%s, want\n%s", name, got, want)
		}
		var methods []string
		for _, m := range spec.Methods {
			methods = append(methods, m.Name)
			base, variant, _ := strings.Cut(m.Name, " ")
			want := Method{Name: m.Name, UpdateEpochs: dailyEpochs[base], Genres: map[string]ncf.LabelInput{"multi-hot": ncf.MultiHot, "embedded": ncf.Embedded, "no genres": ncf.NoLabels}[variant],
				Assembly: map[string]phe.Assembly{"sum": phe.PlainSum, "mean": phe.Average}[variant],
				Rows:     fixture.Pick(strings.HasSuffix(base, "EE"), phe.Vocabulary, phe.Hashed),
				Estimate: fixture.Pick(base == "EE" || strings.HasSuffix(base, "Ada"), phe.Point, phe.Posterior)}
			if base != "PHE" && name == "movielens-small-double" {
				want.NumBuckets, want.NumWeights = 20018, 20018
			}
			if n, _ := fmt.Sscanf(variant, "B=%d", &want.NumBuckets); n == 1 {
				want.NumWeights = want.NumBuckets
			}
			if m != want {
				t.Errorf("%s: method\n%+v, want\n%+v", name, m, want)
			}
		}
		if !slices.Equal(methods, names[name]) {
			t.Errorf("%s: methods %q, want %q", name, methods, names[name])
		}
	}
}

// Regret has its reference wherever it is shown.
func TestReferenceRuns(t *testing.T) {
	for _, name := range Names() {
		spec, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(measure.Metrics(&result.Method{Protocol: spec.Protocol.Name, Convention: spec.Convention}), measure.Regret) || name == "covertype-unlearning" || // PHE beside itself
			name == "adult-demo" || name == "adult-grown" || // their question is another
			spec.StreamOf != "" { // its reference stands in the result of the other spec
			continue
		}
		i := slices.IndexFunc(spec.Methods, func(m Method) bool { return m.Name == measure.Reference })
		if i < 0 || !spec.Methods[i].Replay || spec.Methods[i].Rows != phe.Vocabulary || spec.Methods[i].Estimate != phe.Posterior {
			t.Errorf("%s has no %s that learns from all the past", name, measure.Reference)
		}
	}
}
