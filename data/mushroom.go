package data

// mushroom declares UCI Mushroom as the authors have it: 8,416 rows, values spelled out. (The paper's text says 8,124
// rows, which is mushroom8124.) May the mushroom be eaten? The paper's experiments use the odor only: see Table.Select.
//
// "?", which stands in 2,480 rows of stalk_root, is an item like any other; no row is dropped.
func mushroom() declaration {
	return declaration{
		name:         "mushroom",
		source:       "mushroom",
		columns:      mushroomColumns(),
		classes:      []string{"EDIBLE", "POISONOUS"},
		incremental:  "odor",
		completeRows: 8416,
	}
}

// mushroom8124 declares UCI's main file: other rows than mushroom's, values by one-letter codes.
func mushroom8124() declaration {
	return declaration{
		name:         "mushroom-8124",
		source:       "mushroom-8124",
		columns:      mushroomColumns(),
		classes:      []string{"e", "p"},
		incremental:  "odor",
		completeRows: 8124,
	}
}

func mushroomColumns() []column {
	columns := []column{{"label", label}}
	for _, name := range []string{
		"cap_shape", "cap_surface", "cap_color", "bruises", "odor", "gill_attachment", "gill_spacing", "gill_size", "gill_color",
		"stalk_shape", "stalk_root", "stalk_surface_above_ring", "stalk_surface_below_ring", "stalk_color_above_ring",
		"stalk_color_below_ring", "veil_type", "veil_color", "ring_number", "ring_type", "spore_print_color", "population", "habitat",
	} {
		columns = append(columns, column{name, categorical})
	}
	return columns
}
