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
	"gophe/phe/serve"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// load reads a model and changes no file. Another process may learn with the model at the same time.
func load(c *cobra.Command, path string) (*stream.Learner, feed.State, error) {
	found, err := serve.Peek(path)
	if errors.Is(err, checkpoint.ErrNone) {
		return nil, feed.State{}, errors.Errorf("there is no model %s; `phe stream FILE --target COLUMN` makes one", path)
	}
	for _, note := range found.Notes {
		fmt.Fprintln(c.ErrOrStderr(), note)
	}
	return found.Learner, found.State, err
}

func predictCommand() *cobra.Command {
	var f inputFlags
	var to string
	c := &cobra.Command{
		Use:   "predict MODEL FILE|-",
		Short: "Forecast the rows of a file without learning them",
		Long: "Predict forecasts the target of each row with a model that `phe stream` made. The model does not change. The file must have the\n" +
			"columns that the model learned, by their names. The target may be missing.\n\n" +
			"The forecasts are CSV. With two classes they hold the probability of the second, with more classes the likeliest class and all\n" +
			"probabilities. For a number or a count they hold the forecast and an interval that contains nine outcomes in ten. The last column\n" +
			"is the number of times that the row's rarest item was learned before.",
		Example: "  phe predict sales.phe tomorrow.csv > forecasts.csv\n" +
			"  phe predict sales.phe tomorrow.csv --to forecasts.csv",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("name a model and a file; usage: phe predict MODEL FILE|-, as in: phe predict sales.phe tomorrow.csv")
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
			return errors.Wrap(err, "cannot open the file for forecasts; name another file with --to")
		}
		defer func() {
			if closed := file.Close(); err == nil {
				err = errors.Wrap(closed, "cannot write forecasts")
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
			return errors.Wrap(buffer.Flush(), "cannot write forecasts")
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

// take copies the fields at its columns' places into a record. Columns that the file does not have become empty.
func take(record schema.Record, fields []string, places []int) {
	for i, place := range places {
		record[i] = ""
		if place >= 0 {
			record[i] = fields[place]
		}
	}
}
