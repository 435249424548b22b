package experiments

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/phe"
)

// Export writes the workload into a folder, for programs in other languages: an array a file, and meta.json with their
// shapes and the model's configuration. Items are exported as rows of the tables, so that nobody else has to hash.
func (w *Workload) Export(folder string) error {
	e := w.task.export()
	encoder, err := phe.NewEncoder(w.config.Encoder)
	if err != nil {
		return err
	}
	rows, err := encoder.Items(e.items)
	if err != nil {
		return err
	}
	chunkRows, chunkEnds := w.chunks()
	arrays := append(e.arrays,
		array{"buckets", rows.Buckets, []int{len(e.items), w.config.Encoder.RowsPerItem()}},
		array{"weights", rows.Weights, []int{len(rows.Weights)}},
		array{"initial", w.plan.Initial, []int{len(w.plan.Initial)}},
		array{"chunk_rows", chunkRows, []int{len(chunkRows)}},
		array{"chunk_ends", chunkEnds, []int{len(chunkEnds)}})
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return errors.Wrap(err, "cannot make the folder of the export; name another")
	}
	shapes := map[string]any{}
	for _, a := range arrays {
		dtype, err := a.write(folder)
		if err != nil {
			return err
		}
		shapes[a.name] = map[string]any{"dtype": dtype, "shape": a.shape}
	}
	meta := e.meta
	meta["task"], meta["dataset"], meta["arrays"] = w.name, w.spec.Dataset, shapes
	meta["filter"], meta["recommender"] = w.spec.Filter, w.spec.Recommender
	meta["config"], meta["update_epochs"], meta["chunks"] = w.config.Config, w.method.UpdateEpochs, len(chunkEnds)
	content, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return errors.Wrap(err, "encoding meta.json")
	}
	return result.WriteWhole(filepath.Join(folder, "meta.json"), append(content, '\n'))
}

// chunks returns the examples of all chunks, one chunk after the other, and where each chunk ends.
func (w *Workload) chunks() (rows, ends []int32) {
	for _, step := range w.plan.Steps {
		rows = append(rows, step...)
		ends = append(ends, int32(len(rows)))
	}
	return rows, ends
}
