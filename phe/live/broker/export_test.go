package broker

// IsWhole is for tests.
var IsWhole = (*Bucket).isWhole
