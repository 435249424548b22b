// Package data opens the paper's data sets by name, and exports them as CSV. The packages below it hold the data sets:
//
//   - tables: labelled rows, such as Adult, and their streams for online and continual learning; a table with a known truth
//   - sales: Online Retail, in windows of consecutive sales
//   - ratings: MovieLens; ratings/synth generates streams of the same form
//   - records: records of a user's own CSV, JSON lines or Parquet file
//
// Each also takes a gota DataFrame of its file: uci.Declaration.Open and LoadOptions are for dataframe.ReadCSV, and OfFrame of tables,
// sales and ratings hands the frame over.
//
// They rest on uci (the declared files and their rows), files (finding and verifying), cuts (the authors' draws) and
// column (columns and numbered items).
package data
