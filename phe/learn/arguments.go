package learn

import (
	"reflect"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// The arguments of a compiled program are tensors where it is called, and nodes where its graph is built. Structs hold both. Their fields
// stand in the order of the arguments, and [listed] and [fill] follow it.

// arrays are the arrays of a batch.
type arrays[T any] struct {
	Buckets T   // [items, rows of an item] int32, the items' rows of E
	Columns T   // [items] int32
	Weights []T // [items] int32, the items' rows of W: one array with a table W, or none
	Index   T   // [events, columns] int32, the events' items
	Members T   // [records, length] int32, the records' events; a scalar if a record is one event
	Inputs  []T // [events, …], in the order of the network
	Targets T   // [events] float32
}

// minibatches are the records of a loop's steps.
type minibatches[T any] struct {
	Order  T // [steps, runs, batch] int32
	Masks  T // [steps, batch] float32, 0 where an epoch's last batch is padded
	Counts T // [steps] float32, the numbers of records; without them a kernel of each step would add up its mask
}

// loopData are the arguments of a training loop next to its state. No step changes them.
type loopData[T any] struct {
	NumRecords     T   // scalar float32
	Keys           T   // [runs] uint32, of the noise
	First          T   // [runs] uint32, the number of the loop's first step for the noise
	FirstOfAdam    T   // scalar int32, and for the initial phase's Adam
	Rates          T   // [runs] float32, the learning rates
	KLWeights      T   // [runs] float32
	minibatches[T]     // of the steps
	Fixed          []T // the parameters that stay
	Prior          []T // the tables of the prior; none in the initial phase
	arrays[T]
}

// query are the arguments of a prediction of a block of records, and of its ELBO.
type query[T any] struct {
	Parameters []T
	Keys       T   // [runs] uint32, of the noise
	Step       T   // scalar uint32, the number of the noise
	Records    T   // [records] int32
	Mask       []T // [records] float32, 0 at padding: one array for an ELBO, or none
	arrays[T]
}

// listed returns the arguments of a call, from a pointer to their struct.
func listed(of any) (args []*tensors.Tensor) {
	for _, place := range places[*tensors.Tensor](reflect.ValueOf(of).Elem()) {
		args = append(args, *place)
	}
	return args
}

// fill puts a graph's arguments into their struct, whose lists have their lengths.
func fill(of any, args []*Node) {
	for i, place := range places[*Node](reflect.ValueOf(of).Elem()) {
		*place = args[i]
	}
}

// places returns the places of arguments: the fields of a struct, in their order, or the entries of a list.
func places[T any](v reflect.Value) (all []*T) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, places[T](v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, places[T](v.Index(i))...)
		}
	default:
		all = append(all, v.Addr().Interface().(*T))
	}
	return all
}
