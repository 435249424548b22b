// Package schema describes the columns and the target of a table. [First] reads the first records, and [Infer] makes a [Schema] of them and
// of the user's [Hints]. [Parse] reads a schema that was written as JSON, and perhaps changed by hand.
//
// The files follow a field: how it becomes a value, how values compare and make a target, and at last what many fields say about a column.
//
// Files, lowest first: times reading condition target schema profile leak infer.
package schema
