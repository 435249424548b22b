package learn

import "slices"

// The arguments of the compiled programs are tensors where a program is called, and nodes where its graph is built. Each struct holds both,
// and its method places has their one order.

// arrays are the arrays of a batch.
type arrays[T any] struct {
	buckets T   // [items, rows of an item] int32, the items' rows of E
	columns T   // [items] int32
	weights []T // [items] int32, the items' rows of W: one array with a table W, or none
	index   T   // [events, columns] int32, the events' items
	members T   // [records, length] int32, the records' events; a scalar if a record is one event
	inputs  []T // [events, …], in the order of the network
	targets T   // [events] float32
}

func (a *arrays[T]) places() []*T {
	return slices.Concat([]*T{&a.buckets, &a.columns}, each(a.weights), []*T{&a.index, &a.members}, each(a.inputs), []*T{&a.targets})
}

// minibatches are the records of a loop's steps.
type minibatches[T any] struct {
	order  T // [steps, runs, batch] int32
	masks  T // [steps, batch] float32, 0 where an epoch's last batch is padded
	counts T // [steps] float32, the numbers of records; without them a kernel of each step would add up its mask
}

func (b *minibatches[T]) places() []*T { return []*T{&b.order, &b.masks, &b.counts} }

// loopData are the arguments of a training loop, next to its state. No step changes them.
type loopData[T any] struct {
	numRecords  T // scalar float32
	keys        T // [runs] uint32, of the noise
	first       T // [runs] uint32, the number of the loop's first step for the noise
	firstOfAdam T // scalar int32, and for the initial phase's Adam
	rates       T // [runs] float32, the learning rates
	klWeights   T // [runs] float32
	minibatches[T]
	fixed []T // the parameters that stay
	prior []T // the tables of the prior; none in the initial phase
	arrays[T]
}

func (d *loopData[T]) places() []*T {
	return slices.Concat([]*T{&d.numRecords, &d.keys, &d.first, &d.firstOfAdam, &d.rates, &d.klWeights}, d.minibatches.places(),
		each(d.fixed), each(d.prior), d.arrays.places())
}

// query are the arguments of a prediction of a block of records.
type query[T any] struct {
	parameters []T
	keys       T // [runs] uint32, of the noise
	step       T // scalar uint32, the number of the noise
	records    T // [records] int32
	arrays[T]
}

func (q *query[T]) places() []*T {
	return slices.Concat(each(q.parameters), []*T{&q.keys, &q.step, &q.records}, q.arrays.places())
}

// elboQuery are the arguments of the ELBO of a block of records.
type elboQuery[T any] struct {
	query[T]
	mask      T // [records] float32
	klWeights T // [runs] float32
}

func (q *elboQuery[T]) places() []*T { return append(q.query.places(), &q.mask, &q.klWeights) }

// each returns the places of a list.
func each[T any](list []T) (places []*T) {
	for i := range list {
		places = append(places, &list[i])
	}
	return places
}

// listed returns the arguments at places, for a call.
func listed[T any](places []*T) (list []T) {
	for _, p := range places {
		list = append(list, *p)
	}
	return list
}

// fill puts the arguments of a call at their places.
func fill[T any](places []*T, list []T) {
	for i, p := range places {
		*p = list[i]
	}
}
