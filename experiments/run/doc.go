// Package run runs a spec: it trains every method on every seed, saves checkpoints and writes the result file. Load a spec with package
// spec and give it to [Execute]. A program with a loop of its own takes a model from [NewDevice] or [NewClassifier].
//
// A run has a job for each initial model and some of the seeds. A job trains the model, and then runs each method from it along the
// method's plan: in each step it predicts, scores and learns. The folder of the result holds checkpoints of the jobs.
//
// The order follows a run from its ground up: the folder of its result, the workers with their programs, learners, models, and jobs.
// Files, lowest first: folder memory worker learner model ownmethod job run.
package run
