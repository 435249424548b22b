package streams

import (
	"math"
	"math/bits"

	"gophe/data"
	"gophe/phe/onepass"
)

func loadRetail(name string) (*Table, error) {
	s, err := data.LoadSales(data.Options{})
	if err != nil {
		return nil, err
	}
	order := retailInTime(s)
	n := len(order)
	t := &Table{Name: name, SHA256: s.SHA256, Target: make([]float64, n), Head: onepass.Bernoulli}
	for _, c := range s.Categorical {
		t.Columns = append(t.Columns, items(c.Name, n, func(row int) string { return c.Values[order[row]] }))
	}
	prices := make([]float64, n)
	for row, from := range order {
		prices[row] = s.Prices[from]
	}
	const hour, day = 60, 24 * 60
	t.Columns = append(t.Columns,
		items("hour", n, func(row int) string { return whole(s.Minutes[order[row]] % day / hour) }),
		items("weekday", n, func(row int) string { return whole(s.Minutes[order[row]] / day % 7) }),
		Column{Name: "UnitPrice", Numbers: prices})
	for row, from := range order {
		quantity := s.Quantities[from]
		switch name {
		case "retail_qty":
			t.Head, t.Target[row] = onepass.Gaussian, math.Log2(float64(quantity))
		case "retail_classes":
			t.Head, t.Classes, t.Target[row] = onepass.Softmax, 5, float64(min(bits.Len32(uint32(quantity))-1, 4))
		default:
			if quantity >= 12 {
				t.Target[row] = 1
			}
		}
	}
	return t, nil
}
