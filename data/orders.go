package data

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/pkg/errors"
)

// exportOrders writes a made-up table of 20,000 orders: does the customer buy what lies in the basket? Customers and products keep
// coming, and each has a taste of its own. Every machine writes the same bytes, so no function of package math takes part.
func exportOrders(w io.Writer) (rows int, err error) {
	type name struct {
		name, kind string
		taste      float64 // on the scale of log-odds
		price      int     // in cents
	}
	r := rand.New(rand.NewPCG(29, 6))
	one := func(words ...string) string { return words[r.IntN(len(words))] }
	add := func(all []name, kind, form string) []name {
		bell := r.Float64() + r.Float64() + r.Float64() - 1.5
		return append(all, name{fmt.Sprintf(form, len(all)+1), kind, 3 * bell, 199 + 100*r.IntN(50)})
	}
	recent := func(all []name) name { return all[len(all)-1-r.IntN(1+r.IntN(min(len(all), 600)))] }
	at, customers, products := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC), []name(nil), []name(nil)
	_, err = fmt.Fprintln(w, "order,time,customer,country,product,category,device,quantity,price,bought")
	for ; rows < 20_000 && err == nil; rows++ {
		if rows < 50 || r.IntN(8) == 0 {
			customers = add(customers, one("AT", "CH", "DE", "FR", "NL"), "c%d")
		}
		if rows < 50 || r.IntN(40) == 0 {
			products = add(products, one("books", "games", "shoes", "tea"), "p%d")
		}
		c, p, device, quantity, bought := recent(customers), recent(products), one("app", "web", "phone"), 1+r.IntN(1+r.IntN(6)), "no"
		size := c.taste + p.taste - float64(p.price)/4000 + .5
		if c.kind > "DE" == (p.kind > "games") { // a pair of columns matters too
			size += 1.5
		}
		if size *= 2; r.Float64() < .5+size/(2+2*max(size, -size)) {
			bought = "yes"
		}
		at = at.Add(time.Duration(r.IntN(1200)) * time.Second)
		_, err = fmt.Fprintf(w, "%d,%s,%s,%s,%s,%s,%s,%d,%d.%02d,%s\n", 100_001+rows, at.Format("2006-01-02 15:04"), c.name, c.kind,
			p.name, p.kind, device, quantity, p.price/100, p.price%100, bought)
	}
	return rows, errors.Wrap(err, "exporting orders")
}
