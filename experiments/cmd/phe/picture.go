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

// pictures draws figures from the results in one folder into another, and says which files it made.
type pictures struct {
	from, to string
	sigma    float64
	formats  []string // png, svg, pdf
	caption  string   // its place: see captionPlaces
	out      io.Writer
	results  *result.Folder // figures share what was read
}

// draw draws the figure, of other results than its own if any are named.
func (p *pictures) draw(d drawing, specs ...string) error {
	d, err := d.of(specs...)
	if err != nil {
		return err
	}
	files, err := p.resultsOf(d)
	if err != nil {
		return err
	}
	return p.save(d, files)
}

// drawAll draws every picture whose results are there, and says which it leaves out.
func (p *pictures) drawAll(warnings io.Writer) error {
	for _, name := range figureNames() {
		shown := [][]string{nil} // its own results
		for _, spec := range drawings[name].also {
			shown = append(shown, []string{spec})
		}
		for _, specs := range shown {
			d, err := drawings[name].of(specs...)
			if err != nil {
				return err
			}
			files, err := p.resultsOf(d)
			if errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(warnings, "left out %s: %s\n", d.file, err)
				continue
			}
			if err != nil {
				return err
			}
			if err := p.save(d, files); err != nil {
				return err
			}
		}
	}
	return nil
}

// resultsOf finds the figure's results.
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

// read loads a result with its series, once.
func (p *pictures) read(spec string) (*result.File, error) {
	if p.results == nil {
		p.results = result.OpenFolder(p.from)
	}
	return p.results.Load(spec)
}

// save writes the figure of these results in each format.
func (p *pictures) save(d drawing, files []*result.File) error {
	fig, err := d.draw(files, p.sigma)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.to, 0o755); err != nil {
		return errors.Wrap(err, "cannot make the folder for the pictures; choose another with --to")
	}
	if p.caption == captionOut {
		path := filepath.Join(p.to, d.file+".txt")
		if err := result.WriteWhole(path, []byte(fig.Caption+"\n")); err != nil {
			return err
		}
		fmt.Fprintln(p.out, path)
	}
	if p.caption != captionIn {
		fig = fig.WithoutCaption()
	}
	for _, format := range p.formats {
		path := filepath.Join(p.to, d.file+"."+format)
		if err := fig.Save(path); err != nil {
			return err
		}
		fmt.Fprintln(p.out, path)
	}
	return nil
}
