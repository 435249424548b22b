package ratings

import (
	"slices"
	"testing"

	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

func TestVerdicts(t *testing.T) {
	toyFolder(t, "userId,movieId,rating,timestamp\n1,7,4.0,20\n2,5,3.5,10\n1,9,5.0,30\n")
	r := filetest.Must(Load("ml-latest-small", files.Options{AllowAltered: true}))(t)
	table := r.Verdicts("ml-4")
	want := map[string][]string{"userId": {"2", "1", "1"}, "movieId": {"5", "7", "9"}, "genres": {"Comedy", "Drama|War", "(no genres listed)"}, "year": {"?", "?", "?"}}
	if !slices.Equal(table.Labels, []int32{0, 1, 1}) || table.Categorical[table.Incremental].Name != "movieId" || table.Verified {
		t.Errorf("labels %v, incremental %d, verified %t", table.Labels, table.Incremental, table.Verified)
	}
	for _, c := range table.Categorical {
		filetest.WantEqual(t, c.Values, want[c.Name], "%s", c.Name)
	}
}
