package sales

import (
	"testing"

	"gophe/phe/disk/filetest"
)

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
		filetest.WantEqual(t, w.Rows, c.rows, "%s: rows", c.name)
		filetest.WantEqual(t, w.Padding, c.padding, "%s: padding", c.name)
		filetest.WantEqual(t, w.Len(), len(c.padding), "%s: windows", c.name)
		for i, padding := range c.padding {
			filetest.Want(t, w.Last(i) == c.rows[(i+1)*w.Length-1] && w.IsPadded(i) == (padding > 0),
				"%s: window %d ends with row %d", c.name, i, w.Last(i))
		}
	}
	for _, windows := range []func(int) Windows{s.OverlappingWindows, s.SeparateWindows} {
		func() {
			defer func() {
				filetest.Want(t, recover() != nil, "windows of no sales")
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
	filetest.Want(t, overlapping.Len() == 500206 && padded == short,
		"%d windows, %d of them padded, want 500206 and %d", overlapping.Len(), padded, short)
	separate := s.SeparateWindows(10)
	products := make(map[string]bool)
	for i := range separate.Len() {
		products[s.Categorical[0].Values[separate.Last(i)]] = true
	}
	filetest.WantEqual(t, separate.Len(), 51427, "separate windows")
	filetest.WantEqual(t, s.NumRows()-len(separate.Rows), 17015, "sales in no separate window")
	filetest.WantEqual(t, len(products), 3941-short, "products of separate windows")
}
