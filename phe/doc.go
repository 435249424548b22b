// Package phe implements Probabilistic Hash Embeddings (PHE; AAAI 2026) on GoMLX: categorical items with a vocabulary
// that never stops growing are embedded by K universal hashes into one small shared table, whose entries are Gaussian
// beliefs updated by Bayesian online learning.
//
// Where to find what:
//
//	Sec. 1     Plug-in under a GoMLX model       layer.go; optimizer.go clears the model's optimiser
//	Sec. 3.2   Probabilistic hash embeddings     encoder.go (Fig. 2), table.go, assembly.go, hash/
//	Sec. 3.3   Online learning                   elbo.go (Eqs. 2, 3), gaussian.go (KL), online.go, adam.go, likelihood/; learn/ takes
//	                                             any model along a stream of records; backend/ compiles its steps
//	Sec. 3.4   Why Bayesian                      belief/: the exact posterior (Prop. 3.1, Supp. F), and beliefs as
//	                                             numbers on the host
//	(ours)     One pass, in closed form          onepass/
//	Sec. 4.1   Baselines Ada, EE, P-EE           config.go: two choices, {hash, vocabulary} × {posterior, point}
//	Sec. 4.2   Classification                    tabular/
//	Sec. 4.3   Sequences, Supp. A (Eqs. 16, 25)  dkf/: the deep Kalman filter; count/: forecasts of counts
//	Sec. 4.4   Recommendation                    ncf/: neural collaborative filtering; learn/excerpt.go: steps that cost what they
//	                                             touch
//	Supp. E.1  Fetch schemes one and two         scheme.go, encoder.go; and for linear heads linear.go
//	Table 4    Memory                            config.go, NumParameters
//
// Shapes are written [samples, batch, columns, dim]. Where several repetitions ("runs", one a seed) train in one
// program, their tables are stacked: run r's row b is row r·B+b of one tall table, and the batch axis holds the runs'
// rows one run after the other. The encoder needs to know no more of it.
//
// Where the paper and its authors' program differ, both are named options:
//
//   - the loss: [LogAverage] (program) or [Expected] (paper, Eq. 2);
//   - hash arithmetic: [gophe/phe/hash.Authors] or exact [gophe/phe/hash.CarterWegman];
//   - what forecasts a sequence's last count, and its objective and inputs: the options of [gophe/phe/dkf.Filter];
//   - the start of log σ: −10 in the program, unsaid in the paper ([Config].InitialLogStdDev).
package phe
