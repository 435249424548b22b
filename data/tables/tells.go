package tables

// Tells returns how well one categorical column tells another one's item: the share of rows that have the most frequent item of those rows
// that share the first column's item. It is 1 where the first column repeats the second. Columns are indices into Categorical; with a
// negative first column it is the share of the most frequent item.
func (t *Table) Tells(column, about int) float64 {
	counts := map[[2]string]int{}
	most := map[string]int{}
	for row, item := range t.Categorical[about].Values {
		given := ""
		if column >= 0 {
			given = t.Categorical[column].Values[row]
		}
		pair := [2]string{given, item}
		counts[pair]++
		most[given] = max(most[given], counts[pair])
	}
	right := 0
	for _, n := range most {
		right += n
	}
	return float64(right) / float64(t.NumRows())
}
