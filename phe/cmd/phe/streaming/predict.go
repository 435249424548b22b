package streaming

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/disk/outfile"
	"gophe/phe/live/driver"
	"gophe/phe/live/serve"
	"gophe/phe/live/source"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
	"gophe/phe/terminal"
)

func predictCommand() *cobra.Command {
	var f predictFlags
	to := outfile.Place{Flag: "--to", Kind: driver.Kind}
	c := &cobra.Command{
		Use:   "predict MODEL FILE|-",
		Short: "Forecast the rows of a file without learning them",
		Long: "Predict forecasts the target of each row with a model that `phe stream` made. The model does not change. " +
			"The file must have the\ncolumns that the model learned, by their names. The target may be missing.\n\n" +
			"The forecasts are CSV, or with --json lines of JSON. With two classes they hold the probability of the second, with\n" +
			"more classes the likeliest class and all probabilities. For a number or a count they hold the forecast and an interval\n" +
			"that contains nine outcomes in ten. The last column is the number of times that the row's rarest item was learned before.\n" +
			"With --id a column repeats the rows' names, to join the forecasts to them: a name that comes again is forecast again. A\n" +
			"row of a pipe is answered before the next one comes.\n\n" +
			"--why writes the reason of each forecast: lines that add up to its log-odds, or to a number's mean. It is the reason\n" +
			"of the model, and no cause. A count's lines say what its mean loses if a field is empty. They are tables of at\n" +
			"most 100 rows, or with --json or --to lines of JSON.",
		Example: "  phe predict sales.phe tomorrow.csv > forecasts.csv\n" +
			"  phe predict sales.phe tomorrow.csv --to forecasts.csv   # appears when it is complete; --overwrite replaces a file\n" +
			"  phe predict sales.phe tomorrow.csv --why",
		Args: Named(2, "a model and a file", "phe predict sales.phe tomorrow.csv"),
		RunE: func(c *cobra.Command, args []string) error {
			l, _, err := serve.Peek(args[0], logTo(c))
			if err != nil {
				return err
			}
			to.Others = append(modelFiles(args[0]), args[1])
			return predict(c, l, args[1], &f, to)
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.id, "id", "", "column that names the rows, which the forecasts repeat (default: the model's)")
	c.Flags().BoolVar(&f.json, "json", false, "write the forecasts as lines of JSON")
	c.Flags().IntVar(&f.why.lines, "why", 0, "write the reason of each forecast, in up to `N` lines (6 with --why alone)")
	c.Flags().Lookup("why").NoOptDefVal = "6"
	c.Flags().BoolVar(&f.why.pairs, "pairs", false, "with --why, also the pairs of columns that add most")
	c.Flags().StringVar(&f.why.class, "class", "", "with --why, explain this class (default: the second of two, the likeliest of more)")
	c.Flags().StringVar(&to.Path, "to", "", "file for the forecasts (default: standard output)")
	c.Flags().BoolVar(&to.Overwrite, "overwrite", false, "replace the file of --to, if it holds forecasts")
	return c
}

// predictFlags are the flags of predict.
type predictFlags struct {
	inputFlags
	id   string // column; empty for the model's
	json bool
	why  whyFlags
}

// schemas returns the columns to read, and the columns of the forecasts. An id that the model does not know comes after all others.
func (f *predictFlags) schemas(of schema.Schema) (read, write schema.Schema) {
	if read, write = of, of; f.id == "" {
		return read, write
	}
	read.Columns = slices.Clone(of.Columns)
	at := slices.Index(of.Names(), f.id)
	if at < 0 {
		at, read.Columns = len(read.Columns), append(read.Columns, schema.Column{Name: f.id})
	}
	write.Columns = slices.Clone(read.Columns)
	for i := range write.Columns {
		if c := &write.Columns[i]; c.Kind == schema.ID {
			c.Kind = schema.Dropped
		}
	}
	if c := &read.Columns[at]; !c.Needed(false) {
		c.Kind = schema.Category // so that the file must have it
	}
	write.Columns[at].Kind = schema.ID
	return read, write
}

// predict writes the forecasts of a file's rows.
func predict(c *cobra.Command, l *stream.Learner, path string, f *predictFlags, to outfile.Place) error {
	if to.Path == outfile.Standard {
		to.Path = ""
	}
	if f.why.lines == 0 && (f.why.pairs || f.why.class != "") {
		return errors.New("--pairs and --class are about a reason; add --why")
	}
	if err := to.Check(); err != nil {
		return err
	}
	of, err := f.options()
	if err != nil {
		return err
	}
	read, write := f.schemas(l.Schema)
	in, err := source.Open(c.Context(), source.Options{Options: of, Schema: &read, Apart: true}, path)
	if err != nil {
		return err
	}
	defer in.Close()
	forecasts := driver.Forecasts
	switch {
	case f.why.lines != 0:
		forecasts = f.why.writer(l, f.json || to.Path != "")
	case f.json:
		forecasts = driver.JSONForecasts
	}
	if to.Path != "" {
		return to.Write(func(w io.Writer) error { return writeForecasts(c, l, in, w, forecasts(w, write)) })
	}
	buffer := bufio.NewWriterSize(c.OutOrStdout(), 1<<16)
	err = writeForecasts(c, l, in, buffer, forecasts(buffer, write))
	return cmp.Or(err, errors.Wrap(buffer.Flush(), "cannot write forecasts"))
}

// writeForecasts writes the forecasts of a source's rows.
func writeForecasts(c *cobra.Command, l *stream.Learner, in *source.Files, to io.Writer,
	write func(int64, schema.Record, stream.Forecast) error) error {
	if buffer, ok := to.(*bufio.Writer); ok {
		in.Waits(func() { _ = buffer.Flush() }) // the next write returns its error
	}
	line := terminal.NewLine(c.ErrOrStderr(), in.Path)
	defer line.Finish()
	for n := int64(1); ; n++ {
		if n%1000 == 0 {
			if err := c.Context().Err(); err != nil {
				return err
			}
			read, size := in.Progress()
			line.Count(read, size, terminal.Counted(n, "row"))
		}
		record, err := in.Reader.Read()
		if err == io.EOF {
			line.Finish()
			sayLeftOut(c.ErrOrStderr(), in)
			for _, f := range l.Fields(false) {
				if f.Of == score.Predicted {
					fmt.Fprintln(c.ErrOrStderr(), f)
				}
			}
			return nil
		}
		if err != nil {
			return err
		}
		forecast, err := l.Predict(record[:len(l.Schema.Columns)])
		if err != nil {
			return err
		}
		if err := write(n, record, forecast); err != nil {
			return err
		}
	}
}
