package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"gophe/phe/live/serve"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// ask sends a request and reads the answer.
func ask(address, body string, answer any) {
	got, err := http.Post(address, "application/json", strings.NewReader(body))
	check(err)
	defer got.Body.Close()
	check(json.NewDecoder(got.Body).Decode(answer))
}

// A server learns a record and forecasts another one. A program calls Server.Run in place of the test server.
func Example() {
	folder, err := os.MkdirTemp("", "serve-")
	check(err)
	defer os.RemoveAll(folder)
	begin := func() (*stream.Learner, error) { // a new model, if there is none in the folder
		return stream.New(schema.Schema{
			Target: schema.Target{Column: "bought", Kind: schema.Classes, Classes: []string{"no", "yes"}},
			Columns: []schema.Column{{Name: "customer", Kind: schema.Category}, {Name: "product", Kind: schema.Category},
				{Name: "bought", Kind: schema.Label}},
		}, stream.Options{})
	}
	server, err := serve.Open(filepath.Join(folder, "visits.phe"), begin, serve.Options{})
	check(err)
	web := httptest.NewServer(server.Handler())

	var learned struct{ Learned int }
	ask(web.URL+"/v1/learn", `{"record": {"customer": "Ada", "product": "tea", "bought": "yes"}}`, &learned)
	fmt.Println(learned.Learned, "row learned")

	var forecast struct {
		Forecasts []struct {
			Class         string
			Probabilities map[string]float64
		}
	}
	ask(web.URL+"/v1/predict", `{"record": {"customer": "Ben", "product": "tea"}}`, &forecast)
	for _, f := range forecast.Forecasts {
		fmt.Printf("bought: %s, with probability %.2f\n", f.Class, f.Probabilities["yes"])
	}

	web.Close()
	check(server.Close())
	// Output:
	// 1 row learned
	// bought: yes, with probability 0.75
}
