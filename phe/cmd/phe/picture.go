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

// pictures draws figures of results into a folder. It prints the name of each file.
type pictures struct {
	results *result.Folder
	to      string
	sigma   float64
	out     io.Writer
}

// draw draws a figure.
func (p pictures) draw(d drawing) error {
	if d.svg != "" {
		return p.write(d.file, []byte(d.svg))
	}
	files, err := p.resultsOf(d)
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
func (p pictures) drawAll(warnings io.Writer) error {
	for _, name := range figureNames() {
		shown := append([][]string{nil}, oneEach(drawings[name].also...)...) // nil is its own results
		for _, specs := range shown {
			d, err := drawings[name].of(specs...)
			if err == nil {
				err = p.draw(d)
			}
			if errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(warnings, "left out %s: %s\n", d.file, err)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// resultsOf returns the figure's results, with their series.
func (p pictures) resultsOf(d drawing) (files []*result.File, err error) {
	for i, alternatives := range append(oneEach(d.specs...), d.beside...) {
		for _, spec := range alternatives {
			f, err := p.results.Load(spec)
			if err == nil {
				files = append(files, f)
				break
			}
			if i < len(d.specs) || !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	return files, nil
}

// write saves an SVG in the folder for the pictures, and prints its path.
func (p pictures) write(name string, svg []byte) error {
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
