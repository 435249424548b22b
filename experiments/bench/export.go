package bench

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/phe"
)

// Export writes the workload into a folder, for programs in other languages: an array a file, and meta.json with their
// shapes and the model's configuration. Items are exported as rows of the tables, so that other programs need not hash.
func (w *Workload) Export(folder string) error {
	e := w.task.Export()
	encoder, err := phe.NewEncoder(w.config.Encoder)
	if err != nil {
		return err
	}
	rows, err := encoder.Items(e.Items)
	if err != nil {
		return err
	}
	chunkRows, chunkEnds := w.chunks()
	e.Add("buckets", rows.Buckets, len(e.Items), w.config.Encoder.RowsPerItem())
	e.Add("weights", rows.Weights, len(rows.Weights))
	e.Add("initial", w.plan.Initial, len(w.plan.Initial))
	e.Add("chunk_rows", chunkRows, len(chunkRows))
	e.Add("chunk_ends", chunkEnds, len(chunkEnds))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return errors.Wrap(err, "cannot make the folder of the export; name another")
	}
	shapes, err := e.Write(folder)
	if err != nil {
		return err
	}
	meta := e.Meta
	meta["task"], meta["dataset"], meta["arrays"] = w.Task, w.spec.Dataset, shapes
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
