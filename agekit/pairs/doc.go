// Package pairs selects the pairs of nodes that an encoder is trained on, by the rank
// of their similarity (Cui et al., KDD 2020, §3.4.1): the most similar of all n²
// ordered pairs are positive, the least similar ones negative, and [Thresholds] says
// how these fractions change during training. [Select] ranks all pairs exactly, without
// storing an n×n matrix; [SelectSampled] ranks the pairs of some nodes, in time and
// memory that grow as n.
package pairs
