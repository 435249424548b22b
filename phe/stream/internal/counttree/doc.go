// Package counttree forecasts counts in one pass, from the counts that followed the same items before. It is plain Go.
//
// The order of calls: Fit returns a Config for a size of memory, and New a Forecaster. Item makes the hashes of a Row. Forecast
// returns the distribution of the row's count, and Learn learns the count.
//
// The cells of a count (gophe/phe/count.Cells) are the leaves of one ordered binary tree. At each node a row goes left or right.
// The logit of "left" pools evidence of the row's items, one for each context:
//
//	a = logit(g) + b[v] + Σ_e (W[set, e, bin(n)] + V[v, e]) x_e + Σ_e A[slot(e, v)]
//	x_e = logit((n P + κ g) / (n + κ)) − logit(g)
//
// g is the node's running frequency of "left". n is the number of rows in which context e's item came to node v, and P is the share
// of them that went left. A hashed slot with check bits holds both, so a new item finds no evidence. W says how far to trust an
// amount of evidence, V corrects W for a node, b is the node's bias, and A is a hashed weight of each item. W, V, b and A are
// Gaussian beliefs. Each row conditions them by one linearised step of Bayes' rule, without a learning rate.
//
// Likelihood, distribution function and median need the nodes of two paths, about ten of 94 for 95 cells. No row allocates memory.
//
// The method is the project's own. Hashed, checked and pooled counts come from data compressors (Mahoney, "Adaptive Weighing of
// Context Models for Lossless Data Compression", 2005), and the beliefs from the probit regression of Graepel et al. (ICML 2010).
package counttree
