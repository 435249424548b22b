package streaming

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/driver"
	"gophe/phe/onepass"
	"gophe/phe/records"
	"gophe/phe/stream/schema"
	"gophe/phe/terminal"
)

// inputFlags describe how to read a file.
type inputFlags struct {
	format, delimiter, quote string
	header, noHeader         bool
	columns                  []string
	growing                  bool // leave out a last line without a line end, which a program may still be writing
	complete                 bool // take it, since no program writes more
	follow                   bool // the input has no end
}

func (f *inputFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "", "csv, tsv, jsonl or parquet (default: found by the content)")
	c.Flags().StringVar(&f.delimiter, "delimiter", "", "separator of the fields of CSV (default: found by the content)")
	c.Flags().StringVar(&f.quote, "quote", "", "none: quotes are letters (default: a field in quotes may hold separators and line ends)")
	c.Flags().BoolVar(&f.header, "header", false, "the first line holds the names of the columns")
	c.Flags().BoolVar(&f.noHeader, "no-header", false, "the first line is a record; the columns are named c1, c2, …")
	c.Flags().StringSliceVar(&f.columns, "columns", nil, "names of the columns of CSV without a header, or fields of JSON lines to read")
	c.MarkFlagsMutuallyExclusive("header", "no-header")
}

// addComplete adds the flag of commands that leave a last line alone.
func (f *inputFlags) addComplete(c *cobra.Command) {
	f.growing = true
	c.Flags().BoolVar(&f.complete, "complete", false, "learn a last line without a line end too, since no program writes more of it")
}

func (f *inputFlags) options() (records.Options, error) {
	o := records.Options{Format: records.Format(f.format), Columns: f.columns, Growing: f.growing && !f.complete, NoQuotes: f.quote != ""}
	switch {
	case f.quote != "" && f.quote != "none":
		return o, errors.Errorf("--quote is %q; give none, or leave it out", f.quote)
	case f.header:
		o.Header = records.HeaderYes
	case f.noHeader:
		o.Header = records.HeaderNo
	}
	if f.delimiter != "" {
		letters := []rune(strings.ReplaceAll(f.delimiter, `\t`, "\t"))
		if len(letters) != 1 {
			return o, errors.Errorf("--delimiter is %q; give one character", f.delimiter)
		}
		o.Comma = letters[0]
	}
	return o, o.Validate()
}

// schemaFlags describe the columns.
type schemaFlags struct {
	target, as, schema                          string
	classes, drop, keep, category, number, time []string
	multi, same, classWeights                   []string
	id, weight                                  string
	showSchema                                  bool
}

func (f *schemaFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.target, "target", "", "what to forecast: a column, a comparison such as 'Quantity>=12', or 'log2(Quantity)'")
	flags.StringVar(&f.as, "as", "", "forecast the target as classes, number or count")
	flags.StringSliceVar(&f.classes, "classes", nil,
		"all classes of the target; with two classes, the probability of the second is forecast")
	flags.StringSliceVar(&f.drop, "drop", nil, "columns to leave out")
	flags.StringSliceVar(&f.keep, "keep", nil, "columns to keep that the program would leave out")
	flags.StringSliceVar(&f.category, "category", nil, "columns of numbers that are names, such as a user id")
	flags.StringSliceVar(&f.number, "number", nil, "columns of numbers")
	flags.StringSliceVar(&f.time, "time", nil, "columns of times")
	flags.StringVar(&f.id, "id", "", "column that names the row: forecasts repeat it, and a row that comes again is not learned again")
	flags.StringVar(&f.weight, "weight", "", "column with the weight of the row")
	flags.StringArrayVar(&f.multi, "multi", nil, "column with several items in a cell, and their separator: 'genres=|'")
	flags.StringArrayVar(&f.same, "same", nil, "two columns that share items: 'to=from'; for opponents: 'player2=-player1'")
	flags.StringSliceVar(&f.classWeights, "class-weight", nil,
		"weight of a class: 'fraud=10' forecasts it as if it came ten times as often")
	flags.StringVar(&f.schema, "schema", "", "file that describes the columns and the target, as --show-schema prints it")
}

// hints returns the description of the columns that the flags give.
func (f *schemaFlags) hints() (schema.Hints, error) {
	h := schema.Hints{Target: f.target, As: schema.TargetKind(f.as), Classes: f.classes, Multi: map[string]string{},
		Same: map[string]string{}, Weights: map[string]float64{}}
	one := func(name string) []string { return slices.Repeat([]string{name}, min(1, len(name))) }
	err := cmp.Or(h.Say(schema.Dropped, f.drop...), h.Say(schema.Kept, f.keep...), h.Say(schema.Category, f.category...),
		h.Say(schema.Number, f.number...), h.Say(schema.Time, f.time...), h.Say(schema.ID, one(f.id)...),
		h.Say(schema.Weight, one(f.weight)...))
	if err != nil {
		return h, err
	}
	for flag, list := range map[string][]string{"multi": f.multi, "same": f.same, "class-weight": f.classWeights} {
		for _, pair := range list {
			name, value, found := strings.Cut(pair, "=")
			if !found || name == "" || value == "" {
				return h, errors.Errorf("--%s is %q; write it as NAME=VALUE", flag, pair)
			}
			switch flag {
			case "multi":
				h.Multi[name] = value
			case "same":
				h.Same[name] = value
			default:
				w, err := strconv.ParseFloat(value, 64)
				if err != nil {
					return h, errors.Errorf("--class-weight is %q; %q is not a number", pair, value)
				}
				h.Weights[name] = w
			}
		}
	}
	return h, nil
}

