// Package cluster lets many machines hold one belief. It keeps the logs of a [fold.State] on NATS JetStream: the rows, in chunks,
// and the contributions that learners learned from the chunks. The belief is a function of the log of contributions alone, so every
// machine that folds the log has the same belief to the last bit.
//
// A program calls [Connect] and takes one or more of four roles:
//
//   - A feeder creates the belief ([Log.Create]) and appends chunks of rows ([Log.Feed]). Chunk k is message k of the log, so a feeder
//     that starts again continues exactly.
//   - A follower folds the contributions ([Log.Follow]). It answers questions about the belief ([Follower.Read]).
//   - A learner takes a chunk, learns it from its follower's belief, and publishes the contribution ([Follower.Learn]). One learner works
//     at a time, and the others wait.
//   - A keeper stores checkpoints of its follower's state ([Follower.Keep]), so that a new follower need not read the whole log.
//
// [Log.Verify] proves that the belief has each row once. The ledger inside the state makes a second count impossible. Acknowledgements,
// message ids and checkpoints save time, and the belief never depends on them. The rule that folds the log is [fold.State.Fold]; this
// package only moves bytes.
//
// A [Server] runs NATS inside this process, so nothing need be installed.
package cluster
