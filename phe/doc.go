// Package phe implements Probabilistic Hash Embeddings (PHE; AAAI 2026) on GoMLX. It embeds categorical items whose vocabulary
// never stops growing. K universal hashes map an item into one small shared table. The table's entries are Gaussian beliefs,
// which Bayesian online learning updates.
//
// The paper's sections are in these files and packages:
//
//	Sec. 1     Plug-in under a GoMLX model       layer.go, with ids.go: the hash family in the graph; optimizer.go
//	Sec. 3.2   Probabilistic hash embeddings     encoder.go (Fig. 2), table.go, assembly.go, hash/
//	Sec. 3.3   Online learning                   elbo.go (Eqs. 2, 3), gaussian.go (KL),
//	                                             learn/likelihood/; learn/ takes any model along
//	                                             a stream
//	Sec. 3.4   Why Bayesian                      belief/: the exact posterior (Prop. 3.1, Supp. F), and beliefs as
//	                                             numbers on the host
//	(ours)     One pass, in closed form          onepass/
//	Sec. 4.1   Baselines Ada, EE, P-EE           config.go: two choices, {hash, vocabulary} × {posterior, point}
//	Sec. 4.2   Classification                    models/tabular/
//	Sec. 4.3   Sequences, Supp. A (Eqs. 16, 25)  models/dkf/: the deep Kalman filter; count/: forecasts
//	                                             of counts
//	Sec. 4.4   Recommendation                    models/ncf/: neural collaborative filtering;
//	                                             learn/excerpt.go: steps whose cost depends only on
//	                                             the rows they touch
//	Supp. G.1  Fetch schemes one and two         noise.go, encoder.go; linear.go for linear heads
//	Table 4    Memory                            config.go, NumParameters
//
// Shapes are written [samples, batch, columns, dim]. Several repetitions ("runs"), each with its own seed, can train in one
// program. Their tables are then stacked: row b of run r is row r·B+b of one tall table. The batch axis holds the rows of one run
// after the other. The encoder does not see this.
//
// Named options cover the differences between the paper and its authors' program:
//
//   - the loss: [LogAverage] (program) or [Expected] (paper, Eq. 2);
//   - hash arithmetic: [gophe/phe/hash.Authors] (program) or exact [gophe/phe/hash.CarterWegman];
//   - the forecast of a sequence's last count, its objective and its inputs: the options of [gophe/phe/models/dkf.Filter];
//   - the initial log σ: −10 in the program, not given in the paper ([Config].InitialLogStdDev).
package phe
