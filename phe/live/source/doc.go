// Package source reads rows in an order that stays: files, a pipe that is sent again, a stream of NATS JetStream.
//
// Whoever reads a source from a position gets the same rows again. So one checkpoint holds a learner and its position: after a kill the
// rows behind the position are read again, and no row before it is. A [Feeder] appends the rows of one source to another, a stream.
//
// The order of the files: what all sources have, files, rows with labels, streams, and the feeder of a stream.
// Files, lowest first: source input fingerprint partition past rotation files file choose labelled messages jetstream openstream status
// packing feeder.
package source
