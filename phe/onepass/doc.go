// Package onepass learns a linear head over hash embeddings in one pass. Every number is a Gaussian belief, and each row conditions
// the beliefs it touches in closed form. There is no learning rate and no initial phase. Config.Seed draws the initial means, and the
// update draws nothing. It is the project's own contribution; docs/one-pass.md derives it from Eq. 3 of the paper.
//
// The order of calls: Stream or Paper returns a Config, New a Model and NewEncoder an Encoder. For each record, call Encoder.Item or
// Encoder.Number for its values, and then Encoder.Row. Model.Predict forecasts the row, and Model.Update learns its target. Paper is the
// preset that learns the paper's model. Stream is the preset for a stream of your own.
//
// A row's logits are linear in each factor, η = Σ_c θ_cᵀ Σ_k w_k E[h_k(c)] + βᵀ(x, 1). Under the beliefs they have a mean μ and a
// covariance Q. The label gives the log evidence a gradient a and a curvature M by the logits: it pulls the logits by a, and holds
// them with stiffness M. An entry with gradient g and variance v then moves by v·gᵀa, and its variance shrinks by v²·gᵀMg.
//
// Files, lowest first: inputs config stream head row pairs encoder softmax beliefs codec table covariance block embedding joint weights
// factors evidence target gains model forecast update save explain reset rescale. The order follows a row: the configuration, what makes
// the row, the parts that read it, and then what a model does with it.
package onepass
