package records

// Position says how far a file is read. The zero Position is the first record.
type Position struct {
	Record int64 `json:"record"` // number of records before the position, bad records included
	Offset int64 `json:"offset"` // number of bytes of the uncompressed text before it; for Parquet the same as Record
	Line   int64 `json:"line"`   // number of lines of the text before it; 0 for Parquet
}
