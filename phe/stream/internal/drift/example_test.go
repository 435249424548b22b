package drift_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"gophe/phe/stream/internal/drift"
)

// A model errs in one row of ten, and from row 30,000 on in one of five. The program stops in row 20,000 and continues later.
func Example() {
	r := rand.New(rand.NewPCG(1, 1))
	alarm := drift.New()
	for row := range 50_000 {
		errorRate, loss := 0.1, 0.0
		if row >= 30_000 {
			errorRate = 0.2
		}
		if r.Float64() < errorRate {
			loss = 1
		}
		if alarm.Add(loss) {
			fmt.Println("worse, noticed in row", row)
		}
		if row == 20_000 {
			saved, err := json.Marshal(alarm)
			if err == nil {
				alarm = new(drift.Alarm)
				err = json.Unmarshal(saved, alarm)
			}
			if err != nil {
				fmt.Println(err)
			}
		}
	}
	fmt.Printf("the new level is %.2f\n", alarm.Mean)
	// Output:
	// worse, noticed in row 30699
	// the new level is 0.20
}
