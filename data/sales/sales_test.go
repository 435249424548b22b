package sales

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gophe/data/column"
	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/data/uci"
	"gophe/phe/disk/filetest"
)

var onceSales = sync.OnceValues(func() (*Sales, error) { return Load(files.Options{}) })

// loadedSales returns the sales of the committed file, read once for all tests: do not alter them.
func loadedSales(t testing.TB) *Sales {
	t.Helper()
	t.Setenv(files.PathVariable, "")
	return filetest.Must(onceSales())(t)
}

const retailHeader = "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n"

// toySales returns sales of products with letters as names, one row a letter. A product's n-th sale, counted from 0, is on day n.
func toySales(products string) *Sales {
	s := &Sales{Name: "toy", Categorical: []column.Categorical{{Name: "StockCode"}}}
	for i, code := range strings.Split(products, "") {
		s.Categorical[0].Values = append(s.Categorical[0].Values, code)
		s.Prices = append(s.Prices, 1)
		s.Quantities = append(s.Quantities, int32(i+1))
		s.Minutes = append(s.Minutes, int32(minutesPerDay*strings.Count(products[:i], code)))
	}
	return s
}

func parseRetail(content string) (*Sales, error) {
	return parse(uci.Retail(), "retail.csv", strings.NewReader(content))
}

func TestLoad(t *testing.T) {
	s := loadedSales(t)
	filetest.True(t, s.Name == "retail" && s.Verified, "%s: verified %v", s.Name, s.Verified)
	filetest.Want(t, filepath.Base(s.Path), "retail.csv.zst", "file")
	filetest.Want(t, s.NumRows(), 531285, "rows")
	filetest.Want(t, s.Incremental, 0, "incremental column")
	filetest.Want(t, s.Categorical[0].Values[0], "10002", "first product")
	for i, want := range []struct {
		name  string
		items int
	}{{"StockCode", 3941}, {"CustomerID", 4340}, {"Country", 38}} { // with the missing customer; package report relies on the numbers
		column := s.Categorical[i]
		filetest.Want(t, column.Name, want.name, "column %d", i)
		sizes := [2]int{len(datatest.Counts(column.Values)), len(column.Values)}
		filetest.Want(t, sizes, [2]int{want.items, s.NumRows()}, "column %q: items and rows", column.Name)
	}
	early := map[string]bool{} // items before the authors' first day, which docs/reproduction/streams.md counts
	for row := range s.NumRows() {
		for _, c := range s.Categorical {
			if s.Day(row) < 62 {
				early[c.Name+" "+c.Values[row]] = true
			}
		}
	}
	filetest.True(t, len(early) == 4327, "%d items in the sales before day 62, want 4327", len(early))
	filetest.Want(t, datatest.Counts(s.Categorical[1].Values)["<NA>"], 133361, "sales to nobody")
	days := [2]int{s.Day(0), s.Day(slices.Index(s.Quantities, 80995))}
	filetest.Want(t, days, [2]int{0, 373}, "the first day, and that of 80,995 pieces, ordered on 2011-12-09")
	filetest.Want(t, slices.Min(s.Quantities), 1, "least quantity")
	filetest.Want(t, slices.Min(s.Minutes), 8*60+26, "first minute")
	filetest.Want(t, slices.Max(s.Minutes), 373*minutesPerDay+12*60+50, "last minute")
	filetest.Want(t, [2]float64{slices.Min(s.Prices), slices.Max(s.Prices)}, [2]float64{-11062.06, 13541.33}, "prices from, to")
	for row := 1; row < s.NumRows(); row++ {
		if a, b := s.Categorical[0].Values[row-1], s.Categorical[0].Values[row]; a > b || a == b && s.Minutes[row-1] > s.Minutes[row] {
			t.Fatalf("row %d, %s at %d, comes after %s at %d", row, b, s.Minutes[row], a, s.Minutes[row-1])
		}
	}
}

