package experiments

import (
	"slices"

	"gophe/experiments/result"
	"gophe/phe"
	"gophe/phe/backend"
	"gophe/phe/tabular"
)

// family is the methods that share one initial model: the Adas differ only in how they go on.
type family struct {
	name    string // of the frozen model
	config  tabular.Config
	methods []Method
}

func (r *run) families() []*family {
	var families []*family
	for _, m := range r.spec.Methods {
		config := fit(r.spec.config(m, len(r.items.Items)), r.table)
		i := slices.IndexFunc(families, func(f *family) bool { return f.config == config })
		if i < 0 {
			families = append(families, &family{name: m.Name, config: config})
			i = len(families) - 1
		} else {
			families[i].name = modelName(m.Rows, m.Estimate)
		}
		families[i].methods = append(families[i].methods, m)
	}
	return families
}

// modelName is the paper's name of a choice of rows and estimate (Sec. 4.1).
func modelName(rows phe.RowChoice, estimate phe.Estimate) string {
	switch {
	case rows == phe.Hash && estimate == phe.Posterior:
		return "PHE"
	case rows == phe.Hash:
		return "Ada"
	case estimate == phe.Posterior:
		return "P-EE"
	}
	return "EE"
}

// rows are the family's entries in the result file, still without runs.
func (f *family) rows(r *run, frozen bool) []result.Method {
	entry := func(name string) result.Method {
		scheme, loss := string(f.config.Scheme), string(f.config.Loss)
		if f.config.Encoder.Estimate == phe.Point {
			scheme, loss = "", "" // nothing to take an expectation over
		}
		return result.Method{
			Name: name, Frozen: frozen, Dataset: r.spec.Dataset, Protocol: r.spec.Protocol.Name,
			Convention: r.spec.Convention, Scheme: scheme, Loss: loss, Parameters: f.config.Encoder.NumParameters(),
			Runs: []result.Run{}, // not null in a partial file
		}
	}
	if frozen {
		return []result.Method{entry(f.name)}
	}
	var rows []result.Method
	for _, m := range f.methods {
		rows = append(rows, entry(m.Name))
	}
	return rows
}

// together groups the seeds that a family still needs into those that train in one program. XLA takes them all: its cost is
// in the number of operations, and five seeds in one take less than four alone. The pure-Go backend gains
// nothing and trains each alone, on as many cores as there are.
func (r *run) together(f *family) [][]int64 {
	var missing []int64
	for _, seed := range r.spec.Seeds {
		if slices.ContainsFunc(f.streams(), func(s stream) bool { return r.method(s).Run(seed) == nil }) {
			missing = append(missing, seed)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if r.options.BackendName != backend.Go {
		return [][]int64{missing}
	}
	return slices.Collect(slices.Chunk(missing, 1))
}

// stream names one row of the result file.
type stream struct {
	name   string
	frozen bool
}

// streams of a family: its methods, and its frozen model.
func (f *family) streams() []stream {
	streams := []stream{{f.name, true}}
	for _, m := range f.methods {
		streams = append(streams, stream{m.Name, false})
	}
	return streams
}

// method finds a stream's row in the result file; plan laid out one for each.
func (r *run) method(s stream) *result.Method { return r.file.Method(s.name, s.frozen) }
