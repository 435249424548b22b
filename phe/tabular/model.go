package tabular

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/online"
)

// Data is a dataset as the model reads it: every categorical cell points to one of the distinct items.
type Data struct {
	Items       []string  // distinct items of all columns
	ItemColumns []int32   // the column each item stands in
	Index       []int32   // [rows, columns], into Items
	Numbers     []float32 // [rows, numbers]
	Labels      []int32   // [rows]
}

// NewModel prepares the classifier for data, for a number of runs side by side; updateRows is the most rows that one
// Update brings. A learner's Predict gives the log predictive probability of every class, in nats.
func NewModel(backend compute.Backend, config Config, data Data, runs, updateRows int) (*online.Model, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if config.Incremental < 0 || config.Incremental >= config.Columns {
		return nil, errors.Errorf("the incremental column is number %d of %d; count from 0", config.Incremental, config.Columns)
	}
	encoder, err := phe.NewEncoder(config.Encoder)
	if err != nil {
		return nil, err
	}
	fanIn := config.Columns*config.Encoder.EmbeddingDim + config.Numbers
	if config.Numbers == 0 { // a column of zeros changes nothing, and the pure-Go backend cannot multiply by none
		config.Numbers, data.Numbers = 1, make([]float32, len(data.Labels))
	}
	if err := data.check(config); err != nil {
		return nil, err
	}
	uploaded, err := data.upload(config, encoder)
	if err != nil {
		return nil, err
	}
	n := network{config, encoder, fanIn, len(data.Items)}
	return online.NewModel(backend, config.Config, encoder, n, uploaded, len(data.Labels), runs, updateRows)
}

// check refuses indices out of range on the host: an accelerator would clamp or drop them in silence.
func (d Data) check(c Config) error {
	n := len(d.Labels)
	if len(d.Index) != n*c.Columns || len(d.Numbers) != n*c.Numbers || len(d.ItemColumns) != len(d.Items) {
		return errors.Errorf("data does not fit the model: %d rows of %d columns and %d numbers are %d indices and %d numbers, not %d and %d",
			n, c.Columns, c.Numbers, n*c.Columns, n*c.Numbers, len(d.Index), len(d.Numbers))
	}
	for _, i := range d.Index {
		if i < 0 || int(i) >= len(d.Items) {
			return errors.Errorf("an index is %d; it must point to one of the %d items", i, len(d.Items))
		}
	}
	for _, column := range d.ItemColumns {
		if column < 0 || int(column) >= c.Columns {
			return errors.Errorf("an item stands in column %d; there are %d", column, c.Columns)
		}
	}
	for _, y := range d.Labels {
		if y < 0 || int(y) >= c.Classes {
			return errors.Errorf("a label is %d; it must be one of %d classes", y, c.Classes)
		}
	}
	return nil
}

// upload makes tensors of the data, in the order in which the network reads them.
func (d Data) upload(c Config, encoder *phe.Encoder) ([]*tensors.Tensor, error) {
	rows, err := encoder.Items(d.Items)
	if err != nil {
		return nil, err
	}
	n := len(d.Labels)
	uploaded := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(rows.Buckets, len(d.Items), c.Encoder.RowsPerItem()),
		tensors.FromFlatDataAndDimensions(d.ItemColumns, len(d.Items)),
	}
	if len(rows.Weights) > 0 {
		uploaded = append(uploaded, tensors.FromFlatDataAndDimensions(rows.Weights, len(d.Items)))
	}
	return append(uploaded,
		tensors.FromFlatDataAndDimensions(d.Index, n, c.Columns),
		tensors.FromFlatDataAndDimensions(d.Numbers, n, c.Numbers),
		tensors.FromFlatDataAndDimensions(d.Labels, n)), nil
}
