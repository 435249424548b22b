package onepass_test

import (
	"fmt"

	"gophe/phe/onepass"
)

// A model and an encoder of one configuration learn a stream: will a customer buy again? Ben always does, and Ada never.
func ExampleStream() {
	c := onepass.Stream(onepass.Shape{Columns: 2, Memory: 64 << 10})
	encoder, err := onepass.NewEncoder(c, []string{"customer", "price"})
	if err != nil {
		fmt.Println(err)
		return
	}
	learner, err := onepass.New(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 200 {
		name, buys := "Ada", 0.0
		if i%2 == 1 {
			name, buys = "Ben", 1
		}
		encoder.Item(0, name)
		encoder.Number(1, float64(i%7))
		learner.Predict(encoder.Row())
		learner.Update(buys, 1)
	}
	for _, name := range []string{"Ada", "Ben", "Eve"} {
		encoder.Item(0, name)
		encoder.Number(1, 5)
		fmt.Printf("%s: %.1f\n", name, learner.Predict(encoder.Row()).Mean)
	}
	// Output:
	// Ada: 0.0
	// Ben: 1.0
	// Eve: 0.5
}
