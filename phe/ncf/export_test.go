package ncf

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
	"gophe/phe/online"
)

// NewDenseModel is the rival of [NewModel]: the same network, all data and whole tables on the device, every step over all
// of them. Its data is laid out here, and not by excerpts.
func NewDenseModel(backend compute.Backend, config Config, data Data, runs, updateRows int) (*online.Model, error) {
	encoder, err := phe.NewEncoder(config.Encoder)
	if err != nil {
		return nil, err
	}
	items := append(append([]string{}, data.Users...), data.Films...)
	if config.Genres == Embedded {
		items = append(items, data.Genres...)
	}
	rows, err := encoder.Items(items)
	if err != nil {
		return nil, err
	}
	device := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(rows.Buckets, len(items), config.Encoder.RowsPerItem())}
	if config.Encoder.HasWeights() {
		device = append(device, tensors.FromFlatDataAndDimensions(rows.Weights, len(items)))
	}
	var index []int32
	var genres []uint32
	for i := range data.Ratings {
		index = append(index, data.User[i], int32(len(data.Users))+data.Film[i])
		genres = append(genres, data.FilmGenres[data.Film[i]])
	}
	n := len(data.Ratings)
	device = append(device, tensors.FromFlatDataAndDimensions(index, n, 2), tensors.FromFlatDataAndDimensions(genres, n),
		tensors.FromFlatDataAndDimensions(append([]float32{}, data.Ratings...), n))
	return online.NewModel(backend, config.Config, encoder, network{config, encoder, len(data.Genres)}, device, n, runs, updateRows)
}
