// Package learn takes a model along a stream (Sec. 3.3). [Learner.Fit] learns the posterior of the tables and the network's θ from
// initial data. Then predictions and updates alternate, and each update takes the last posterior as its prior. Records may hold any
// items, also unknown ones.
//
// The order of calls: a model's Encode, or NewBatch, returns a [Batch]. [New] returns a Learner. Call Fit on the initial data and
// Settle at its end. Then call Predict and Update for each batch of the stream. WriteTo and ReadFrom save and load the learner.
//
// A [Network] says how a model computes, and an [Updater] how it learns online. Package tabular has the classifier, dkf the deep
// Kalman filter, and ncf the recommender.
//
// The files follow a learner: its settings and its data, the graphs and the programs that it compiles, the data of a call, and the calls.
// Files, lowest first: config hyperparameters network batch arguments graph updater converge program resident programs excerpt steps pin
// learner snapshot checkpoint grow predict fit update.
package learn
