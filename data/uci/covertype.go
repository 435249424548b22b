package uci

// covertype declares UCI Covertype: which of seven kinds of forest covers a patch of 30 by 30 metres?
//
// The wilderness area and the soil type are one-hot in the file. Each becomes one categorical column, with the authors'
// values A1 … A4 and S1 … S40.
func covertype() Declaration {
	d := Declaration{
		Name:         "covertype",
		Source:       "covertype",
		Folds:        []Fold{{"wilderness_area", "A", 4}, {"soil_type", "S", 40}},
		Classes:      []string{"1", "2", "3", "4", "5", "6", "7"},
		Incremental:  "wilderness_area",
		CompleteRows: 581012,
	}
	for _, name := range []string{
		"elevation", "aspect", "slope", "horizontal_distance_to_hydrology", "vertical_distance_to_hydrology",
		"horizontal_distance_to_roadways", "hillshade_9am", "hillshade_noon", "hillshade_3pm", "horizontal_distance_to_fire_points",
	} {
		d.Columns = append(d.Columns, Field{name, Numeric})
	}
	for _, f := range d.Folds {
		for _, name := range numbered(f.Name, f.Size) {
			d.Columns = append(d.Columns, Field{name, Indicator})
		}
	}
	d.Columns = append(d.Columns, Field{"cover_type", Label})
	return d
}

// covertype49999 declares the authors' copy of Covertype: the first 49,999 rows of the file (the first 50,000 lines in an
// editor). They are no random sample: the file's first 15,120 rows have 2,160 of each class.
// Numeric columns are divided by their maxima over these rows only.
func covertype49999() Declaration {
	d := covertype()
	d.Name, d.FirstRows, d.CompleteRows = "covertype-49999", 49999, 49999
	return d
}