func TestParse(t *testing.T) {
	s, err := parseRetail(retailHeader +
		"1,B,b,2,2010-12-02 00:00:00,0.5,17850,France\n" +
		"C1,B,b,-1,2010-12-01 00:01:00,0.5,17850,France\n" + // sells nothing
		"2,A,\"a \"\"pink\"\", a, blue\",3,2010-12-01 23:59:00,-1,,EIRE\n" +
		"3,B,,4,2010-12-02 00:00:00,1e3,,NA\n" + // in the same minute as the first of its product
		"3,B,?,0,2010-12-01 00:00:00,0,1,NA\n" + // sells nothing
		"4,B,\xff,5,2010-11-30 23:59:00,0,NaN,EIRE\n") // before the first day; nobody reads descriptions
	filetest.Check(t, err)
	for i, want := range [][]string{{"A", "B", "B", "B"}, {"<NA>", "NaN", "17850", "<NA>"}, {"EIRE", "EIRE", "France", "NA"}} {
		filetest.Want(t, s.Categorical[i].Values, want, "%s", s.Categorical[i].Name)
	}
	filetest.Want(t, s.Quantities, []int32{3, 5, 2, 4}, "quantities")
	filetest.Want(t, s.Prices, []float64{-1, 0, 0.5, 1000}, "prices")
	filetest.Want(t, s.Minutes, []int32{1439, -1, 1440, 1440}, "minutes")
	for row, want := range []int{0, -1, 1, 1} {
		filetest.Want(t, s.Day(row), want, "row %d is of day", row)
	}
	filetest.Want(t, s.Categorical[0].Token(0), "StockCode_A", "token")
	filetest.Want(t, s.Categorical[1].Token(0), "CustomerID_<NA>", "token of a missing customer")
}

