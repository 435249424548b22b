// Package records reads a table from a file or a pipe, record by record, in fixed memory. It reads CSV, JSON lines and
// Parquet, and detects the format, the separator and the header from the content. It decompresses gzip and zstd.
//
// A program that learns from a file saves the Position after the records that it has learned. After a crash it continues there
// with Seek.
//
// All fields are text. The package does not convert text or numbers, because a category such as 01234 must keep its zero. It
// writes other values as follows:
//
//   - A null, and a field that a record does not have, is "".
//   - A list is its elements with a bar between them, such as red|new.
//   - A JSON object inside a record gives a column for each of its fields, such as item.shop.id, at every depth up to 64 levels. So does
//     one in a cell of CSV, or in a text of JSON or Parquet. A list of objects gives a list for each field. If a name has an object in
//     some records and other values in others, it is a column beside those of the object. Null in place of an object is all of its
//     fields missing.
//   - A Parquet column inside groups has the names of all its groups, such as item.shop.id. Timestamps follow RFC 3339 in UTC,
//     dates are 2024-01-31, and byte arrays of a fixed length are hexadecimal. An INTERVAL is an error.
//
// CSV follows RFC 4180 as package encoding/csv reads it. The bytes of a field may have any encoding in which ASCII is ASCII. A line
// of JSON that is not UTF-8 is a bad record.
//
// The order of the files is the way of a table: its form and faults, its bytes and lines, each format, and what all formats have.
// Files, lowest first: options recorderror source text header detect csv jsonobject jsonlines parquetsizes parquetpages
// parquetcolumn parquet cells records frame decoder encode.
package records
