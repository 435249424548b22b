package data

// covertype declares UCI Covertype: which of seven kinds of forest covers a patch of 30 by 30 metres?
//
// The wilderness area and the soil type are one-hot in the file. Each becomes one categorical column, with the authors'
// values A1 … A4 and S1 … S40.
func covertype() declaration {
	d := declaration{
		name:         "covertype",
		source:       "covertype",
		folds:        []fold{{"wilderness_area", "A", 4}, {"soil_type", "S", 40}},
		classes:      []string{"1", "2", "3", "4", "5", "6", "7"},
		incremental:  "wilderness_area",
		completeRows: 581012,
	}
	for _, name := range []string{
		"elevation", "aspect", "slope", "horizontal_distance_to_hydrology", "vertical_distance_to_hydrology",
		"horizontal_distance_to_roadways", "hillshade_9am", "hillshade_noon", "hillshade_3pm", "horizontal_distance_to_fire_points",
	} {
		d.columns = append(d.columns, field{name, numeric})
	}
	for _, f := range d.folds {
		for _, name := range numbered(f.name, f.size) {
			d.columns = append(d.columns, field{name, indicator})
		}
	}
	d.columns = append(d.columns, field{"cover_type", label})
	return d
}

// covertype49999 declares the authors' copy of Covertype: the first 49,999 rows of the file (the first 50,000 lines in an
// editor). They are no random sample: the file's first 15,120 rows have 2,160 of each class.
// Numeric columns are divided by their maxima over these rows only.
func covertype49999() declaration {
	d := covertype()
	d.name, d.firstRows, d.completeRows = "covertype-49999", 49999, 49999
	return d
}
