package cell

import (
	"bytes"
	"image/png"

	"github.com/pkg/errors"
	"github.com/soniakeys/quant/median"
)

// colours is the size of a picture's palette. Lines, bands and their blurred edges need no more, and the file becomes a
// third.
const colours = 256

// compact rewrites a PNG with a palette. It returns the picture as it was if that does not make it smaller.
func compact(content []byte) ([]byte, error) {
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, errors.Wrap(err, "not a PNG")
	}
	var small bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&small, median.Quantizer(colours).Paletted(picture)); err != nil {
		return nil, errors.Wrap(err, "encoding a picture")
	}
	if small.Len() >= len(content) {
		return content, nil
	}
	return small.Bytes(), nil
}
