package uci

import "strings"

// Tables returns the declarations of the data sets whose rows have labels.
func Tables() []Declaration {
	return []Declaration{Adult(), Bank(), Mushroom(), Mushroom8124(), Covertype(), Covertype49999(), Adult48842()}
}

// fields returns the columns of a header. A name without a kind is categorical.
func fields(header string, kinds map[string]Kind) (columns []Field) {
	for _, name := range strings.Fields(header) {
		columns = append(columns, Field{Name: name, Kind: kinds[name]})
	}
	return columns
}

// Adult declares UCI Adult (Census Income): does a person earn more than 50,000 dollars a year?
//
// The authors drop rows with a missing value. 45,222 of the file's 48,842 rows remain, although the paper's text says 48,842.
func Adult() Declaration {
	return Declaration{
		Name: "adult", Source: "adult", CompleteRows: 45222, Missing: "?",
		Columns: fields("age workclass fnlwgt education education-num marital-status occupation relationship race sex "+
			"capital-gain capital-loss hours-per-week native-country income",
			map[string]Kind{"age": numeric, "fnlwgt": numeric, "education-num": numeric, "capital-gain": numeric, "capital-loss": numeric,
				"hours-per-week": numeric, "income": label}),
		Classes: []string{"<=50K", ">50K"}, Incremental: "education",
	}
}

// Adult48842 declares all rows of Adult, as the paper's text counts them. "?" is an item like any other.
func Adult48842() Declaration {
	d := Adult()
	d.Name, d.CompleteRows, d.Missing = "adult-48842", 48842, ""
	return d
}

// Bank declares UCI Bank Marketing (bank-full.csv): does a client whom a Portuguese bank calls take out a deposit?
//
// Nothing is missing: "unknown" is an item like any other, as in the authors' code. The incremental column is the
// outcome of the previous campaign, which is unknown in 82 % of the rows. A balance may be negative. pdays is −1 for a client who was
// never called before.
func Bank() Declaration {
	return Declaration{
		Name: "bank", Source: "bank", CompleteRows: 45211,
		Columns: fields("age job marital education default balance housing loan contact day month duration campaign pdays previous "+
			"poutcome y",
			map[string]Kind{"age": numeric, "balance": numeric, "day": numeric, "duration": numeric, "campaign": numeric, "pdays": numeric,
				"previous": numeric, "y": label}),
		Classes: []string{"no", "yes"}, Incremental: "poutcome",
	}
}

// Mushroom declares the authors' variant of UCI Mushroom: may the mushroom be eaten? It has 8,416 rows and whole words as values.
// The paper's text says 8,124 rows, the size of Mushroom8124. The paper's experiments use only the odor: see tables.Table.Select.
//
// No row is dropped: "?", the value of stalk_root in 2,480 rows, is an item like any other.
func Mushroom() Declaration {
	return Declaration{
		Name: "mushroom", Source: "mushroom", CompleteRows: 8416,
		Columns: fields("label cap_shape cap_surface cap_color bruises odor gill_attachment gill_spacing gill_size gill_color "+
			"stalk_shape stalk_root stalk_surface_above_ring stalk_surface_below_ring stalk_color_above_ring stalk_color_below_ring "+
			"veil_type veil_color ring_number ring_type spore_print_color population habitat", map[string]Kind{"label": label}),
		Classes: []string{"EDIBLE", "POISONOUS"}, Incremental: "odor",
	}
}

// Mushroom8124 declares UCI's main file. It has other rows than Mushroom, and letters as values.
func Mushroom8124() Declaration {
	d := Mushroom()
	d.Name, d.Source, d.CompleteRows, d.Classes = "mushroom-8124", "mushroom-8124", 8124, []string{"e", "p"}
	return d
}

// Covertype declares UCI Covertype: which of seven kinds of forest covers a patch of 30 by 30 metres?
//
// The wilderness area and the soil type are one-hot in the file. Each becomes one categorical column, with the authors'
// values A1 … A4 and S1 … S40.
func Covertype() Declaration {
	d := Declaration{
		Name: "covertype", Source: "covertype", CompleteRows: 581012,
		Columns: fields("elevation aspect slope horizontal_distance_to_hydrology vertical_distance_to_hydrology "+
			"horizontal_distance_to_roadways hillshade_9am hillshade_noon hillshade_3pm horizontal_distance_to_fire_points", nil),
		Classes: []string{"1", "2", "3", "4", "5", "6", "7"}, Incremental: "wilderness_area",
	}
	for i := range d.Columns {
		d.Columns[i].Kind = numeric
	}
	d.Columns = append(d.Columns, Field{"wilderness_area", oneHot, "A", 4}, Field{"soil_type", oneHot, "S", 40},
		Field{Name: "cover_type", Kind: label})
	return d
}

// Covertype49999 declares the authors' copy of Covertype: the first 49,999 rows of the file (the first 50,000 lines in an
// editor). They are no random sample: the file's first 15,120 rows have 2,160 of each class.
// Numeric columns are divided by their maxima over these rows only.
func Covertype49999() Declaration {
	d := Covertype()
	d.Name, d.FirstRows, d.CompleteRows = "covertype-49999", 49999, 49999
	return d
}

// Retail declares UCI Online Retail: what quantity will a line of an invoice sell, given the product's earlier sales?
//
// Lines that sell nothing (returns, corrections) are dropped. The authors do so, and the paper says it of cancellations.
// 531,285 of 541,909 lines remain. A quarter of them name no customer, and the missing customer is an item like any other. Two prices
// are negative: debts written off.
func Retail() Declaration {
	return Declaration{
		Name: "retail", Source: "retail", CompleteRows: 531285, Positive: "Quantity",
		Columns: fields("InvoiceNo StockCode Description Quantity InvoiceDate UnitPrice CustomerID Country",
			map[string]Kind{"InvoiceNo": ignored, "Description": ignored, "Quantity": count, "InvoiceDate": moment, "UnitPrice": numeric,
				"CustomerID": optional}),
		Incremental: "StockCode",
	}
}
