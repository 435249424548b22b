// Package streaming holds the commands for a stream of the user's own: stream, predict, eval, inspect, serve, feed, cluster.
//
// The order is a row's: what all commands use, the flags, the rows of an input, what is shown of a learner, and each command.
//
// Files, lowest first: command flags nats rows show why eval stream store inspect feed predict serve cluster remedies.
package streaming
