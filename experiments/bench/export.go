package bench

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/output"
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
	var chunkEnds []int32
	end := 0
	for _, step := range w.plan.Steps {
		end += len(step)
		chunkEnds = append(chunkEnds, int32(end))
	}
	e.Arrays["buckets"] = task.Array{Values: rows.Buckets, Shape: []int{len(e.Items), w.config.Encoder.RowsPerItem()}}
	lists := map[string]any{"weights": rows.Weights, "initial": w.plan.Initial, "chunk_rows": slices.Concat(w.plan.Steps...), "chunk_ends": chunkEnds}
	for name, values := range lists {
		e.Arrays[name] = task.Array{Values: values, Shape: []int{reflect.ValueOf(values).Len()}}
	}
	shapes := map[string]any{}
	for name, a := range e.Arrays {
		var content bytes.Buffer
		if err := binary.Write(&content, binary.LittleEndian, a.Values); err != nil {
			return errors.Wrapf(err, "encoding array %s", name)
		}
		if err := result.WriteWhole(filepath.Join(folder, name+".bin"), output.Numbers, content.Bytes()); err != nil {
			return err
		}
		number := reflect.TypeOf(a.Values).Elem().String() // int32, uint32 or float32, as numpy says
		shapes[name] = map[string]any{"dtype": number, "shape": a.Shape}
	}
	meta := e.Meta
	meta["task"], meta["dataset"], meta["arrays"] = w.Task, w.spec.Dataset, shapes
	meta["filter"], meta["recommender"] = w.spec.Filter, w.spec.Recommender
	meta["config"], meta["update_epochs"], meta["chunks"] = w.config.Config, w.method.UpdateEpochs, len(chunkEnds)
	content, err := json.MarshalIndent(meta, "", "  ")
	if err != nil {
		return errors.Wrap(err, "encoding meta.json")
	}
	own := output.Kind{Name: "an exported task", Begins: `\{\s*"arrays":`}
	return result.WriteWhole(filepath.Join(folder, "meta.json"), own, append(content, '\n'))
}
