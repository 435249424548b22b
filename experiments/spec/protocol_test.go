package spec

import (
	"testing"
)

// Errors of a protocol point to its field, or to the protocol where the field is missing. Lines and columns are counted in valid.
func TestProtocolErrorsInSpec(t *testing.T) {
	for _, c := range []brokenSpec{
		{"field missing", valid, "\n    \"initial_fraction\": 0.3,", "", "6:3", []string{"initial_fraction is missing or 0", `"online"`}},
		{"field 0", valid, "0.3", "0", "8:5", []string{"initial_fraction is missing or 0", `"online"`}},
		{"last field missing", valid, ",\n    \"chunk_rows\": 100", "", "6:3", []string{"chunk_rows is missing or 0", `"online"`}},
		{"field of another protocol", valid, `"chunk_rows": 100`, `"chunk_rows": 100, "groups": 5`, "10:24", []string{"groups does not belong", "leave it out"}},
		{"cut of another protocol", valid, `"chunk_rows": 100`, `"cut": "stratified", "chunk_rows": 100`, "10:5", []string{"cut does not belong", "leave it out"}},
		{"cut of another protocol, wrong too", valid, `"chunk_rows": 100`, `"cut": "half", "chunk_rows": 100`, "10:5", []string{`"half"`, `"stratified"`}},
		{"too few groups", valid, `"chunk_rows": 100`, `"chunk_rows": 100, "groups": 1`, "10:24", []string{"groups is 1", "at least 2"}},
		{"online spec as group", valid, `"name": "online"`, `"name": "group"`, "8:5", []string{"initial_fraction does not belong", `"group"`}},
		{"tests of the online stream", valid, `"chunk_rows": 100`, `"chunk_rows": 100, "max_test_rows": 3`, "10:24", []string{"max_test_rows does not belong"}},
		{"arrival", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 15, "arrival": "later"`, "36:84", []string{`arrival is "later"`, `"shuffled"`, "leave it out"}},
		{"replay as text", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 15, "replay": "yes"`, "36:94", []string{"replay", "string"}},
		{"learning rate of a method", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 15, "update_learning_rate": -1`, "36:84", []string{"update_learning_rate is -1"}},
		{"scope of a method", valid, `"point", "update_epochs": 15`, `"point", "update_epochs": 15, "scope": "head"`, "36:84", []string{`scope is "head"`}},
		{"B of a method", valid, `"posterior", "update_epochs": 15`, `"posterior", "update_epochs": 15, "num_buckets": 1`, "35:83", []string{"num_buckets (B) is 1"}},
	} {
		c.isRefused(t)
	}
}
