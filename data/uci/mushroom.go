package uci

// mushroom declares the authors' variant of UCI Mushroom: may the mushroom be eaten? It has 8,416 rows and whole words as values.
// The paper's text says 8,124 rows, the size of mushroom8124. The paper's experiments use only the odor: see tables.Table.Select.
//
// No row is dropped: "?", the value of stalk_root in 2,480 rows, is an item like any other.
func mushroom() Declaration {
	return Declaration{
		Name:         "mushroom",
		Source:       "mushroom",
		Columns:      mushroomColumns(),
		Classes:      []string{"EDIBLE", "POISONOUS"},
		Incremental:  "odor",
		CompleteRows: 8416,
	}
}

// mushroom8124 declares UCI's main file. It has other rows than mushroom, and letters as values.
func mushroom8124() Declaration {
	return Declaration{
		Name:         "mushroom-8124",
		Source:       "mushroom-8124",
		Columns:      mushroomColumns(),
		Classes:      []string{"e", "p"},
		Incremental:  "odor",
		CompleteRows: 8124,
	}
}

func mushroomColumns() []Field {
	columns := []Field{{"label", Label}}
	for _, name := range []string{
		"cap_shape", "cap_surface", "cap_color", "bruises", "odor", "gill_attachment", "gill_spacing", "gill_size", "gill_color",
		"stalk_shape", "stalk_root", "stalk_surface_above_ring", "stalk_surface_below_ring", "stalk_color_above_ring",
		"stalk_color_below_ring", "veil_type", "veil_color", "ring_number", "ring_type", "spore_print_color", "population", "habitat",
	} {
		columns = append(columns, Field{name, Categorical})
	}
	return columns
}
