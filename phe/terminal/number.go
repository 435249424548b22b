package terminal

import "gophe/phe/internal/text"

// Grouped writes a number with commas.
func Grouped(n int64) string { return text.Grouped(n) }

// Counted writes a number of things, such as "1 row" or "1,000 rows".
func Counted[N int | int64 | uint64](n N, thing string) string { return text.Counted(n, thing) }

// Size writes a number of bytes as --memory takes it: "256K", "3M", "1G", or the number alone if no unit divides it.
func Size(bytes int) string { return text.Size(bytes) }
