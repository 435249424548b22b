package protocol

// Conventions: whose choice is taken where paper and program part (PROTOCOL: "Disagreements").
const (
	Authors = "authors"
	Paper   = "paper"
)
