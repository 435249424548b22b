package cell

import (
	"bytes"
	"context"
	"encoding/gob"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/phe/disk/outfile"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Stream takes a learner along a table. It returns the forecast of each row, made before the learner learned the row. The kernel's
// interrupt ends it early, with the forecasts up to there.
func Stream(l *stream.Learner, r stream.Reader) dataframe.DataFrame {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return Must(follow(ctx, l, r)).frame(l.Schema.Target)
}

// follow returns the forecasts of rows that the learner learns. A context that ends is no error.
func follow(ctx context.Context, l *stream.Learner, r stream.Reader) (said forecasts, err error) {
	err = stream.Progressive(ctx, l, r, 0, func(_ schema.Record, f stream.Forecast) error {
		said = append(said, f)
		return nil
	})
	if ctx.Err() != nil {
		err = nil
	}
	return said, err
}

// KeepStream is Keep for a learner.
func KeepStream(name string, l *stream.Learner) {
	var content bytes.Buffer
	Check(l.Write(&content))
	Keep(name, content.Bytes())
}

// KeptStream is a learner that an earlier cell stored.
func KeptStream(name string) *stream.Learner {
	return Must(stream.Read(Kept[[]byte](name)))
}

// forecasts holds the forecasts of a stream's rows.
type forecasts []stream.Forecast

// frame returns the forecasts with the columns that the kind of target has.
func (f forecasts) frame(t schema.Target) dataframe.DataFrame {
	names := []string{"forecast", "novelty"}
	cells := func(said stream.Forecast) []any { return []any{t.Classes[int(said.Value)], int(said.Novelty)} }
	switch {
	case t.Kind != schema.Classes:
		names = []string{"forecast", "low", "high", "novelty"}
		cells = func(said stream.Forecast) []any { return []any{said.Value, said.Low, said.High, int(said.Novelty)} }
	case len(t.Classes) == 2:
		names = []string{"probability", "novelty"}
		cells = func(said stream.Forecast) []any { return []any{said.Probability, int(said.Novelty)} }
	}
	table := NewRows(names...)
	for _, said := range f {
		table.Add(cells(said)...)
	}
	return table.Frame()
}

// Keep stores a value of a cell for later ones, under a name of your own, in the folder of Results.
func Keep(name string, value any) {
	var content bytes.Buffer
	Check(errors.Wrapf(gob.NewEncoder(&content).Encode(value), "%s cannot be kept", name))
	Check(result.WriteWhole(keptPath(name), outfile.Numbers, content.Bytes()))
}

// Kept is a value that an earlier cell stored.
func Kept[T any](name string) (value T) {
	content, err := os.ReadFile(keptPath(name))
	Check(errors.Wrapf(err, "%s is not there; run the cell that keeps it", name))
	Check(errors.Wrapf(gob.NewDecoder(bytes.NewReader(content)).Decode(&value), "%s is of another kind; run the cell that keeps it "+
		"again", name))
	return value
}

func keptPath(name string) string { return filepath.Join(Results(), name+".gob") }
