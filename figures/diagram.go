package figures

import _ "embed"

// Figure2 and Figure4 are the SVGs of Fig. 2, how an item becomes an embedding, and of Fig. 4, the deep Kalman filter of
// sequences. They show no result, and their captions are part of the pictures. A program drew them; its last version is in
// commit a3a629c. Figure 2 has other measures since, so that its letters can be read on a telephone.
var (
	//go:embed out/fig02-encoder.svg
	Figure2 string
	//go:embed out/fig04-sequence-model.svg
	Figure4 string
)