// modelFlags set the size of the model.
type modelFlags struct {
	memory, interactions string
	forget               float64
	seed                 int64
	ids                  int
}

func (f *modelFlags) add(c *cobra.Command) {
	names := make([]string, 0, len(onepass.AllInteractions()))
	for _, i := range onepass.AllInteractions() {
		names = append(names, string(i))
	}
	c.Flags().StringVar(&f.memory, "memory", "",
		"memory of the model's tables, such as 256K or 4M (default "+terminal.Size(onepass.DefaultMemory)+")")
	c.Flags().StringVar(&f.interactions, "interactions", string(onepass.Auto),
		"how the first of two models learns columns that act together: "+strings.Join(names, ", ")+
			"; auto takes pairs of columns up to 1,000, and fm above")
	c.Flags().Float64Var(&f.forget, "forget", 0, "share of the prior variance that a belief of either model gains when a row uses it; "+
		"0 means the defaults, of which the first depends on the memory")
	c.Flags().Int64Var(&f.seed, "seed", 0, "seed of the hash functions")
	f.addIDs(c)
}

// addIDs adds the number of ids. Feed has it too: rows that repeat an id do not describe the columns.
func (f *modelFlags) addIDs(c *cobra.Command) {
	c.Flags().IntVar(&f.ids, "ids", driver.DefaultIDs,
		"number of the last rows whose ids are kept, to know a row that comes again; 0: none")
}

// set gives settings the size of the model.
func (f *modelFlags) set(s *driver.Settings) (err error) {
	s.Interactions, s.Forget, s.Seed, s.IDs = onepass.Interactions(f.interactions), f.forget, f.seed, cmp.Or(f.ids, driver.NoIDs)
	if f.ids < 0 {
		return errors.Errorf("--ids is %d; give 1 or more, or 0 to keep none", f.ids)
	}
	if f.memory != "" {
		s.Memory, err = parseBytes(f.memory)
	}
	return err
}

// labelFlags say when the labels of rows come.
type labelFlags struct {
	delay, waitingMemory string
	labels               string // a source that brings them
	labelWait            time.Duration
}

func (f *labelFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.delay, "delay", "0",
		"when the label of a row comes: after a number of rows, or after a time such as 2h by the time of the rows")
	c.Flags().StringVar(&f.waitingMemory, "waiting-memory", "", "memory of the rows that wait for their labels; beyond it the oldest are "+
		"dropped (default "+terminal.Size(driver.DefaultWaitingMemory)+")")
}

// check returns an error if a flag has no meaning.
func (f *labelFlags) check() error {
	if rows, after, err := f.late(); err != nil || rows < 0 || after < 0 {
		return errors.Errorf("--delay is %s; give 0 or more rows, or a time such as 2h", f.delay)
	} else if f.labels != "" && rows+int(after) > 0 {
		return errors.New("--labels brings the labels of rows, and --delay takes them from the rows; give one of both")
	}
	if f.labelWait < 0 {
		return errors.Errorf("--label-wait is %v; give a time, such as 2s", f.labelWait)
	}
	return nil
}

// late returns the rows or the time after which labels come.
func (f *labelFlags) late() (rows int, after time.Duration, err error) {
	if rows, err = strconv.Atoi(cmp.Or(f.delay, "0")); err != nil { // `phe feed` has no --delay
		after, err = time.ParseDuration(f.delay)
	}
	return rows, after, err
}

// set gives settings the time of the labels.
func (f *labelFlags) set(s *driver.Settings) (err error) {
	s.Labels = f.labels
	s.Delay, s.After, _ = f.late() // check has seen the error
	if f.waitingMemory != "" {
		s.WaitingMemory, err = parseBytes(f.waitingMemory)
	}
	return err
}

// parseBytes reads a size such as "256K", "4M" or "1000000".
func parseBytes(text string) (int, error) {
	number, unit := strings.TrimSuffix(strings.ToUpper(text), "B"), 1
	number = strings.TrimSuffix(number, "I")
	for i, letter := range "KMG" {
		if n, found := strings.CutSuffix(number, string(letter)); found {
			number, unit = n, 1<<(10*(i+1))
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v*float64(unit) >= 1 && v*float64(unit) <= 1<<40) {
		return 0, errors.Errorf("%q is not a size; write a size such as 256K, 4M or 1G", text)
	}
	return int(v * float64(unit)), nil
}
