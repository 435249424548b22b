// Package cluster lets many machines hold one belief. It keeps the logs of a [belief.State] on NATS JetStream: the rows, in chunks,
// and the contributions that learners learned from the chunks. The belief is a function of the log of contributions alone, so every
// machine that folds the log has the same belief to the last bit.
//
// A program takes one or more of four roles:
//
//   - A feeder appends chunks of rows ([Log.Feed]). Chunk k is message k of the log, so a feeder that starts again goes on exactly.
//   - A follower folds the contributions ([Log.Follow]). It answers questions about the belief.
//   - A learner takes a chunk, learns it from its follower's belief, and publishes the contribution ([newLearner]). One works at a time,
//     and others stand by.
//   - A keeper stores checkpoints ([newKeeper]), so that a new follower need not read the whole log.
//
// The ledger inside the state makes a second count impossible. Acknowledgements, message ids and checkpoints save time, and the
// belief never depends on them. The rule that folds the log is [belief.State.Fold]; this package only moves bytes.
//
// A [Server] runs NATS inside this process, so nothing need be installed. [Connect] takes the URLs of servers that exist already.
package cluster
