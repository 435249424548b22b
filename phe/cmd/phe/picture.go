package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pkg/errors"

	"gophe/experiments/result"
)

// pictures draws figures from the results of one folder into another folder. It prints the name of each file.
type pictures struct {
	from, to string
	sigma    float64
	out      io.Writer
	results  *result.Folder // a cache: figures share results
}

// missing is the error of a figure that `figure all` leaves out.
type missing struct {
	error
	file string // of the picture
}

// draw draws a figure. If specs are named, it shows their results in place of its own.
func (p *pictures) draw(d drawing, specs ...string) error {
	d, err := d.of(specs...)
	if err != nil {
		return err
	}
	if d.svg != "" {
		return p.write(d.file, []byte(d.svg))
	}
	files, err := p.resultsOf(d)
	if errors.Is(err, fs.ErrNotExist) {
		return missing{err, d.file}
	}
	if err != nil {
		return err
	}
	fig, err := d.draw(files, p.sigma)
	if err != nil {
		return errors.WithMessage(err, d.file)
	}
	content, err := fig.SVG()
	if err != nil {
		return errors.Wrapf(err, "cannot draw %s", d.file)
	}
	return p.write(d.file, content)
}

// drawAll draws every picture whose results exist, and names the pictures that it leaves out.
func (p *pictures) drawAll(warnings io.Writer) error {
	for _, name := range figureNames() {
		shown := [][]string{nil} // its own results
		for _, spec := range drawings[name].also {
			shown = append(shown, []string{spec})
		}
		for _, specs := range shown {
			err := p.draw(drawings[name], specs...)
			var absent missing
			if errors.As(err, &absent) {
				fmt.Fprintf(warnings, "left out %s: %s\n", absent.file, err)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// resultsOf returns the figure's results.
func (p *pictures) resultsOf(d drawing) (files []*result.File, err error) {
	for _, spec := range d.specs {
		f, err := p.read(spec)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for _, alternatives := range d.beside {
		for _, spec := range alternatives {
			f, err := p.read(spec)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			files = append(files, f)
			break
		}
	}
	return files, nil
}

// read returns a result with its series. It loads each result once.
func (p *pictures) read(spec string) (*result.File, error) {
	if p.results == nil {
		p.results = result.OpenFolder(p.from)
	}
	return p.results.Load(spec)
}

// write saves an SVG in the folder for the pictures, and prints its path.
func (p *pictures) write(name string, svg []byte) error {
	if err := os.MkdirAll(p.to, 0o755); err != nil {
		return errors.Wrap(err, "cannot make the folder for the pictures; choose another with --to")
	}
	path := filepath.Join(p.to, name+".svg")
	if err := result.WriteWhole(path, svg); err != nil {
		return err
	}
	fmt.Fprintln(p.out, path)
	return nil
}
