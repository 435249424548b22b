package streaming

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/experiments/progress"
	"gophe/phe/checkpoint"
	"gophe/phe/feed"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// load reads a model without taking it from whoever learns with it.
func load(c *cobra.Command, path string) (*stream.Learner, feed.State, error) {
	loaded, err := checkpoint.Peek(path, feed.Kind)
	if errors.Is(err, checkpoint.ErrNone) {
		return nil, feed.State{}, errors.Errorf("there is no model %s; `phe stream FILE --target COLUMN` makes one", path)
	}
	if err != nil {
		return nil, feed.State{}, err
	}
	if loaded.Warning != "" {
		fmt.Fprintln(c.ErrOrStderr(), "warning:", loaded.Warning)
	}
	l, state, err := feed.Load(loaded.Payload)
	return l, state, errors.WithMessagef(err, "the model %s", path)
}

func predictCommand() *cobra.Command {
	var f inputFlags
	var to string
	c := &cobra.Command{
		Use:   "predict MODEL FILE|-",
		Short: "Forecast the rows of a file by a model, and learn nothing",
		Long: "Predict forecasts the target of each row by a model that `phe stream` made. The model does not change. The file needs the columns\n" +
			"that the model learned from, by their names; the target may be missing. The forecasts are CSV: of two classes the probability of the\n" +
			"second, of several the likeliest and all probabilities, of a number or a count the forecast and an interval that holds nine in ten;\n" +
			"and the number of times that the row's rarest item was learned.",
		Example: "  phe predict sales.phe tomorrow.csv > forecasts.csv\n" +
			"  phe predict sales.phe tomorrow.csv --to forecasts.csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("name a model and a file, as in: phe predict sales.phe tomorrow.csv")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			l, _, err := load(c, args[0])
			if err != nil {
				return err
			}
			return predict(c, l, args[1], &f, to)
		},
	}
	f.add(c)
	c.Flags().StringVar(&to, "to", "", "file for the forecasts (default: standard output)")
	return c
}

// predict writes the forecasts of a file's rows.
func predict(c *cobra.Command, l *stream.Learner, path string, f *inputFlags, to string) (err error) {
	in, err := openSource(path, f, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	places, err := l.Schema().Places(in.Columns())
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	if to != "" {
		file, err := os.Create(to)
		if err != nil {
			return errors.Wrap(err, "opening the file for forecasts; name another one with --to")
		}
		defer func() {
			if closed := file.Close(); err == nil {
				err = errors.Wrap(closed, "writing forecasts")
			}
		}()
		out = file
	}
	buffer := bufio.NewWriterSize(out, 1<<16)
	w := feed.NewWriter(buffer, l.Schema())
	line := progress.NewLine(c.ErrOrStderr(), path)
	defer line.Finish()
	record := make(schema.Record, len(places))
	for n := int64(1); ; n++ {
		if n%1000 == 0 {
			if err := c.Context().Err(); err != nil {
				return err
			}
			if read, size := in.Progress(); size > 0 {
				line.Update(float64(read)/float64(size), stream.Grouped(n)+" rows")
			} else {
				line.Say(stream.Grouped(n) + " rows")
			}
		}
		fields, err := in.Read()
		if err == io.EOF {
			return errors.Wrap(buffer.Flush(), "writing forecasts")
		}
		if err != nil {
			return err
		}
		take(record, fields, places)
		forecast, err := l.Predict(record)
		if err != nil {
			return err
		}
		if err := w.Write(n, record, forecast); err != nil {
			return err
		}
	}
}

// take fills a record with the fields at its columns' places. Columns that the file does not have are missing.
func take(record schema.Record, fields []string, places []int) {
	for i, place := range places {
		record[i] = ""
		if place >= 0 {
			record[i] = fields[place]
		}
	}
}
