package dkf

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/learn"
)

// Uses of a step's noise. [learn.Pass] says that a network's begin at 20.
const (
	noisePosterior uint32 = iota + 20
	noiseTransition
	noiseDropout
)

// The inputs of an event. The count is the target as well, in the form that the likelihood reads.
const (
	numbers = "numbers"
	counts  = "counts"
	times   = "times"
)

// network returns the layers of the filter. Their weights start as PyTorch's do.
func (m *Model) network() learn.Network {
	return learn.Network{Columns: len(m.Config.Columns), Weights: m.weights(), Outputs: m.outputs, Likelihood: m.distribution(),
		Inputs: []learn.InputSpec{{Name: numbers, DType: dtypes.Float32, Dims: []int{m.Numbers}},
			{Name: counts, DType: dtypes.Float32}, {Name: times, DType: dtypes.Int32}},
		Identity: map[string]any{"model": "dkf", "filter": m.Filter, "columns": m.Config.Columns, "numbers": m.Numbers, "length": m.Length,
			"maxima": m.Maxima, "gap_unit": m.GapUnit, "most_gaps": m.MaxGaps, "tick": m.Tick, "cells": m.Cells.Len()}}
}

// layers are the layers of the filter, in the order of their weights.
type layers struct {
	gru                             gru
	posterior, transition, emission perceptron
}

// size is the size of a linear map. fanIn limits the initial weights. In PyTorch's GRU, both maps take the size of the state as
// fanIn.
type size struct{ in, out, fanIn int }

// sizes lists the linear maps, in order.
func (m *Model) sizes() (maps []size) {
	add := func(in, hidden, out int) {
		if hidden > 0 {
			maps = append(maps, size{in, hidden, in})
			in = hidden
		}
		maps = append(maps, size{in, out, in})
	}
	known := len(m.Config.Columns)*m.Encoder.EmbeddingDim + m.Numbers
	if m.Filter.Inputs == Relative {
		known += m.Numbers + 2
	}
	maps = append(maps, size{known + 2, 3 * m.Hidden, m.Hidden}, size{m.Hidden, 3 * m.Hidden, m.Hidden})
	add(m.Hidden, 0, 2*m.Latent)
	before := m.Latent
	if m.Filter.Transition == WithGap {
		before++
	}
	add(before, m.TransitionHidden, 2*m.Latent)
	add(known+m.Latent, m.EmissionHidden, m.distribution().Outputs)
	return maps
}

// weights describes the weights of the maps.
func (m *Model) weights() (weights []learn.Weight) {
	for i, s := range m.sizes() {
		limit, name := 1/math.Sqrt(float64(s.fanIn)), fmt.Sprintf("map %d", i)
		weights = append(weights, learn.Weight{Name: name, Dims: []int{s.in, s.out}, Limit: limit},
			learn.Weight{Name: name + "'s bias", Dims: []int{s.out}, Limit: limit})
	}
	return weights
}

// layers groups the weights into layers.
func (m *Model) layers(weights []*Node) layers {
	next := func() linear { l := linear{weights[0], weights[1]}; weights = weights[2:]; return l }
	layer := func(hidden int) perceptron {
		if hidden > 0 {
			return perceptron{next(), next()}
		}
		return perceptron{next()}
	}
	return layers{gru{next(), next()}, layer(0), layer(m.TransitionHidden), layer(m.EmissionHidden)}
}

// outputs returns the parameters of the counts' distribution. In training it covers the counts that the objective scores, and in a
// prediction the last count of each window.
func (m *Model) outputs(p learn.Pass) learn.Outputs {
	if !p.Training {
		return learn.Outputs{Parameters: m.lawOfLast(p)}
	}
	w, l := m.embed(p, m.read(p)), m.layers(p.Weights)
	if m.Filter.Objective == Predictive {
		later := w.events(1, m.Length)
		q := m.posterior(l, w.events(0, m.Length-1))
		z := q.sample(m.normals(p.Noise, noisePosterior, q.mean))
		next := m.transition(l, z, later.gaps)
		z = next.sample(m.normals(p.Noise, noiseTransition, next.mean))
		return learn.Outputs{Parameters: m.bySample(p, m.emission(l, later, z), m.Length-1), Events: m.Length - 1,
			Targets: Reshape(later.targets, -1), Averaged: true}
	}
	q := m.posterior(l, w)
	z := q.sample(m.normals(p.Noise, noisePosterior, q.mean))
	return learn.Outputs{Parameters: m.bySample(p, m.emission(l, w, z), m.Length), Events: m.Length, Targets: Reshape(w.targets, -1),
		Cost:     ReduceMean(Reshape(ReduceSum(m.divergence(l, w, q, z), 1), p.Runs, -1, p.Records), 1), // over samples
		Averaged: m.Filter.Objective == MeanELBO}
}

// bySample rearranges outputs, [runs, events, samples·rows, outputs], to the likelihood's form, [samples, runs·events·rows,
// outputs].
func (m *Model) bySample(p learn.Pass, outputs *Node, events int) *Node {
	runs, rows := p.Runs, p.Records
	width := outputs.Shape().Dim(-1)
	outputs = Reshape(outputs, runs, events, -1, rows, width)
	samples := outputs.Shape().Dimensions[2]
	return Reshape(TransposeAllAxes(outputs, 2, 0, 1, 3, 4), samples, runs*events*rows, width)
}

// lawOfLast returns the outputs for each window's last count under every sample, [samples, runs·rows, outputs].
func (m *Model) lawOfLast(p learn.Pass) *Node {
	w, l := m.read(p), m.layers(p.Weights)
	var last windows
	var z *Node
	if m.Prediction == Reconstruction {
		w = m.embed(p, w)
		last = w.events(m.Length-1, m.Length)
		q := m.posterior(l, w).at(m.Length - 1)
		z = q.sample(m.normals(p.Noise, noisePosterior, q.mean))
	} else {
		history := p
		history.Samples = m.historySamples()
		past := m.embed(history, w.events(0, m.Length-1))
		again := p
		again.Noise = p.Noise.At(Const(p.Index.Graph(), uint32(1)))
		last = m.embed(again, w.events(m.Length-1, m.Length))
		q := m.posterior(l, past).at(m.Length - 2).repeat(m.TestSamples / m.historySamples())
		next := m.transition(l, q.sample(m.normals(p.Noise, noisePosterior, q.mean)), last.gaps)
		z = next.sample(m.normals(p.Noise, noiseTransition, next.mean))
	}
	return m.bySample(p, m.emission(l, last, z), 1)
}

// historySamples returns the number of draws of the earlier events' embeddings. A point estimate has one.
func (m *Model) historySamples() int {
	if m.Encoder.Estimate == phe.Point {
		return 1
	}
	return cmp.Or(m.HistorySamples, m.TestSamples)
}