func TestParseRefuses(t *testing.T) {
	const start, end = "536365,85123A,HEART,", ",2.55,17850,United Kingdom\n"
	const row = start + "6,2010-12-01 08:26:00" + end
	for _, c := range []struct {
		name, content string
		want          []string
	}{
		{"returns only", retailHeader + strings.Replace(row, "6,", "-6,", 2), []string{"1 rows, in none of which Quantity is above 0"}},
		{"customer not UTF-8", retailHeader + strings.Replace(row, "17850", "\xe9", 1),
			[]string{"retail.csv:2:48:", `"CustomerID"`, "not UTF-8"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			filetest.WantError(t, filetest.Failure(parseRetail(c.content)), c.want...)
		})
	}
	for _, quantity := range []string{"", "6.0", "1e1", "+6", "06", "-0", " 6", "six", "NaN", "2147483648", "9999999999999999999"} {
		_, err := parseRetail(retailHeader + row + start + quantity + ",2010-12-01 08:26:00" + end)
		filetest.WantError(t, err, "retail.csv:3:21:", `column "Quantity"`, "is not a whole number")
	}
	for _, date := range []string{"", "2010-12-01", "2010-12-01T08:26:00", "2010-12-01 08:26", "2010-12-01 8:26:00", "2010-12-01 08:26:30",
		"2010-12-01 08:26:00.5", "2010-12-01 24:00:00", "2010-02-29 08:26:00", "01/12/2010 08:26:00", "0001-01-01 00:00:00",
		"9999-12-31 00:00:00", "40513.351"} {
		_, err := parseRetail(retailHeader + row + start + "6," + date + end)
		filetest.WantError(t, err, "retail.csv:3:23:", `column "InvoiceDate"`, "is not a time such as")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(retailHeader + "1,B,b,2,2010-12-02 00:00:00,0.5,17850,France\nC1,B,b,-1,2010-12-01 00:01:00,0.5,,France\n")
	f.Add(retailHeader + "1,B,\"b\n\",2147483647,2099-12-31 23:59:00,1e15,,France\n0,A,,1,2000-01-01 00:00:00,-0,,France\n")
	f.Add(retailHeader)
	f.Fuzz(func(t *testing.T, content string) {
		s, err := parseRetail(content)
		if err != nil {
			filetest.True(t, s == nil && strings.HasPrefix(err.Error(), "retail.csv:"), "sales %v, error %v", s, err)
			return
		}
		n := s.NumRows()
		if n == 0 || len(s.Prices) != n || len(s.Minutes) != n || slices.Min(s.Quantities) < 1 || len(s.Categorical) != 3 {
			t.Fatalf("%+v", s)
		}
		for _, c := range s.Categorical {
			filetest.True(t, len(c.Values) == n && !slices.Contains(c.Values, ""), "column %q: %q", c.Name, c.Values)
		}
		for row := range n {
			ofDay := int(s.Minutes[row]) - s.Day(row)*minutesPerDay
			filetest.True(t, ofDay >= 0 && ofDay < minutesPerDay, "minute %d is of day %d", s.Minutes[row], s.Day(row))
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	b.Setenv(files.PathVariable, "")
	b.ReportAllocs()
	b.SetBytes(47100511)
	for b.Loop() {
		if _, err := Load(files.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// parse returns the Sales in CSV content, without their checksum; errors name the path.
func parse(d uci.Declaration, path string, content io.Reader) (*Sales, error) {
	return newSales(d.Parse(path, content))
}

func TestWindows(t *testing.T) {
	s := toySales("aaaaabbcddd") // rows 0–4, 5–6, 7, 8–10
	for _, c := range []struct {
		name          string
		windows       Windows
		rows, padding []int32
	}{
		{"overlapping", s.OverlappingWindows(3), []int32{0, 1, 2, 1, 2, 3, 2, 3, 4, 5, 5, 6, 7, 7, 7, 8, 9, 10}, []int32{0, 0, 0, 1, 2, 0}},
		{"overlapping, of one", s.OverlappingWindows(1), []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, make([]int32, 11)},
		{"separate", s.SeparateWindows(3), []int32{0, 1, 2, 8, 9, 10}, []int32{0, 0}},
		{"separate, of two", s.SeparateWindows(2), []int32{0, 1, 2, 3, 5, 6, 8, 9}, []int32{0, 0, 0, 0}},
		{"separate, too long", s.SeparateWindows(6), nil, nil},
	} {
		w := c.windows
		filetest.Want(t, w.Rows, c.rows, "%s: rows", c.name)
		filetest.Want(t, w.Padding, c.padding, "%s: padding", c.name)
		filetest.Want(t, w.Len(), len(c.padding), "%s: windows", c.name)
		for i, padding := range c.padding {
			filetest.True(t, w.Last(i) == c.rows[(i+1)*w.Length-1] && w.IsPadded(i) == (padding > 0),
				"%s: window %d ends with row %d", c.name, i, w.Last(i))
		}
	}
	for _, windows := range []func(int) Windows{s.OverlappingWindows, s.SeparateWindows} {
		func() {
			defer func() {
				filetest.True(t, recover() != nil, "windows of no sales")
			}()
			windows(0)
		}()
	}
}

func TestRetailWindows(t *testing.T) {
	s := loadedSales(t)
	const short = 734 // products of fewer than 10 sales
	padded := 0
	overlapping := s.OverlappingWindows(10)
	for i := range overlapping.Len() {
		if overlapping.IsPadded(i) {
			padded++
		}
	}
	filetest.Want(t, [2]int{overlapping.Len(), padded}, [2]int{500206, short}, "overlapping windows, and padded ones")
	separate := s.SeparateWindows(10)
	products := make(map[string]bool)
	for i := range separate.Len() {
		products[s.Categorical[0].Values[separate.Last(i)]] = true
	}
	filetest.Want(t, separate.Len(), 51427, "separate windows")
	filetest.Want(t, s.NumRows()-len(separate.Rows), 17015, "sales in no separate window")
	filetest.Want(t, len(products), 3941-short, "products of separate windows")
}

// Lines come in the order of time and then of the file, and say hour, weekday, bin of the price and class.
func TestLines(t *testing.T) {
	s := &Sales{Name: "toy", Incremental: 0, Prices: []float64{1, 3, -1}, Quantities: []int32{12, 11, 500}, Minutes: []int32{26 * 60,
		9 * 60, 26 * 60}, Places: []int32{2, 1, 0},
		Categorical: []column.Categorical{{Name: "StockCode", Values: []string{"a", "b", "c"}}, {Name: "CustomerID",
			Values: []string{"1", "<NA>", "2"}}, {Name: "Country", Values: []string{"x", "x", "x"}}}}
	table := s.Lines("retail-12")
	want := map[string][]string{"StockCode": {"b", "c", "a"}, "CustomerID": {"<NA>", "2", "1"}, "hour": {"9", "2", "2"},
		"weekday": {"Wednesday", "Thursday", "Thursday"}, "price": {"8", "-4", "4"}}
	filetest.Want(t, len(table.Categorical), len(want), "columns")
	filetest.Want(t, table.Categorical[table.Incremental].Name, "StockCode", "incremental column")
	filetest.Want(t, table.Labels, []int32{0, 1, 1}, "labels")
	for _, c := range table.Categorical {
		filetest.Want(t, c.Values, want[c.Name], "%s", c.Name)
	}
}

// The lines of the committed file are those of the study: a quarter sells 12 pieces or more.
func TestLinesOfRetail(t *testing.T) {
	table := loadedSales(t).Lines("retail-12")
	many := datatest.Counts(table.Labels)[1]
	filetest.Want(t, [2]int{table.NumRows(), many}, [2]int{531285, 131675}, "lines, and those of 12 pieces or more")
	filetest.Want(t, table.Verified, true, "verified")
}
