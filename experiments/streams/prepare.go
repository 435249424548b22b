package streams

import (
	"bufio"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/records"
	"gophe/phe/stream/schema"
)

// Prepared is a stream on disk, in the forms that the contenders read.
type Prepared struct {
	Stream
	Rows    int
	Numeric bool   // the target is a number, not a class
	SHA256  string // hexadecimal, of the table
	Check   string // the beginning of a checksum of all files: results count as long as it is the same
	Columns int    // namespaces of Vowpal Wabbit

	Table  string // CSV, for phe stream
	Inputs string // CSV of the target and the inputs, for river, LightGBM and AdPredictor
	Wabbit string // Vowpal Wabbit's text
	Truth  []float64
}

// Prepare writes a stream's files into a folder. Each stream takes its first rows only, if most is not 0.
func Prepare(s Stream, folder string, most int) (*Prepared, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, errors.Wrap(err, "making the folder for streams; name another with --work")
	}
	file := func(extension string) string { return filepath.Join(folder, s.Name+extension) }
	p := &Prepared{Stream: s, Table: file(".csv"), Inputs: file(".inputs.csv"), Wabbit: file(".vw.txt")}
	if err := s.write(p.Table, most); err != nil {
		return nil, err
	}
	in, err := p.infer()
	if err != nil {
		return nil, err
	}
	p.Numeric = in.schema.Target.Kind != schema.Classes
	if err := p.convert(in); err != nil {
		return nil, err
	}
	p.Rows = len(p.Truth)
	if p.SHA256, err = sum(p.Table); err != nil {
		return nil, err
	}
	p.Check, err = sum(p.Table, p.Inputs, p.Wabbit)
	p.Check = p.Check[:min(12, len(p.Check))]
	return p, err
}

// sum returns the SHA-256 of some files' contents together.
func sum(paths ...string) (string, error) {
	h := sha256.New()
	for _, path := range paths {
		f, err := os.Open(path)
		if err == nil {
			_, err = io.Copy(h, f)
			f.Close()
		}
		if err != nil {
			return "", errors.Wrap(err, "reading a stream")
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// each visits the records that phe stream learns.
func (p *Prepared) each(visit func(record []string) error) error {
	r, keep, err := p.open()
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if keep != nil && !keep(record) {
			continue
		}
		if err := visit(record); err != nil {
			return err
		}
	}
}

// open opens the stream, and returns the test of its condition.
func (p *Prepared) open() (r *records.Reader, keep func([]string) bool, err error) {
	if r, err = records.Open(p.Table, records.Options{}); err != nil {
		return nil, nil, err
	}
	if keep, err = schema.Where(p.Where, r.Columns()); err != nil {
		r.Close()
	}
	return r, keep, err
}

// infer finds out what phe stream takes the columns for.
func (p *Prepared) infer() (*inputs, error) {
	r, keep, err := p.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	sample, err := schema.First(r.Read, keep, schema.Sample)
	if err != nil {
		return nil, err
	}
	h := schema.Hints{Target: p.Target, Kinds: map[string]schema.Kind{}}
	for _, name := range p.Drop {
		h.Kinds[name] = schema.Dropped
	}
	s, err := schema.Infer(r.Columns(), sample, h)
	if err != nil {
		return nil, err
	}
	return newInputs(s), nil
}

// convert writes the stream for the rivals and keeps its targets.
func (p *Prepared) convert(in *inputs) (err error) {
	var files [2]*bufio.Writer
	for i, path := range []string{p.Inputs, p.Wabbit} {
		f, err := os.Create(path)
		if err != nil {
			return errors.Wrap(err, "writing a stream for its rivals")
		}
		defer f.Close()
		files[i] = bufio.NewWriterSize(f, 1<<16)
	}
	table, letters := csv.NewWriter(files[0]), in.namespaces()
	used := map[string]bool{}
	for _, letter := range letters {
		used[letter] = true
	}
	delete(used, "")
	p.Columns = len(used)
	if err := table.Write(append([]string{"y"}, in.names...)); err != nil {
		return errors.Wrap(err, "writing a stream for its rivals")
	}
	row := make([]string, 0, 1+len(in.names))
	err = p.each(func(record []string) error {
		y := in.y(record)
		p.Truth = append(p.Truth, y)
		row = in.read(append(row[:0], strconv.FormatFloat(y, 'g', -1, 64)), record)
		p.wabbitLine(files[1], y, row[1:], letters, in.names)
		return table.Write(row)
	})
	if err != nil {
		return errors.WithMessage(err, "writing a stream for its rivals")
	}
	table.Flush()
	for _, err := range []error{table.Error(), files[0].Flush(), files[1].Flush()} {
		if err != nil {
			return errors.Wrap(err, "writing a stream for its rivals; free some space on the disk")
		}
	}
	return nil
}

// wabbitWords keeps words whole in Vowpal Wabbit's text.
var wabbitWords = strings.NewReplacer(" ", "_", ":", "_", "|", "_")

// wabbitLine writes a row as Vowpal Wabbit reads it. The letter before each item makes it hash numbers as it hashes words.
func (p *Prepared) wabbitLine(out io.StringWriter, y float64, row, letters, names []string) {
	if !p.Numeric {
		y = 2*y - 1
	}
	out.WriteString(strconv.FormatFloat(y, 'g', -1, 64))
	last := ""
	for i, field := range row {
		if letters[i] == "" || field == "" {
			continue
		}
		if letters[i] != last {
			last = letters[i]
			out.WriteString(" |" + last)
		}
		out.WriteString(" " + names[i][:1] + wabbitWords.Replace(field))
	}
	out.WriteString("\n") // bufio keeps an error for Flush
}
